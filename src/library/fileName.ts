import { isPlainLine, plainLine } from '../foreign/plainText.ts';

const maxSlugLength = 60;
const maxNameLength = 120;
/** File systems allow 255; a number and an extension follow. */
const maxBytes = 240;
/** Names that Windows keeps for devices, with any extension. */
export const windowsReserved = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;

/**
 * Returns the name of a new file without extension: valid on Windows, macOS and Linux, and never a path. Falls back to
 * the operation's name when the pattern gives an empty one.
 *
 * @param parts values for the variables in the setting `fileName`, such as `${prompt}` and `${date}`
 */
export function fileNameOf(
  pattern: string,
  parts: {
    readonly prompt: string;
    readonly operation: string;
    readonly model: string;
    /** Name of the input file; empty when there is none. */
    readonly source: string;
    readonly time: Date;
  },
): string {
  const { time } = parts;
  const two = (value: number) => String(value).padStart(2, '0');
  const values: Readonly<Record<string, string>> = {
    prompt: slug(parts.prompt),
    operation: parts.operation,
    model: slug(parts.model),
    source: slug(parts.source),
    date: `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`,
    time: [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join('-'),
  };
  const valid = pattern
    .replace(/\$\{(\w+)\}/g, (whole, variable: string) =>
      Object.hasOwn(values, variable) ? (values[variable] ?? '') : whole,
    )
    .normalize('NFC')
    // Characters that are invalid in names, that separate folders, or that are invisible.
    .replace(/[\p{C}\p{Z}"*/:<>?\\|$`]+/gu, '-');
  const name = plainLine(valid).replace(/-{2,}/g, '-');
  const short = trimmed(firstCharacters(trimmed(name), maxNameLength));
  if (short === '') return parts.operation;
  return windowsReserved.test(short) ? `${short.replace(/\..*$/, '')}-file` : short;
}

/** Returns the letters and digits of any script, joined by hyphens, in lower case, at most 60 characters. */
export function slug(text: string): string {
  const words = text
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu);
  return trimmed(firstCharacters((words ?? []).join('-'), maxSlugLength));
}

/** Returns the first characters of a text, without splitting any. */
function firstCharacters(text: string, count: number): string {
  let first = '';
  let bytes = 0;
  for (const character of [...text].slice(0, count)) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    first += character;
  }
  return first;
}

function trimmed(name: string): string {
  return name.replace(/^[.\s-]+|[.\s-]+$/g, '');
}

/** Returns the n-th name (from 1) for a file: `fox.png`, `fox-2.png`, `fox-3.png`… */
export function numberedName(name: string, extension: string, number: number): string {
  return `${name}${number === 1 ? '' : `-${number}`}.${extension}`;
}

/** Splits a file name into name and extension. */
export function nameParts(name: string): { readonly name: string; readonly extension?: string } {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? { name: name.slice(0, dot), extension: name.slice(dot + 1) } : { name };
}

/** Whether a name is valid on Windows, macOS and Linux. */
export function isFileName(name: string): boolean {
  return (
    !/[\p{C}"*/:<>?\\|]|[. ]$/u.test(name) &&
    isPlainLine(name) &&
    !windowsReserved.test(name) &&
    name !== '' &&
    Buffer.byteLength(name) <= maxBytes
  );
}

/** Whether a name is that of `.git`, or the short one that Windows gives it. */
export function isOfGit(name: string): boolean {
  return /^(\.git|git~\d+)$/i.test(name);
}

/** Names, without extension, of texts that agents and tools read without being asked. */
export const readByTools =
  /^(agents?|claude|gemini|codex|copilot|cursor|windsurf|skills?|conventions|rules|memory|llms(-full)?|package(-lock)?|composer|deno|[jt]sconfig|mcp|settings|tasks|launch|extensions|devcontainer|requirements|constraints|cmakelists|robots)(\.[^./]+)*$|[.-](instructions|prompt|chatmode|agent|skill|rules)$/i;

export const textExtension = /\.(md|mdx|mdc|markdown|txt|jsonc?|ya?ml|toml)$/i;

/**
 * Whether a text at this path would be read by agents or tools, as `AGENTS.md`, `package.json` and every text in
 * `.claude/rules` are. What somebody said in a recording would become orders there.
 *
 * @param path with forward slashes; may be a mere name
 */
export function isReadByTools(path: string): boolean {
  if (!textExtension.test(path)) return false;
  const names = path.split('/');
  return names.some((name) => name.startsWith('.')) || readByTools.test(names.at(-1)?.replace(textExtension, '') ?? '');
}

/** Returns the name of a new transcript, without extension: never one that agents or tools read as their own. */
export function transcriptName(name: string): string {
  return readByTools.test(name) ? `${name.replaceAll('.', '-')}-transcript` : name;
}
