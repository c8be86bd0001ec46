import * as l10n from '@vscode/l10n';
import type { Item } from '../protocol/messages.ts';

/** A result as large as there is room. */
export function LargeMedia({ item }: { readonly item: Item }) {
  const { kind, source, name, words, text, isMissing, isSilent } = item;
  if (source === undefined) {
    return (
      <p class="empty">
        {isMissing
          ? l10n.t('The file is not there any more.')
          : l10n.t('This video was added by its ID: there is no file.')}
      </p>
    );
  }
  switch (kind) {
    case 'images':
      return (
        <div class="large">
          <img key={source} src={source} alt={words ?? name} />
        </div>
      );
    case 'videos':
      return (
        <>
          <div class="large">
            {/* biome-ignore lint/a11y/useMediaCaption: the service makes none */}
            <video key={source} src={source} controls preload="metadata" aria-label={name} />
          </div>
          {isSilent && <p class="hint">{l10n.t('VS Code plays this video without its sound, which is AAC.')}</p>}
        </>
      );
    case 'speech':
      // biome-ignore lint/a11y/useMediaCaption: its words are the text that was spoken
      return <audio key={source} src={source} controls preload="metadata" aria-label={name} />;
    case 'transcripts':
      return (
        <p class="whole-prompt" dir="auto">
          {text}
        </p>
      );
  }
}
