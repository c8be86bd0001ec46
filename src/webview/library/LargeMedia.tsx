import * as l10n from '@vscode/l10n';
import type { Item } from '../protocol/messages.ts';

/** The media of a result at full size. */
export function LargeMedia({ item }: { readonly item: Item }) {
  const { kind, source, name, words, text, isMissing, isSilent } = item;
  if (source === undefined) {
    return (
      <p class="empty">
        {isMissing ? l10n.t('The file no longer exists.') : l10n.t('This video was added by its ID and has no file.')}
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
            {/* biome-ignore lint/a11y/useMediaCaption: the service generates no captions */}
            <video key={source} src={source} controls preload="metadata" aria-label={name} />
          </div>
          {isSilent && <p class="hint">{l10n.t('VS Code cannot play the AAC sound of this video.')}</p>}
        </>
      );
    case 'speech':
      // biome-ignore lint/a11y/useMediaCaption: the caption would be the text that was spoken
      return <audio key={source} src={source} controls preload="metadata" aria-label={name} />;
    case 'transcripts':
      return (
        <p class="whole-prompt" dir="auto">
          {text}
        </p>
      );
  }
}
