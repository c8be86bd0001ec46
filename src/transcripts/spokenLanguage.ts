import { frontMatterText } from './frontMatter.ts';

/**
 * Returns the language of a transcript in Markdown as a BCP 47 tag. Services write `en` as well as `english`.
 *
 * @returns undefined when its front matter does not name it
 */
export function spokenLanguage(markdown: string): string | undefined {
  if (frontMatterText(markdown, 'operation') === 'translate') return 'en';
  const named = frontMatterText(markdown, 'language')?.trim().toLowerCase();
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
