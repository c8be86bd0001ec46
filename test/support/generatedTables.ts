// The rows of the tables in docs/ that follow from the code.
import { type AgentTool, agentTools } from '../../src/agents/tools.ts';
import { commandOf, settingId } from '../../src/contributions.ts';
import { entryFields } from '../../src/manifest/entryFields.ts';
import { spokenField } from '../../src/operations/fields.ts';
import { isMultipart, type OperationId, operationIds, operations } from '../../src/operations/operations.ts';

/** Inputs of all tools that cost money, which the text below their table explains. */
const commonNames = ['file_name', 'folder', 'alt_text', 'purpose', 'request_id', 'wait_seconds', 'include_preview'];

/** The rows of each table, by the file and the heading row that it has there. */
const tables: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'docs/commands.md': { '| Command | Argument | Path |': operationIds.map(commandRow) },
  'docs/manifest.md': { '| Operation | Required | Optional |': operationIds.map(entryRow) },
  'docs/agents.md': {
    '| Tool | Its own fields |': agentTools.filter(({ free }) => !free).map(paidRow),
    '| Tool | Its fields | What it does |': agentTools.filter(({ free }) => free).map(freeRow),
  },
};

export const documentsWithTables = Object.keys(tables);

/**
 * Returns a document of `docs/` with its generated rows. Below them, rows that begin without code stay as they are.
 *
 * @throws Error if a table is missing
 */
export function withTables(name: string, text: string): string {
  return Object.entries(tables[name] ?? {}).reduce((changed, [heading, rows]) => {
    const [before, after] = changed.split(`${heading}\n`);
    const [, separator = '', rest = ''] = /^(\|[-| ]+\|\n)(?:\| `.*\n)*([\s\S]*)$/.exec(after ?? '') ?? [];
    if (separator === '') throw new Error(`${name} has no table "${heading}".`);
    return `${before}${heading}\n${separator}${rows.join('\n')}\n${rest}`;
  }, text);
}

function commandRow(id: OperationId): string {
  const operation = operations[id];
  const names = operation.fields.map(({ name }) => name);
  const many = names.map((name) => (name === 'file' ? 'files' : name));
  // The specification does not define the paths of transcription; they are settings.
  const pathSettings: Readonly<Partial<Record<OperationId, string>>> = {
    transcribe: settingId('transcriptionPath'),
    translate: settingId('translationPath'),
  };
  const several = isMultipart(operation) ? `, or \`{${many.join(', ')}}\` for several recordings` : '';
  return row(
    code(commandOf(id)),
    `${code(`{${names.join(', ')}}`)}${several}`,
    code(pathSettings[id] ?? operation.path),
  );
}

function entryRow(id: OperationId): string {
  const fields = entryFields(id);
  // Instead of the text that is spoken, an entry may name a document.
  const spoken = spokenField(operations[id].fields) ? ['input', 'document'] : [];
  const required = fields.filter((field) => field.isRequired && !spoken.includes(field.name)).map(({ name }) => name);
  const optional = fields.filter((field) => !field.isRequired && !spoken.includes(field.name)).map(({ name }) => name);
  const either = spoken.length > 0 ? [spoken.map(code).join(' or ')] : [];
  return row(code(id), [...either, ...required.map(code)].join(', '), optional.map(code).join(', '));
}

function paidRow(tool: AgentTool): string {
  return row(code(tool.referenceName), inputs(tool, commonNames));
}

function freeRow(tool: AgentTool): string {
  return row(code(tool.referenceName), inputs(tool) || 'none', tool.userDescription);
}

function inputs({ inputSchema }: AgentTool, except: readonly string[] = []): string {
  return Object.entries(inputSchema.properties)
    .filter(([name]) => !except.includes(name))
    .map(([name, schema]) => {
      const isBounded = schema.type === 'integer' && schema.maximum !== undefined;
      return isBounded ? `${code(name)} (${schema.minimum} to ${schema.maximum})` : code(name);
    })
    .join(', ');
}

function code(text: string): string {
  return `\`${text}\``;
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
