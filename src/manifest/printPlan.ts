import * as l10n from '@vscode/l10n';
import { annotation, escapeMarkdownCell, markdownCode, type Printable } from '../foreign/escape.ts';
import { plainLine, shortLine } from '../foreign/plainText.ts';
import { differsSentence } from '../library/differences.ts';
import { describeAmount, describeAmountIn } from '../operations/amounts.ts';
import { type OperationId, operations } from '../operations/operations.ts';
import { describeCost } from '../operations/prices.ts';
import type { EntryReport } from './applyAssets.ts';
import type { Evaluated } from './Evaluation.ts';
import type { Entry } from './Manifest.ts';
import type { Plan, PlanEntry } from './plan.ts';
import type { Pruned } from './pruneAssets.ts';

/**
 * Describes what would be sent in one line, and what it costs: `4 requests, 3 images, about 0.12 $`.
 *
 * @param language that numbers are written in; that of the system if absent
 */
export function describeTotal({ requests, cost, ...amounts }: Omit<Plan, 'entries'>, language?: string): string {
  const sent = Object.values(requests).reduce((total, count) => total + count, 0);
  if (sent === 0) return l10n.t('Nothing to send.');
  const counts = (['images', 'videos', 'characters', 'minutes'] as const).filter((name) => amounts[name] > 0);
  return [
    describeAmount('requests', sent, language),
    ...counts.map((name) => describeAmountIn(amounts, name, language)),
    ...(cost ? [describeCost(cost.amount, cost, language, amounts.minutesAtMost)] : []),
  ].join(', ');
}

/** Returns what is wrong with an asset that is up to date, as sentences. */
function warningsOf({ state, differs, goneModel, renamedFrom }: PlanEntry): readonly string[] {
  return [
    ...(state === 'fresh' && renamedFrom !== undefined
      ? [l10n.t('Renamed from {0}; apply writes the lock anew.', renamedFrom)]
      : []),
    ...(differs ? [differsSentence(differs)] : []),
    ...(goneModel === undefined
      ? []
      : [l10n.t('The service no longer has the model “{0}”, so it cannot be made again.', goneModel)]),
  ];
}

/** Formats a plan as text: one line per entry that is not fresh and per warning, and what would be sent. */
export function planText(plan: Plan, evaluated: readonly Evaluated[]): string {
  const actions = new Map(evaluated.map(({ entry, action }) => [entry.path, action]));
  const lines = plan.entries
    .filter(({ state }) => state !== 'fresh')
    .map((entry) => lineOf(entry, actions.get(entry.path)));
  const fresh = plan.entries.length - lines.length;
  const warnings = plan.entries.flatMap((entry) =>
    warningsOf(entry).map((sentence) => `warning  ${plainLine(entry.path)}  ${plainLine(sentence)}`),
  );
  return [
    ...lines,
    ...warnings,
    l10n.t('{0} of {1} assets are fresh.', fresh, plan.entries.length),
    ...samplesIn(evaluated),
    describeTotal(plan),
  ].join('\n');
}

/** Says how many assets are fresh only in the sandbox; nothing if there are none. */
export function samplesIn(evaluated: readonly Pick<Evaluated, 'state' | 'line'>[]): readonly string[] {
  const { length } = evaluated.filter(({ state, line }) => state === 'fresh' && line?.sandbox);
  if (length === 0) return [];
  return length === 1
    ? [l10n.t('1 is a sample of the sandbox: without the sandbox, check refuses it.')]
    : [l10n.t('{0} are samples of the sandbox: without the sandbox, check refuses them.', length)];
}

function lineOf(entry: PlanEntry, action: Evaluated['action'] | undefined): string {
  const { path, state, requests } = entry;
  const effort =
    requests > 0 ? describeAmount('requests', requests) : action === 'local' ? l10n.t('without a request') : undefined;
  const facts = [...reasonsOf(entry), effort, ...sendsOf(entry)].filter((fact) => fact !== undefined).join(' · ');
  return `${state.padEnd(8)} ${plainLine(path)}${facts === '' ? '' : `  ${plainLine(facts)}`}`;
}

function reasonsOf({ state, reasons }: PlanEntry): readonly string[] {
  switch (state) {
    case 'changed':
      return [l10n.t('changed by hand: “accept” keeps it'), ...reasons];
    case 'unlocked':
      return [l10n.t('not in the lock: “accept” keeps it'), ...reasons];
    case 'orphan':
      return [l10n.t('no longer in the manifest: “prune” removes it')];
    default:
      return reasons;
  }
}

/** How many characters of a further value are shown. */
const maxShown = 100;

/** Names each file and further field that is sent for an entry. */
function sendsOf({ sends = [] }: PlanEntry): readonly string[] {
  const named = sends.map((one) => {
    if ('file' in one) return `${one.field}: ${one.file}`;
    const value = typeof one.value === 'string' ? one.value : JSON.stringify(one.value);
    return `${one.field}: ${shortLine(value, maxShown)}`;
  });
  return named.length > 0 ? [l10n.t('sends {0}', named.join(', '))] : [];
}

/** Formats a plan as Markdown for a pull request. */
export function planMarkdown(plan: Plan): string {
  const rows = plan.entries.filter((entry) => entry.state !== 'fresh' || warningsOf(entry).length > 0);
  const title = `### ${l10n.t('Media')}`;
  if (rows.length === 0) return `${title}\n\n${l10n.t('All assets are fresh.')}\n`;
  const head = `| ${[l10n.t('State'), l10n.t('Asset'), l10n.t('Why'), l10n.t('Requests')].join(' | ')} |`;
  const table = rows.map((entry) =>
    [
      '',
      entry.state,
      markdownCode(plainLine(entry.path)).replaceAll('|', '\\|'),
      escapeMarkdownCell(plainLine([...reasonsOf(entry), ...sendsOf(entry), ...warningsOf(entry)].join('; '))),
      String(entry.requests),
      '',
    ]
      .join(' | ')
      .trim(),
  );
  const counts = Object.entries(plan.requests).map(([id, count]) => `${count} × ${titleOf(id)}`);
  const total = [describeTotal(plan), ...(counts.length > 0 ? [`(${counts.join(', ')})`] : [])].join(' ');
  return [title, '', head, '| --- | --- | --- | ---: |', ...table, '', total, ''].join('\n');
}

function titleOf(id: string): string {
  const operation = operations[id as OperationId];
  return l10n.t(operation.title);
}

/** Formats entries that are not fresh, and warnings, as GitHub annotations. @param file path of the manifest in the repository */
export function planAnnotations(plan: Plan, evaluated: readonly Evaluated[], file: string): readonly Printable[] {
  return plan.entries.flatMap((entry) => {
    const line = evaluated.find((one) => one.entry.path === entry.path)?.entry.line ?? 1;
    const state = [`${entry.path}: ${entry.state}`, ...reasonsOf(entry)].join(' · ');
    return [
      ...(entry.state === 'fresh' ? [] : [annotation('error', file, line, state)]),
      ...warningsOf(entry).map((sentence) => annotation('warning', file, line, `${entry.path}: ${sentence}`)),
    ];
  });
}

/** Formats the generated assets without a mark of origin as text: one line each. */
export function unmarkedText(unmarked: readonly Entry[]): string {
  const lines = unmarked.map(({ path }) => `${'unmarked'.padEnd(8)} ${plainLine(path)}  ${unmarkedReason()}`);
  return [...lines, unmarkedTotal(unmarked)].join('\n');
}

function unmarkedTotal({ length }: readonly Entry[]): string {
  if (length === 0) return l10n.t('All generated assets have a mark of origin.');
  return length === 1
    ? l10n.t('1 generated asset has no mark of origin.')
    : l10n.t('{0} generated assets have no mark of origin.', length);
}

function unmarkedReason(): string {
  return l10n.t('generated, but the file does not say so');
}

/** Formats the generated assets without a mark of origin as Markdown. */
export function unmarkedMarkdown(unmarked: readonly Entry[]): string {
  const rows = unmarked.map(({ path }) => `- ${markdownCode(plainLine(path))}`);
  return [unmarkedTotal(unmarked), ...(rows.length > 0 ? ['', ...rows] : []), ''].join('\n');
}

/** Formats the generated assets without a mark of origin as GitHub warnings. @param file as {@link planAnnotations} */
export function unmarkedAnnotations(unmarked: readonly Entry[], file: string): readonly Printable[] {
  return unmarked.map(({ path, line }) => annotation('warning', file, line, `${path}: ${unmarkedReason()}`));
}

export function reportText({ path, outcome, sentence }: EntryReport): string {
  return `${outcome.padEnd(8)} ${plainLine(path)}  ${plainLine(sentence)}`;
}

/** Says what happens to an orphan. */
export function prunedText(pruned: Pruned, removes: boolean): string {
  return `${plainLine(pruned.path)}  ${plainLine(fateOf(pruned, removes))}`;
}

function fateOf({ state, reason = '' }: Pruned, removes: boolean): string {
  switch (state) {
    case 'untouched':
      return removes ? l10n.t('removed') : l10n.t('would be removed');
    case 'changed':
      return l10n.t('changed by hand: only its line in the lock is removed, not the file');
    case 'missing':
      return l10n.t('file does not exist: only its line in the lock is removed');
    case 'accepted':
      return l10n.t('accepted by a person: only its line in the lock is removed, not the file');
    case 'shared':
      return l10n.t('{0} names it, too: only its line in this lock is removed, not the file', reason);
    case 'notMade':
      return l10n.t('not made by an entry: only its line in the lock is removed, not the file');
    case 'unsafe':
      return l10n.t('kept, only its line in the lock is removed: {0}', reason);
    case 'failed':
      return l10n.t('left as it is: {0}', reason);
    case 'unknown': {
      const fate = removes
        ? l10n.t('a request for an earlier version of the entry may have been billed; it is forgotten')
        : l10n.t('a request for an earlier version of the entry may have been billed; it would be forgotten');
      return reason === '' ? fate : `${fate}. ${l10n.t('What the service sent is kept in {0}.', reason)}`;
    }
  }
}
