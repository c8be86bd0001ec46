import * as l10n from '@vscode/l10n';
import type { Saved, ServiceSetup } from './ServiceSetup.ts';

/** What was connected. */
export interface Connected {
  readonly saved: Saved;
  /** False where the person went on without an answer. */
  readonly isTried: boolean;
}

/** Says which service is used now, and what is known of it. */
export function describeConnection(setup: ServiceSetup, { saved, isTried }: Connected): string {
  const chosen = setup.operations.filter((id) => setup.models(id).chosen.length > 0).length;
  return [
    l10n.t('Media now come from {0}.', saved.origins.join(', ')),
    saved.keyIsStored
      ? l10n.t('Its key is set.')
      : l10n.t('The editor cannot keep secrets here: the key lasts until this window is closed.'),
    describeTrial(isTried, setup.listedModels),
    chosen > 0 ? l10n.t('Models are chosen for {0} of {1} operations.', chosen, setup.operations.length) : '',
  ]
    .filter(Boolean)
    .join(' ');
}

function describeTrial(isTried: boolean, found: number): string {
  if (!isTried) return l10n.t('It was not tried: the first result will show whether it works.');
  return found > 0
    ? l10n.t('Models in its list: {0}.', found)
    : l10n.t('It answers, but lists no models: the first result will show whether it takes the key.');
}
