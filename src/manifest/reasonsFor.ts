import * as l10n from '@vscode/l10n';
import type { Origin } from './describeRequest.ts';
import type { LockLine } from './Lock.ts';

interface Circumstances {
  readonly sandbox: boolean;
  /** Inputs that are made anew. */
  readonly pending: readonly string[];
}

/** Why an asset is not what its entry would make; none when it is. */
export function reasonsFor(
  line: LockLine,
  { origin, local }: { readonly origin: Origin; readonly local: string | undefined },
  { sandbox, pending }: Circumstances,
): readonly string[] {
  const isAlien = line.sandbox === true && !sandbox;
  const isSame = line.request === origin.request && line.local === local && pending.length === 0;
  if (isSame && !isAlien) return [];
  const reasons = namesThatDiffer(line.inputs ?? {}, origin.inputs, pending).map(wordsFor);
  const changing = pending.map((path) => l10n.t('input {0} is made anew', path));
  const alien = isAlien ? [l10n.t('the sandbox made it')] : [];
  const all = [...reasons, ...changing, ...alien];
  return all.length > 0 ? all : [l10n.t('the entry changed')];
}

function namesThatDiffer(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
  pending: readonly string[],
): readonly string[] {
  const names = new Set([...Object.keys(now), ...Object.keys(before)]);
  return [...names].filter((name) => before[name] !== now[name] && !pending.includes(name.slice(2)));
}

function wordsFor(name: string): string {
  return name.startsWith('./') ? l10n.t('input {0} changed', name.slice(2)) : l10n.t('{0} changed', name);
}
