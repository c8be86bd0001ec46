import { isRecord, readJson } from './readJson.ts';

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

function settingOf(value: unknown): string | readonly string[] | undefined {
  if (Array.isArray(value)) return value.filter((item): item is string => typeof item === 'string');
  return value === undefined || value === null || isRecord(value) ? undefined : String(value);
}

function readYaml(source: string, path: string): string | readonly string[] | undefined {
  const parents: { readonly indent: number; readonly key: string }[] = [];
  const lines = source.split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const match = /^( *)(["']?)([\w-]+)\2:(?:[ \t]+(.*))?$/.exec(line);
    if (!match) continue;
    const [, { length: indent } = '', , key = '', rest = ''] = match;
    while ((parents.at(-1)?.indent ?? -1) >= indent) parents.pop();
    parents.push({ indent, key });
    if (parents.map((parent) => parent.key).join('.') !== path) continue;
    return plainValue(rest) ?? itemsBelow(lines, index + 1, indent);
  }
  return undefined;
}

function itemsBelow(lines: readonly string[], from: number, indent: number): readonly string[] | undefined {
  const items: string[] = [];
  for (const line of lines.slice(from)) {
    const [, { length: depth } = '', rest = ''] = /^( *)- +(.*)$/.exec(line) ?? [];
    const item = depth === undefined || depth < indent ? undefined : plainValue(rest);
    if (typeof item !== 'string') break;
    items.push(item);
  }
  return items.length > 0 ? items : undefined;
}

function readToml(source: string, path: string): string | readonly string[] | undefined {
  let table = '';
  for (const line of source.split(/\r?\n/)) {
    const heading = /^\s{0,20}\[([\w.-]+)\]/.exec(line);
    if (heading) table = `${heading[1]}.`;
    const match = /^\s{0,20}([\w.-]+)\s{0,20}=\s{0,20}(.*)$/.exec(line);
    if (match && `${table}${match[1]}` === path) return plainValue(match[2] ?? '');
  }
  return undefined;
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
