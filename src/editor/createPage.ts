import * as vscode from 'vscode';

/** One of the pages that the build makes of `src/webview`. */
export interface PageFile {
  /** Of its script and its style, without extension. */
  readonly name: 'main' | 'imageEditor';
  /** Of the element that it draws in. */
  readonly id: string;
  readonly title: string;
}

/** The folder of the pages themselves, which a webview must be allowed to load. */
export function pageFolder(extensionUri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
}

/**
 * The document of a webview. What comes from outside is in an attribute or in messages, never in the markup.
 *
 * @param start what the page starts with, as JSON
 */
export function createPage(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  { name: file, id, title }: PageFile,
  start: unknown,
): string {
  const nonce = crypto.randomUUID();
  const at = (name: string) =>
    attribute(webview.asWebviewUri(vscode.Uri.joinPath(pageFolder(extensionUri), name)).toString());
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
<title>${attribute(title)}</title>
<link rel="stylesheet" href="${at(`${file}.css`)}">
<script type="module" nonce="${nonce}" src="${at(`${file}.js`)}"></script>
</head>
<body>
<main id="${attribute(id)}" data-start="${attribute(JSON.stringify(start))}" data-translations="${attribute(JSON.stringify(vscode.l10n.bundle ?? {}))}"></main>
</body>
</html>`;
}

function attribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}
