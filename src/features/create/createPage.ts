import * as vscode from 'vscode';
import type { Start } from '../../webview/protocol/messages.ts';

/** The document of the Media views. What comes from outside is in an attribute or in messages, never in the markup. */
export function createPage(webview: vscode.Webview, extensionUri: vscode.Uri, start: Start): string {
  const nonce = crypto.randomUUID();
  const at = (name: string) =>
    attribute(webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'dist', 'webview', name)).toString());
  const source = webview.cspSource;
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${source}`,
    `img-src ${source}`,
    `media-src ${source}`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${attribute(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<title>${attribute(vscode.l10n.t('Create'))}</title>
<link rel="stylesheet" href="${at('main.css')}">
<script type="module" nonce="${nonce}" src="${at('main.js')}"></script>
</head>
<body>
<main id="create" data-start="${attribute(JSON.stringify(start))}" data-translations="${attribute(JSON.stringify(vscode.l10n.bundle ?? {}))}"></main>
</body>
</html>`;
}

function attribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}
