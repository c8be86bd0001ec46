// The table of settings in the README, made from package.json. `npm run generate` writes it there.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Setting {
  readonly default?: unknown;
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly order?: number;
}

interface Group {
  readonly title: string;
  readonly order: number;
  readonly properties: Readonly<Record<string, Setting>>;
}

const root = join(import.meta.dirname, '../..');
const readme = join(root, 'README.md');
const [start, end] = ['<!-- settings: start -->', '<!-- settings: end -->'];

/** All settings as Markdown: one table for each group of the settings editor, in its order. */
export function settingsTable(): string {
  const { contributes } = readJson('package.json') as {
    readonly contributes: { readonly configuration: readonly Group[] };
  };
  const texts = readJson('package.nls.json') as Readonly<Record<string, string>>;
  const resolve = (text = ''): string => text.replace(/^%(.+)%$/, (_, key: string) => texts[key] ?? `%${key}%`);
  const groups = contributes.configuration.toSorted((a, b) => a.order - b.order);
  return groups
    .map(({ title, properties }) => {
      const settings = Object.entries(properties).toSorted(([, a], [, b]) => (a.order ?? 0) - (b.order ?? 0));
      const rows = settings.map(([name, setting]) => {
        const cells = [code(name.replace('unifiedMedia.', '')), code(setting.default), describe(setting, resolve)];
        return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
      });
      return [`**${resolve(title)}**`, '', '| Setting | Default | Meaning |', '| --- | --- | --- |', ...rows].join(
        '\n',
      );
    })
    .join('\n\n');
}

/** The part of the README that {@link settingsTable} must be equal to. */
export function settingsInReadme(text = readFileSync(readme, 'utf8')): string {
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md must contain ${start} and then ${end}.`);
  return text.slice(from + start.length, to).trim();
}

function describe(setting: Setting, resolve: (text?: string) => string): string {
  const meaning = resolve(setting.markdownDescription ?? setting.description);
  const values = (setting.enumDescriptions ?? []).map((text, index) => {
    return `${code(setting.enum?.[index])}: ${resolve(text).replace(/\.$/, '')}`;
  });
  return values.length === 0 ? meaning : `${meaning} ${values.join('; ')}.`;
}

/** A value as JSON, strings as they are. Empty strings and objects are an empty cell. */
function code(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value).replace(/[:,]/g, '$& ');
  return text === '' || text === '{}' ? '' : `\`${text}\``;
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(root, name), 'utf8'));
}

if (import.meta.main) {
  const text = readFileSync(readme, 'utf8');
  const [before, after] = [text.slice(0, text.indexOf(start) + start.length), text.slice(text.indexOf(end))];
  settingsInReadme(text);
  writeFileSync(readme, `${before}\n\n${settingsTable()}\n\n${after}`);
}
