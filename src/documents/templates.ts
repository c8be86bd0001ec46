import { type Findings, type FoundReference, hidePairs, type Mask, templatePairs } from './Findings.ts';
import { mediaKindOf, type ReferenceForm, type TextRange, withoutQuery } from './MediaReference.ts';

/** Maximum length of an expression that is read, in characters. */
const maxLength = 1000;

/** Filters, functions and tags that put the path of the site in front of a literal address. */
const siteFilter =
  /^\{\{-?\s{0,20}(["'])([^"'\\\n]{1,500})\1\s{0,20}\|\s{0,20}(?:relative_url|absolute_url|url|(?:rel|abs)(?:Lang)?URL|prepend:\s{0,20}site\.baseurl)\b/;
const siteCall =
  /^(?:\{\{|<%)[-=]?\s{0,20}(?:\$?withBase|(?:full_)?url_for)\(\s{0,20}(["'])([^"'\\\n]{1,500})\1\s{0,20}\)/;
const siteTag = /^\{%-?\s{0,20}link\s{1,20}()([^\s%]{1,500})\s{0,20}-?%\}/;
const commentTag = /^\{%-?\s{0,20}(comment|endcomment)\b/;
const assetTag = /^\{%-?\s{0,20}asset_(?:img|path)\s/;
const figure = /^\{\{[<%]\s{0,20}figure\s/;

/**
 * Hides template expressions from a search. Those with a literal address become findings of their own, or part of the
 * reference whose whole address they are.
 *
 * @param more delimiters of other text that is hidden
 */
export function hideTemplates(
  text: string,
  {
    mask,
    findings,
    more = {},
  }: { readonly mask: Mask; readonly findings: Findings; readonly more?: Readonly<Record<string, string>> },
): void {
  let comment: number | undefined;
  const expressions: { readonly range: TextRange; readonly found: FoundReference }[] = [];
  hidePairs(text, { ...more, ...templatePairs }, mask, (opener, { start, end }) => {
    if (Object.hasOwn(more, opener) || end - start > maxLength) return;
    const expression = text.slice(start, end);
    const [, tag] = commentTag.exec(expression) ?? [];
    if (tag === 'comment') comment ??= start;
    else if (tag === 'endcomment' && comment !== undefined) {
      mask.hide(comment, end);
      while ((expressions.at(-1)?.range.start ?? -1) > comment) expressions.pop();
      comment = undefined;
    }
    const found = addressIn(expression, start);
    if (found) expressions.push({ range: { start, end }, found });
  });
  for (const { range, found } of expressions) findings.expression(range, found);
}

/** Returns the literal address of an expression. */
function addressIn(expression: string, offset: number): FoundReference | undefined {
  for (const pattern of [siteFilter, siteCall, siteTag]) {
    const [whole, , address = ''] = pattern.exec(expression) ?? [];
    if (whole !== undefined) return found('site', address, offset + whole.indexOf(address));
  }
  if (assetTag.test(expression)) return asset(expression, offset);
  if (!figure.test(expression)) return undefined;
  const source = parameter(expression, 'src');
  if (!source) return undefined;
  const alt = parameter(expression, 'alt') ?? parameter(expression, 'caption') ?? parameter(expression, 'title');
  const address = expression.slice(source.start, source.end);
  return { ...found('tag', address, offset + source.start), element: 'img', alt: alt && moved(alt, offset) };
}

function found(form: ReferenceForm, address: string, start: number): FoundReference {
  return { form, start, end: start + address.length, address };
}

/** Reads a tag of Hexo: classes, the file, sizes, and the title in quotes. */
function asset(expression: string, offset: number): FoundReference | undefined {
  const words = Array.from(expression.matchAll(/"([^"\n]*)"|'([^'\n]*)'|((?:[^\s"'%]|%(?!\}))+)/g), (match) => {
    const text = match[1] ?? match[2] ?? match[0];
    const start = match.index + (match[3] === undefined ? 1 : 0);
    return { text, isQuoted: match[3] === undefined, start, end: start + text.length };
  });
  const at = words.findIndex(({ text }) => mediaKindOf(withoutQuery(text)) !== undefined);
  const file = words[at];
  const title = words.slice(at + 1).find(({ isQuoted }) => isQuoted);
  return file && { ...found('macro', file.text, offset + file.start), alt: title && moved(title, offset) };
}

/** Returns the value of a named parameter of a shortcode. */
function parameter(expression: string, name: string): TextRange | undefined {
  const match = new RegExp(`\\s${name}=(?:"([^"\\n]*)"|'([^'\\n]*)'|([^\\s"'>]+))`).exec(expression);
  if (!match) return undefined;
  const value = match[1] ?? match[2] ?? match[3] ?? '';
  const start = match.index + match[0].length - value.length - (match[3] === undefined ? 1 : 0);
  return { start, end: start + value.length };
}

function moved({ start, end }: TextRange, offset: number): TextRange {
  return { start: start + offset, end: end + offset };
}
