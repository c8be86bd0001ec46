import * as l10n from '@vscode/l10n';
import { tell } from './host.ts';
import type { Result, ResultAction } from './messages.ts';

/** The newest things that were made, to see, hear and use. */
export function Results({ results }: { readonly results: readonly Result[] | undefined }) {
  return (
    <section aria-labelledby="results">
      <h2 id="results">{l10n.t('Results')}</h2>
      {results?.length === 0 && <p class="status">{l10n.t('What you make appears here.')}</p>}
      <ul>
        {results?.map((result) => (
          <ResultItem key={result.uri} {...result} />
        ))}
      </ul>
    </section>
  );
}

function ResultItem(result: Result) {
  const { uri, name, kind, title, words, model, sandbox, canRemix, isSilent } = result;
  const act = (action: ResultAction) => () => tell({ type: 'result', uri, action });
  const label = `result-${uri}`;
  const button = (text: string, action: ResultAction) => (
    <button type="button" aria-describedby={label} onClick={act(action)}>
      {text}
    </button>
  );
  return (
    <li class="result">
      <Media {...result} />
      {isSilent && (
        <div class="notice">
          <p>{l10n.t('VS Code plays this video without its sound, which is AAC.')}</p>
          {button(l10n.t('Open Externally'), 'openExternally')}
        </div>
      )}
      <p id={label} class="words" dir="auto">
        {words ?? name}
      </p>
      <p class="details">{[title, model, sandbox ? l10n.t('sandbox') : undefined].filter(Boolean).join(', ')}</p>
      <div class="actions">
        {button(l10n.t('Open'), 'open')}
        {button(l10n.t('Insert at Cursor'), 'insert')}
        {kind !== 'transcripts' && button(l10n.t('Reuse Prompt'), 'reuse')}
        {canRemix && button(l10n.t('Remix'), 'remix')}
      </div>
    </li>
  );
}

function Media({ kind, source, name, words, text }: Result) {
  switch (kind) {
    case 'images':
      return <img src={source} alt={words ?? name} loading="lazy" />;
    case 'speech':
      // biome-ignore lint/a11y/useMediaCaption: its words are the text that was spoken
      return <audio controls preload="metadata" src={source} aria-label={name} />;
    case 'videos':
      // biome-ignore lint/a11y/useMediaCaption: the service makes none
      return <video controls preload="metadata" src={source} aria-label={name} />;
    case 'transcripts':
      return (
        <p class="transcript" dir="auto">
          {text}
        </p>
      );
  }
}
