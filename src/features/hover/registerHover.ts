import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { mediaExtensions } from '../../documents/MediaReference.ts';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import { lazy } from '../../editor/lazy.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';

/** What a line must hold to be looked at: the extension of a picture, sound or video. */
const mediaName = new RegExp(`\\.(?:${mediaExtensions.join('|')})\\b`, 'i');

/** Tells, where the mouse rests on a reference to a generated file, how that was made. */
export function registerHover(
  settings: Settings,
  places: WorkspacePlaces,
  projects: () => Promise<DocumentPlaces>,
): vscode.Disposable {
  const load = lazy(async () => {
    const [{ ReferenceHover }, documentPlaces] = await Promise.all([import('./ReferenceHover.ts'), projects()]);
    return new ReferenceHover(documentPlaces, places);
  });
  const provider: vscode.HoverProvider = {
    provideHover: async (document, position, token) => {
      // Most of what the mouse rests on costs no more than this.
      if (!settings.showsHover || !mediaName.test(document.lineAt(position.line).text)) return undefined;
      const hover = await load();
      return token.isCancellationRequested ? undefined : hover.at(document, position);
    },
  };
  return vscode.Disposable.from(
    vscode.languages.registerHoverProvider('*', provider),
    vscode.commands.registerCommand(commandIds.repeatAsset, async (argument?: unknown) =>
      (await import('./repeatAsset.ts')).repeatAsset(argument),
    ),
    load,
  );
}
