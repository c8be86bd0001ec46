import * as vscode from 'vscode';

/** A page that the build makes from `src/webview`. */
export interface PageFile {
  /** Base name of its script and its style sheet. */
  readonly name: 'main' | 'imageEditor';
  /** The id of the element that the page renders into. */
  readonly id: string;
  readonly title: string;
}

/** Returns the folder of the pages, which webviews must be allowed to load. */
export function pageFolder(extensionUri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
}

/**
 * Returns the HTML of a webview. Outside data goes into attributes and messages, never into markup.
 *
 * @param start the page's initial data, passed as JSON
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
    // default-src does not cover these two.
    `base-uri 'none'`,
    `form-action 'none'`,
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
