import { type MediaKind, mediaKindOf, withoutQuery } from './MediaReference.ts';

/** What may stand before and between the imports of a script. */
const skipped = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const prologue = /#![^\n]*|(["'])use [\w ]{1,40}\1[ \t]*;?/y;
const importStatement =
  /import\b(?:([^'"();=]{1,2000}?)\bfrom\b)?\s*(["'])([^'"\n]{0,1000})\2(?:\s*with\s*\{[^}]{0,200}\})?[ \t]*(;?)/y;
const identifier = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
const reserved =
  /^(?:await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|undefined|var|void|while|with|yield|arguments|eval)$/;

interface ImportBlock {
  /** End of the last import; otherwise that of what has to stay above all imports. */
  readonly end: number;
  readonly imports: readonly { readonly name: string | undefined; readonly address: string }[];
  /** The style of the last import. */
  readonly quote: string;
  readonly semicolon: string;
}

/**
 * Returns the import of a media file, below those that a script has and written like them.
 *
 * @param text of a script or module, also with JSX
 * @param address as the bundler resolves it, such as `./hero.png`
 * @param taken further names that must not be used
 */
export function importOf(
  text: string,
  address: string,
  taken: ReadonlySet<string> = new Set(),
): {
  /** The identifier that holds the address. */
  readonly name: string;
  /** The statement to insert, with its line break; undefined where the script has it already. */
  readonly insertion?: { readonly offset: number; readonly text: string };
} {
  const { end, imports, quote, semicolon } = headingOf(text);
  const known = imports.find((one) => one.name !== undefined && one.address === address)?.name;
  if (known !== undefined) return { name: known };
  const used = new Set([...taken, ...(text.match(identifier) ?? [])]);
  const name = freeName(address, used);
  const mark = address.includes(quote) ? (quote === '"' ? "'" : '"') : quote;
  const written = address.includes(mark) ? JSON.stringify(address) : `${mark}${address}${mark}`;
  const line = `import ${name} from ${written}${semicolon}`;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const isAtStart = end === 0;
  return { name, insertion: { offset: end, text: isAtStart ? `${line}${eol}` : `${eol}${line}` } };
}

function headingOf(text: string): ImportBlock {
  const imports: ImportBlock['imports'][number][] = [];
  let style = { quote: "'", semicolon: ';' };
  let end = 0;
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match;
  };
  for (;;) {
    if (take(skipped)) continue;
    if (take(prologue)) {
      end = at;
      continue;
    }
    const [whole, names, quote = "'", address = '', semicolon = ''] = take(importStatement) ?? [];
    if (whole === undefined) break;
    imports.push({
      name: names === undefined ? undefined : /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.exec(names.trim())?.[0],
      address,
    });
    style = { quote, semicolon };
    end = at;
  }
  return { ...style, imports, end: lineEnd(text, end) };
}

/** Returns the end of the line, unless code follows on it. */
function lineEnd(text: string, from: number): number {
  if (from === 0) return 0;
  const [rest = ''] =
    /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\n]*?\*\/[ \t]*)?(?=\r?\n|$)/.exec(text.slice(from, from + 500)) ?? [];
  return from + rest.length;
}

/** Returns a name after the file: `hero-2.png` becomes `hero2`, `default.png` becomes `defaultImage`. */
function freeName(address: string, used: ReadonlySet<string>): string {
  const path = withoutQuery(address);
  const kind = mediaKindOf(path) ?? 'file';
  const file = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  const words = file.split(/[^\p{ID_Continue}]+/u).filter(Boolean);
  const [first = '', ...others] = words;
  const camel = lowerFirst(first) + others.map(upperFirst).join('');
  const start = /^[\p{ID_Start}]/u.test(camel) ? camel : kind + upperFirst(camel);
  const isFree = (name: string) => !reserved.test(name) && !used.has(name);
  if (isFree(start)) return start;
  const withKind = start + nouns[kind];
  for (let number = 1; ; number++) {
    const name = number === 1 ? withKind : `${withKind}${number}`;
    if (isFree(name)) return name;
  }
}

const nouns: Readonly<Record<MediaKind | 'file', string>> = {
  image: 'Image',
  audio: 'Audio',
  video: 'Video',
  file: 'File',
};

function upperFirst(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function lowerFirst(word: string): string {
  return word === word.toUpperCase() ? word.toLowerCase() : word.slice(0, 1).toLowerCase() + word.slice(1);
}
