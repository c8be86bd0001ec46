import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import type { ImageStart } from '../protocol/imageEditor.ts';
import { CropStage } from './CropStage.tsx';
import { EditForm } from './EditForm.tsx';
import type { EditState } from './editState.ts';
import { startOf } from './editState.ts';
import { keepState, keptState } from './host.ts';

/** The image with its crop area, and the form for the result. */
export function ImageEditor({ start }: { readonly start: ImageStart }) {
  const [state, setState] = useState<EditState>();
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    if (state) keepState(state);
  }, [state]);
  const begin = (width: number, height: number): void => {
    const kept = keptState();
    const isSame = kept?.source.width === width && kept.source.height === height;
    setState(isSame ? kept : startOf({ width, height }, start.format));
  };
  const edit = (change: (state: EditState) => EditState): void => setState((now) => now && change(now));
  return (
    <div class="image-editor">
      <div class="stage-area">
        <div class="stage">
          <img
            src={start.source}
            alt={start.name}
            draggable={false}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => begin(naturalWidth, naturalHeight)}
            onError={() => setBroken(true)}
          />
          {state && <CropStage state={state} edit={edit} />}
        </div>
        {isBroken && <p role="alert">{l10n.t('This image could not be displayed. The file may be damaged.')}</p>}
      </div>
      {state && <EditForm start={start} state={state} edit={edit} />}
    </div>
  );
}
