import * as vscode from 'vscode';
import { commandIds, viewIds } from '../../contributions.ts';
import { register } from '../../editor/commands.ts';
import { lazy } from '../../editor/lazy.ts';
import type { Window } from '../../editor/Window.ts';

/** Registers the player in the panel and the commands that play. Everything else loads when one of them is used. */
export function registerPlayer(parts: Pick<Window, 'settings' | 'places' | 'log' | 'context'>): vscode.Disposable {
  const load = lazy(async () => new (await import('./PlayerCommands.ts')).PlayerCommands(parts));
  const transcripts = { pattern: '**/*.{md,txt,srt,vtt}' };
  return vscode.Disposable.from(
    vscode.languages.registerCodeLensProvider(transcripts, {
      onDidChangeCodeLenses: parts.places.onDidChange,
      provideCodeLenses: async (document, token) => (await load()).lenses(document, token),
    }),
    vscode.window.registerWebviewViewProvider(
      viewIds.player,
      { resolveWebviewView: async (view) => (await load()).player.show(view) },
      // Otherwise VS Code ends the page, and with it the sound, when another view is opened.
      { webviewOptions: { retainContextWhenHidden: true } },
    ),
    register(load, {
      [commandIds.playFromHere]: (commands, argument) => commands.playFromHere(argument),
      [commandIds.hearParagraph]: (commands, argument) => commands.hearParagraph(argument),
      [commandIds.playPause]: (commands) => commands.send({ type: 'toggle' }),
      [commandIds.playBack]: (commands) => commands.send({ type: 'skip', milliseconds: -3000 }),
    }),
    load,
  );
}
