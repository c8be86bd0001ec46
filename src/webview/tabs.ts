import * as l10n from '@vscode/l10n';
import type { OperationId } from '../operations/operations.ts';

export interface Tab {
  readonly id: OperationId;
  readonly name: string;
  /** What the button that sends it says. */
  readonly submit: string;
}

export function allTabs(): readonly Tab[] {
  const generate = l10n.t('Generate');
  return [
    { id: 'generateImage', name: l10n.t('Image'), submit: generate },
    { id: 'editImage', name: l10n.t('Edit Image'), submit: generate },
    { id: 'speak', name: l10n.t('Speech'), submit: generate },
    { id: 'transcribe', name: l10n.t('Transcribe'), submit: l10n.t('Transcribe') },
    { id: 'translate', name: l10n.t('Translate'), submit: l10n.t('Translate') },
    { id: 'generateVideo', name: l10n.t('Video'), submit: generate },
    { id: 'animateImage', name: l10n.t('Animate Image'), submit: generate },
    { id: 'remixVideo', name: l10n.t('Remix'), submit: l10n.t('Remix') },
  ];
}
