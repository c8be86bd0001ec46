import { frontMatterIn } from '../documents/frontMatter.ts';

/** Maximum number of characters to read; configurations written by hand are shorter. */
const maxLength = 200_000;
/** Unclosed strings and comments extend to the end, which keeps the search linear. */
const stringsAndComments =
  /("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\[\s\S])*`?)|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g;

/**
 * Returns a property's string from a configuration in JavaScript or TypeScript. Configurations are read as text and
 * never run, so computed values are unknown and the framework's default applies. Parsers of JavaScript, YAML and TOML
 * would be larger than all of `src/projects`. If several properties have the name, the outermost one counts.
 */
export function readScriptText(source: string, property: string): string | undefined {
  const value = outermost(source, property);
  return /^(["'`])([^"'`\\$]*)\1/.exec(value ?? '')?.[2];
}

/** Returns the strings of a list; undefined if there is no list or not all its items are literals. */
export function readScriptList(source: string, property: string): readonly string[] | undefined {
  const list = /^\[([^\]]*)\]/.exec(outermost(source, property) ?? '')?.[1];
  if (list === undefined) return undefined;
  const items = list.split(',').map((item) => item.trim());
  const texts = items.filter((item) => item !== '').map((item) => /^(["'`])([^"'`\\$]*)\1$/.exec(item)?.[2]);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** Returns the strings of a property, wherever it occurs. */
export function readScriptTexts(source: string, property: string): readonly string[] {
  const pairs = withoutComments(source).matchAll(
    new RegExp(`(?<![\\w$.-])(["']?)${property}\\1\\s{0,50}:\\s{0,50}(["'\`])([^"'\`\\\\$\\n]*)\\2`, 'g'),
  );
  return Array.from(pairs, ([, , , text = '']) => text);
}

/** Removes comments from JavaScript. */
export function withoutComments(source: string): string {
  return source.slice(0, maxLength).replace(stringsAndComments, (_, text?: string) => text ?? ' ');
}

/** Returns the text after the colon of the least nested property with this name. */
function outermost(source: string, property: string): string | undefined {
  const text = withoutComments(source);
  const tokens = new RegExp(`(?<![\\w$.-])(["']?)${property}\\1\\s{0,50}:\\s{0,50}|"[^"\\n]*"|'[^'\\n]*'|[{}]`, 'g');
  let [depth, least] = [0, Number.POSITIVE_INFINITY];
  let found: string | undefined;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === '{') depth++;
    else if (token === '}') depth--;
    else if (token.trimEnd().endsWith(':') && depth < least) {
      least = depth;
      found = text.slice(index + token.length, index + token.length + 2000);
    }
  }
  return found;
}

/** Reads a value from JSON, which may have comments and trailing commas; returns undefined if it does not exist. */
export function readJson(source: string, ...path: readonly string[]): unknown {
  try {
    return valueAt(JSON.parse(withoutComments(source).replace(/,(?=\s{0,1000}[}\]])/g, '')), ...path);
  } catch {
    return undefined;
  }
}

/** Returns the value at a path in nested objects. */
export function valueAt(object: unknown, ...path: readonly string[]): unknown {
  let value = object;
  for (const name of path) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a string, number, flag or list of strings from YAML, TOML or JSON by its path, such as `markup.goldmark`. The
 * file's name decides the format. Only values on one line and lists are supported: site generators need no more for
 * their media folders, and full YAML parsers fail on the tags of MkDocs.
 */
export function readSetting(file: string, source: string, path: string): string | readonly string[] | undefined {
  if (file.endsWith('.json')) return settingOf(readJson(source, ...path.split('.')));
  return file.endsWith('.toml') ? readToml(source, path) : readYaml(source, path);
}

/** Like {@link readSetting}, if the value is a single string. */
export function readText(file: string, source: string, path: string): string | undefined {
  const value = readSetting(file, source, path);
  return typeof value === 'string' ? value : undefined;
}

/** Returns the names of the settings in the same formats below a path; at the top if it is empty. */
export function settingNames(file: string, source: string, path: string): readonly string[] {
  const steps = path === '' ? [] : path.split('.');
  if (file.endsWith('.json')) {
    const object = readJson(source, ...steps);
    return isRecord(object) ? Object.keys(object) : [];
  }
  const paths = [...(file.endsWith('.toml') ? tomlValues(source) : yamlValues(source))].map((one) =>
    one.path.split('.'),
  );
  const below = paths.filter((one) => steps.every((step, index) => one[index] === step));
  return [...new Set(below.flatMap((one) => one[steps.length] ?? []))];
}

/** Returns a reader of the strings in a document's front matter, which is YAML or TOML. */
export function frontMatterOf(text: string): (key: string) => string | undefined {
  const matter = frontMatterIn(text.slice(0, maxLength));
  return (key) => matter && readText(`.${matter.format}`, text.slice(matter.start, matter.end), key);
}

/** Returns the strings of a list in Python; undefined if the variable is not set at the top of the file. */
export function pythonList(source: string, name: string): readonly string[] | undefined {
  const list = new RegExp(`^${name}\\s{0,20}=\\s{0,20}\\[([^\\]]*)\\]`, 'm').exec(source.slice(0, maxLength))?.[1];
  return list === undefined ? undefined : Array.from(list.matchAll(/(["'])([^"'\n]+)\1/g), ([, , text = '']) => text);
}

/** Returns a string in Python that is set at the top of the file. */
export function pythonText(source: string, name: string): string | undefined {
  return new RegExp(`^${name}\\s{0,20}=\\s{0,20}(["'])([^"'\\n]+)\\1`, 'm').exec(source.slice(0, maxLength))?.[2];
}

function settingOf(value: unknown): string | readonly string[] | undefined {
  if (Array.isArray(value)) return value.filter((item): item is string => typeof item === 'string');
  return value === undefined || value === null || isRecord(value) ? undefined : String(value);
}

function readYaml(source: string, path: string): string | readonly string[] | undefined {
  for (const value of yamlValues(source)) {
    if (value.path === path)
      return plainValue(value.written) ?? itemsBelow(source.split(/\r?\n/), value.line + 1, value.indent);
  }
  return undefined;
}

function* yamlValues(source: string) {
  const parents: { readonly indent: number; readonly key: string }[] = [];
  for (const [line, text] of source.split(/\r?\n/).entries()) {
    const match = /^( *)(["']?)([\w-]+)\2:(?:[ \t](.*))?$/.exec(text);
    if (!match) continue;
    const [, { length: indent } = '', , key = '', rest = ''] = match;
    while ((parents.at(-1)?.indent ?? -1) >= indent) parents.pop();
    parents.push({ indent, key });
    yield { path: parents.map((parent) => parent.key).join('.'), written: rest.trim(), line, indent };
  }
}

function itemsBelow(lines: readonly string[], from: number, indent: number): readonly string[] | undefined {
  const items: string[] = [];
  for (const line of lines.slice(from)) {
    const [, { length: depth } = '', rest = ''] = /^( *)- (.*)$/.exec(line) ?? [];
    const item = depth === undefined || depth < indent ? undefined : plainValue(rest.trim());
    if (typeof item !== 'string') break;
    items.push(item);
  }
  return items.length > 0 ? items : undefined;
}

function readToml(source: string, path: string): string | readonly string[] | undefined {
  for (const value of tomlValues(source)) if (value.path === path) return plainValue(value.written);
  return undefined;
}

/** Tables are among them, without a value. */
function* tomlValues(source: string) {
  let table = '';
  for (const line of source.split(/\r?\n/)) {
    const [, heading] = /^\s{0,20}\[([\w.-]+)\]/.exec(line) ?? [];
    if (heading !== undefined) {
      table = `${heading}.`;
      yield { path: heading, written: '' };
    }
    const match = /^\s{0,20}([\w.-]+)\s{0,20}=\s{0,20}(.*)$/.exec(line);
    if (match) yield { path: `${table}${match[1]}`, written: match[2] ?? '' };
  }
}

/** Reads a string with or without quotes, or a list in brackets, before a comment. */
function plainValue(written: string): string | readonly string[] | undefined {
  const quoted = /^"([^"\\]*)"|^'([^']*)'/.exec(written);
  if (quoted) return quoted[1] ?? quoted[2];
  const list = /^\[([^\]]*)\]/.exec(written)?.[1];
  if (list !== undefined) {
    const items = list.split(',').map((item) => plainValue(item.trim()));
    return items.filter((item) => typeof item === 'string');
  }
  const text = written.replace(/(?:^|\s)#.*$/, '').trim();
  return text === '' || /^[{&*!|>]/.test(text) ? undefined : text;
}
