import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import type { ImageStart } from '../protocol/imageEditor.ts';
import type { EditState } from './editState.ts';
import { changeOf } from './editState.ts';
import { request } from './host.ts';

/** How long after the last change the size of the result is computed, in milliseconds. */
const measureDelay = 400;

/** The state of the last save, as a sentence; a screen reader reads `failed` at once. */
interface Outcome {
  readonly kind: 'saving' | 'saved' | 'failed';
  readonly sentence: string;
}

/** Shows the size of the result, and saves it. */
export function SaveArea({ start, state }: { readonly start: ImageStart; readonly state: EditState }) {
  const measured = useMeasured(state);
  const [outcome, setOutcome] = useState<Outcome>();
  const isSaving = outcome?.kind === 'saving';
  const run = (work: () => Promise<string>): void => {
    if (isSaving) return;
    setOutcome({ kind: 'saving', sentence: l10n.t('Saving…') });
    work().then(
      (sentence) => setOutcome({ kind: 'saved', sentence }),
      (error: unknown) => setOutcome({ kind: 'failed', sentence: error instanceof Error ? error.message : '' }),
    );
  };
  const save = async (): Promise<string> => {
    const { name, bytes } = await request('save', { change: changeOf(state) });
    return l10n.t('Saved {0} ({1}).', name, sizeOf(bytes));
  };
  const saveFavicons = async (): Promise<string> => {
    const { names } = await request('saveFavicons', { crop: state.crop });
    return l10n.t('Saved {0}.', names);
  };
  return (
    <section class="save-area" aria-label={l10n.t('Result')}>
      <dl>
        <dt>{l10n.t('Result')}</dt>
        <dd>{l10n.t('{0} × {1} pixels', state.width, state.height)}</dd>
        <dd class="measured">{measured}</dd>
        <dt>{l10n.t('Original')}</dt>
        <dd>{l10n.t('{0} × {1} pixels', state.source.width, state.source.height)}</dd>
        <dd>{sizeOf(start.bytes)}</dd>
      </dl>
      <div class="actions">
        <button type="button" class="primary" aria-disabled={isSaving} onClick={() => run(save)}>
          {l10n.t('Save as New File')}
        </button>
        <button type="button" aria-disabled={isSaving} onClick={() => run(saveFavicons)}>
          {l10n.t('Save Favicon Set')}
        </button>
      </div>
      <p role="status">{outcome && outcome.kind !== 'failed' ? outcome.sentence : ''}</p>
      <p role="alert">{outcome?.kind === 'failed' ? outcome.sentence : ''}</p>
      {outcome?.kind === 'saved' && (
        <div class="actions">
          <button type="button" onClick={() => void request('open', {}).catch(() => undefined)}>
            {l10n.t('Open')}
          </button>
        </div>
      )}
    </section>
  );
}

/** Returns the size of the resulting file, computed once the user pauses, or the reason why there is none. */
function useMeasured(state: EditState): string {
  const [measured, setMeasured] = useState('');
  const change = JSON.stringify(changeOf(state));
  useEffect(() => {
    let isCurrent = true;
    setMeasured(l10n.t('calculating…'));
    const timer = setTimeout(() => {
      request('measure', { change: changeOf(state) }).then(
        ({ bytes }) => isCurrent && setMeasured(sizeOf(bytes)),
        (error: unknown) => isCurrent && setMeasured(error instanceof Error ? error.message : ''),
      );
    }, measureDelay);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [change]);
  return measured;
}

function sizeOf(bytes: number): string {
  const format = (value: number) => value.toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 });
  return bytes < 1_000_000 ? `${format(bytes / 1000)} kB` : `${format(bytes / 1_000_000)} MB`;
}
