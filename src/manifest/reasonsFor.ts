import * as l10n from '@vscode/l10n';
import type { Origin } from './describeRequest.ts';
import type { LockLine } from './Lock.ts';

interface Circumstances {
  readonly sandbox: boolean;
  /** Inputs that will be made first. */
  readonly pending: readonly string[];
}

/** Returns why an asset is stale; none if it is fresh. */
export function reasonsFor(
  line: LockLine,
  { origin, local }: { readonly origin: Origin; readonly local: string | undefined },
  { sandbox, pending }: Circumstances,
): readonly string[] {
  const isFromSandbox = line.sandbox === true && !sandbox;
  const isSame = line.request === origin.request && line.local === local && pending.length === 0;
  if (isSame && !isFromSandbox) return [];
  const reasons = namesThatDiffer(line.inputs ?? {}, origin.inputs, pending).map(reasonFor);
  const changing = pending.map((path) => l10n.t('input {0} will be made again', path));
  const origins = isFromSandbox ? [l10n.t('the sandbox made it')] : [];
  const all = [...reasons, ...changing, ...origins];
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

function reasonFor(name: string): string {
  return name.startsWith('./') ? l10n.t('input {0} changed', name.slice(2)) : l10n.t('{0} changed', name);
}
