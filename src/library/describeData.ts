import * as l10n from '@vscode/l10n';

const beforeRoot = String.raw`^\uFEFF?\s*(?:(?:<\?[^>]*>|<!--[^]*?-->|<!doctype[^>]*>)\s*)*`;
const svg = new RegExp(`${beforeRoot}<svg[\\s>]`, 'i');
const webPage = new RegExp(`${beforeRoot}<(?:html|head|body)[\\s>]|^\\s*<!doctype html`, 'i');

/**
 * Describes data of no known media type to a person.
 *
 * @param head the first bytes
 * @param announced media type that the service announced
 */
export function describeData(head: Uint8Array, announced = ''): string {
  if (head.length === 0) return l10n.t('nothing');
  const text = decodeText(head);
  if (text !== undefined) {
    if (svg.test(text)) return l10n.t('an SVG drawing');
    return webPage.test(text) ? l10n.t('a web page') : l10n.t('text');
  }
  const [type] = /^[a-z]+\/[\w.+-]+/i.exec(announced) ?? [];
  if (type) return l10n.t('data of an unknown type (“{0}”)', type);
  return l10n.t('data of an unknown type');
}

function decodeText(head: Uint8Array): string | undefined {
  try {
    // `stream` allows an incomplete character at the end.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
