import '../styles/imageEditor.css';
import * as l10n from '@vscode/l10n';
import { render } from 'preact';
import { imageStart } from '../protocol/imageEditor.ts';
import { ImageEditor } from './ImageEditorPage.tsx';

const root = document.getElementById('image-editor');
if (root) {
  l10n.config({ contents: root.dataset.translations ?? '{}' });
  const start: unknown = JSON.parse(root.dataset.start ?? 'null');
  if (imageStart(start)) render(<ImageEditor start={start} />, root);
}
