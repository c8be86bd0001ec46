declare const plain: unique symbol;

/** A text from outside in which only `\n` ends a line, and no character is invisible or changes the direction. */
export type PlainText = string & { readonly [plain]: 'lines' | 'line' };

/** A {@link PlainText} of one line. */
export type PlainLine = PlainText & { readonly [plain]: 'line' };

/** All that some reader takes for the end of a line: Python's `splitlines` knows the most. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const lineEnds = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g;

/**
 * Control characters, format characters and others that show nothing (`DI`), and the halves of characters that are not
 * whole. A variation selector is none of them after an emoji, or a Han or Mongolian letter, whose form it selects.
 */
const invisible =
  /[\p{Cc}\p{Cf}\p{Cs}\p{DI}\u2800](?<!\p{Extended_Pictographic}[\ufe0e\ufe0f]|[\d#*]\ufe0f(?=\u20e3)|\p{sc=Han}[\ufe00-\ufe02\u{e0100}-\u{e01ef}]|[\u1820-\u18aa][\u180b-\u180d\u180f])/gu;

/** Format characters that are visible, such as the Arabic end of ayah. */
const visible = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;

const joiner = /[\u200c\u200d]/g;

/** A letter or mark of a script in which joiners change how a word is written. */
const joins =
  /[\p{sc=Arabic}\p{sc=Syriac}\p{sc=Mongolian}\p{sc=Nko}\p{sc=Devanagari}\p{sc=Bengali}\p{sc=Gurmukhi}\p{sc=Gujarati}\p{sc=Oriya}\p{sc=Tamil}\p{sc=Telugu}\p{sc=Kannada}\p{sc=Malayalam}\p{sc=Sinhala}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}]/u;

/** What a joiner connects in an emoji, such as that of a family. */
const emoji = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;

/**
 * Makes a text from a service, a repository, a recording or an agent safe to write: its line ends become `\n`, tabs
 * become spaces, and other control and format characters are removed. Markup is still in it; the writer of each language
 * escapes that.
 */
export function plainText(text: string): PlainText {
  return withoutInvisible(text.replace(lineEnds, '\n')) as PlainText;
}

/** Makes one line of a text as {@link plainText} does. White space becomes single spaces. */
export function plainLine(text: string): PlainLine {
  return plainRow(text).replace(/\s+/g, ' ').trim() as PlainLine;
}

/** Makes one line of a text as {@link plainText} does, and keeps its spaces. */
export function plainRow(text: string): PlainLine {
  return withoutInvisible(text.replace(lineEnds, ' ')) as PlainLine;
}

/** Makes the beginning of a text one line, at most a number of characters long, and says by “…” that more follows. */
export function shortLine(text: string, maxLength: number): PlainLine {
  // Texts may be whole books, and most of the characters that are removed stand in runs.
  const start = text.slice(0, 8 * maxLength + 200);
  const characters = [...plainLine(start)];
  const isCut = characters.length > maxLength || start.length < text.length;
  return (isCut ? `${characters.slice(0, maxLength).join('')}…` : characters.join('')) as PlainLine;
}

/** Whether a text is unchanged by {@link plainLine}, except for spaces. */
export function isPlainLine(text: string): boolean {
  return withoutInvisible(text.replace(lineEnds, '')) === text;
}

/** Returns a text in which a notification of VS Code finds no links, which may run commands. */
export function notificationText(text: string): string {
  return plainText(text).replaceAll('](', '] (');
}

function withoutInvisible(text: string): string {
  const kept = text.replace(invisible, (character) => {
    if (character === '\t') return ' ';
    return character === '\n' || visible.test(character) || character.match(joiner) ? character : '';
  });
  return kept.replace(joiner, (character, at: number) => (isBetweenJoined(kept, at) ? character : ''));
}

/** Whether a joiner stands where it changes what is written: inside a word of some scripts, or inside an emoji. */
function isBetweenJoined(text: string, at: number): boolean {
  // The character before may be a pair of surrogates.
  const before = String.fromCodePoint(text.codePointAt(isPairBefore(text, at) ? at - 2 : at - 1) ?? 0);
  const after = String.fromCodePoint(text.codePointAt(at + 1) ?? 0);
  return (joins.test(before) && joins.test(after)) || (emoji.test(before) && emoji.test(after));
}

function isPairBefore(text: string, at: number): boolean {
  return /[\udc00-\udfff]/.test(text[at - 1] ?? '') && /[\ud800-\udbff]/.test(text[at - 2] ?? '');
}
