import { frontMatterIn } from '../documents/frontMatter.ts';
import { parseJson } from '../operations/parseJson.ts';

/** The front matter of a transcript and the link below it are shorter, in characters. */
const maxLength = 20_000;

/**
 * Returns the recording of a transcript in Markdown, as a path relative to it: from the link below the front matter, or
 * else from its `source`.
 */
export function frontMatterSource(markdown: string): string | undefined {
  const head = markdown.slice(0, maxLength);
  const matter = frontMatterIn(head);
  if (!matter) return undefined;
  const [first = ''] = head.slice(matter.after).trimStart().split('\n', 1);
  const [, address] = /^\[(?:\\.|[^\]\\])*\]\(([^()\s]+)\)$/.exec(first.trim()) ?? [];
  const link = address === undefined ? undefined : decoded(address);
  if (link !== undefined && !/^[a-z][a-z\d+.-]*:|^\//i.test(link)) return link;
  return valueIn(head.slice(matter.start, matter.end), 'source');
}

/** Returns the data of the front matter, and where it starts; empty if there is none. */
function matterOf(markdown: string): { readonly text: string; readonly start: number } {
  const { start, end } = frontMatterIn(markdown.slice(0, maxLength)) ?? { start: 0, end: 0 };
  return { text: markdown.slice(start, end), start };
}

const values = {
  source: /^source:[ \t]*(?:"((?:\\.|[^"\\\n])*)"|([^\n"#]+))/m,
  language: /^language:[ \t]*(?:"((?:\\.|[^"\\\n])*)"|([^\n"#]+))/m,
  operation: /^operation:[ \t]*(?:"((?:\\.|[^"\\\n])*)"|([^\n"#]+))/m,
};

function valueIn(matter: string, name: keyof typeof values): string | undefined {
  const [, quoted, plain] = values[name].exec(matter) ?? [];
  if (quoted === undefined) return plain?.trim();
  // As we write it; people also write YAML's other escapes.
  return parseJson<string>(`"${quoted}"`) ?? quoted.replace(/\\(.)/g, '$1');
}

function decoded(address: string): string | undefined {
  try {
    return decodeURIComponent(address);
  } catch {
    return undefined;
  }
}

/** Returns the duration of the recording that was transcribed, in seconds. */
export function frontMatterDuration(markdown: string): number | undefined {
  const [, seconds] = /^duration: (\d+(?:\.\d+)?) # seconds\r?$/m.exec(matterOf(markdown).text) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** Returns the names in the front matter's list of speakers, and where the list stands. */
export function frontMatterSpeakers(
  markdown: string,
): { readonly names: readonly string[]; readonly start: number; readonly end: number } | undefined {
  const matter = matterOf(markdown);
  const found = /^speakers:[ \t]*\[([^\n]*)\][ \t]*\r?$/dm.exec(matter.text);
  const [, written] = found ?? [];
  const [start, end] = found?.indices?.[1] ?? [];
  if (written === undefined || start === undefined || end === undefined) return undefined;
  const list = parseJson<readonly unknown[]>(`[${written}]`) ?? written.split(',');
  return { names: list.map((name) => String(name).trim()), start: matter.start + start, end: matter.start + end };
}

/**
 * Returns the language of a transcript in Markdown as a BCP 47 tag. Services write `en` as well as `english`.
 *
 * @returns undefined when its front matter does not name it
 */
export function spokenLanguage(markdown: string): string | undefined {
  if (valueIn(matterOf(markdown).text, 'operation') === 'translate') return 'en';
  const named = valueIn(matterOf(markdown).text, 'language')?.trim().toLowerCase();
  if (named === undefined) return undefined;
  if (/^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/.test(named)) return canonical(named);
  return codes().find((code) => nameOf(code, 'en')?.toLowerCase() === named);
}

/** Returns the name of a language in that language, such as “Deutsch”. */
export function ownNameOf(language: string): string {
  return nameOf(language, language) ?? language;
}

function canonical(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

function nameOf(code: string, language: string): string | undefined {
  return new Intl.DisplayNames([language], { type: 'language', fallback: 'none' }).of(code);
}

/** All codes of two letters, of which ISO 639-1 uses some. */
function codes(): readonly string[] {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  return letters.flatMap((first) => letters.map((second) => first + second));
}
