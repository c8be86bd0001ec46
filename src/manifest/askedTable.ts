import * as l10n from '@vscode/l10n';
import { plainLine, shortLine } from '../foreign/plainText.ts';
import type { AskedEntry } from './applyAssets.ts';
import { type Sent, sentWith } from './describeRequest.ts';
import type { Evaluated } from './Evaluation.ts';
import { requestsByOperation, totalOf } from './plan.ts';
import { describeTotal } from './printPlan.ts';

/** More lines would make a dialog that does not fit on the screen. */
const maxLines = 10;
/** Maximum number of characters of a path and of a reason. */
const maxShown = 60;

/**
 * Describes what apply asks about in at most ten lines: file, why, requests and amounts, and the files and further fields
 * that are sent, of several their number.
 *
 * @param language that numbers are written in; that of the system if absent
 */
export function askedTable(asked: readonly AskedEntry[], language?: string): readonly string[] {
  const shown = asked.slice(0, asked.length > maxLines ? maxLines - 1 : maxLines).map(({ found }) => found);
  const rest = asked.slice(shown.length).map(({ found }) => found);
  const lines = shown.map((found) =>
    line(endOf(found.entry.path), shortLine(reasonFor(found), maxShown), amountsOf([found], language), sendsOf(found)),
  );
  if (rest.length === 0) return lines;
  const sent = rest.flatMap(sentFor);
  return [...lines, line(l10n.t('and {0} more', rest.length), amountsOf(rest, language), countOf(sent))];
}

function line(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(' · ');
}

/** Returns a path, of a long one its end, which tells files apart. */
function endOf(path: string): string {
  const characters = [...plainLine(path)];
  return characters.length > maxShown ? `…${characters.slice(1 - maxShown).join('')}` : characters.join('');
}

function reasonFor({ state, reasons, line: locked }: Evaluated): string {
  if (state !== 'missing') return reasons.join(', ');
  return [locked ? l10n.t('missing') : l10n.t('new'), ...reasons].join(', ');
}

function amountsOf(all: readonly Evaluated[], language: string | undefined): string {
  const { requests: _, ...amounts } = totalOf(all);
  return describeTotal({ requests: requestsByOperation(all), ...amounts }, language);
}

function sentFor({ entry, model = '' }: Evaluated): readonly Sent[] {
  return entry.type === 'request' ? sentWith(entry, model) : [];
}

function sendsOf(found: Evaluated): string | undefined {
  const sent = sentFor(found);
  const [only, ...others] = sent;
  if (!only || others.length > 0) return countOf(sent);
  return l10n.t('sends {0}', 'file' in only ? endOf(only.file) : only.field);
}

function countOf(sent: readonly Sent[]): string | undefined {
  const files = sent.filter((one) => 'file' in one).length;
  const fields = sent.length - files;
  const counts = [
    ...(files > 0 ? [files === 1 ? l10n.t('1 file') : l10n.t('{0} files', files)] : []),
    ...(fields > 0 ? [fields === 1 ? l10n.t('1 further field') : l10n.t('{0} further fields', fields)] : []),
  ];
  return counts.length > 0 ? l10n.t('sends {0}', counts.join(', ')) : undefined;
}
