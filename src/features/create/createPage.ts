import * as vscode from 'vscode';

/** The document of the Create view. It holds nothing from outside: all of that comes in messages. */
export function createPage(webview: vscode.Webview, extensionUri: vscode.Uri): string {
  const nonce = crypto.randomUUID();
  const at = (...path: string[]) =>
    attribute(webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, ...path)).toString());
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
<link rel="stylesheet" href="${at('media', 'create.css')}">
</head>
<body>
<main id="create" data-translations="${attribute(JSON.stringify(vscode.l10n.bundle ?? {}))}"></main>
<script type="module" nonce="${nonce}" src="${at('dist', 'webview', 'main.js')}"></script>
</body>
</html>`;
}

function attribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}
