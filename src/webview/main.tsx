// preact (11 kB) draws the views from parts of a snapshot that the host sends when they change, which does not disturb
// a playing sound or the cursor. The view keeps what is typed; the host keeps attached files, because a webview can
// load only files from its resource roots.

import './styles/main.css';
import * as l10n from '@vscode/l10n';
import { render } from 'preact';
import { App } from './App.tsx';
import { start as startShape } from './protocol/messages.ts';

const root = document.getElementById('create');
if (root) {
  l10n.config({ contents: root.dataset.translations ?? '{}' });
  const start: unknown = JSON.parse(root.dataset.start ?? 'null');
  if (startShape(start)) render(<App start={start} />, root);
}
