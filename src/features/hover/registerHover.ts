import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { mediaExtensions } from '../../documents/MediaReference.ts';
import { register } from '../../editor/commands.ts';
import { lazy } from '../../editor/lazy.ts';
import type { Window } from '../../editor/Window.ts';

/** Matches lines worth a look: those with the extension of an image, sound or video, or a picture of LaTeX without one. */
const mediaName = new RegExp(`\\.(?:${mediaExtensions.join('|')})\\b|\\\\include`, 'i');

/** Shows on hover over a reference to a generated file how the file was made. */
export function registerHover(
  dependencies: Pick<Window, 'settings' | 'places' | 'log' | 'runs' | 'projects'>,
): vscode.Disposable {
  const { settings, places, projects } = dependencies;
  const load = lazy(async () => {
    const [{ ReferenceHover }, documentPlaces] = await Promise.all([import('./ReferenceHover.ts'), projects()]);
    return new ReferenceHover(documentPlaces, places);
  });
  const provider: vscode.HoverProvider = {
    provideHover: async (document, position, token) => {
      // Most hovers end here, so this check must stay cheap.
      if (!settings.get('hover') || !mediaName.test(document.lineAt(position.line).text)) return undefined;
      const hover = await load();
      return token.isCancellationRequested ? undefined : hover.at(document, position);
    },
  };
  return vscode.Disposable.from(
    vscode.languages.registerHoverProvider('*', provider),
    register(() => import('./ReferenceHover.ts'), {
      [commandIds.repeatAsset]: ({ repeatAsset }, argument) => repeatAsset(argument, dependencies),
    }),
    load,
  );
}
