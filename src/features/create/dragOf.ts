import type { Uri } from 'vscode';
import { mimeTypes } from '../../contributions.ts';
import { shortened } from './jobCards.ts';

/**
 * Returns what a drag of a file carries: our own data, from which the extension makes the reference, and for everything
 * else in the window the address of the file.
 *
 * @param source webview URI of the file
 */
export function dragOf(uri: Uri, source: string, title: string | undefined): Readonly<Record<string, string>> {
  const address = addressInWindow(source) ?? uri.toString();
  return {
    'text/uri-list': address,
    'application/vnd.code.uri-list': address,
    [mimeTypes.assets]: JSON.stringify({
      uris: [uri.toString()],
      ...(title === undefined ? {} : { title: shortened(title) }),
    }),
  };
}

/**
 * Returns the address by which the window knows a file. The extension calls a file of its own computer `file:`, also
 * where the window runs on another one. Only webview URIs name that computer: in their host, as scheme, `+` and the
 * encoded authority.
 */
export function addressInWindow(source: string): string | undefined {
  const { hostname = '', pathname = '' } = URL.parse(source) ?? {};
  const [, scheme, authority = ''] = /^([a-z-]+)\+([a-z0-9-]*)\./.exec(hostname) ?? [];
  if (scheme === undefined) return undefined;
  const decoded = authority.replace(/-([0-9a-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return `${scheme}://${decoded}${pathname}`;
}
