import * as vscode from 'vscode';
import { commandIds, commandOf, settingId } from '../../contributions.ts';
import { register } from '../../editor/commands.ts';
import { lazy } from '../../editor/lazy.ts';
import type { Window } from '../../editor/Window.ts';
import { narratedExtensions, operationIds } from '../../operations/operations.ts';
import type { OperationCommands } from './OperationCommands.ts';

/** Registers the commands that run operations: from the palette with questions, or with a request as the argument. */
export function registerOperations(dependencies: Window): vscode.Disposable {
  const load = lazy(async () => new (await import('./OperationCommands.ts')).OperationCommands(dependencies));
  return vscode.Disposable.from(
    register(
      load,
      Object.fromEntries(
        operationIds.map((id) => [
          commandOf(id),
          (commands: OperationCommands, argument: unknown, all: unknown) => commands.run(id, argument, all),
        ]),
      ),
    ),
    register(load, {
      [commandIds.narrateSelection]: (commands, argument) => commands.narrate(argument),
      [commandIds.speakParagraphAgain]: (commands, argument) => commands.speakAgain(argument),
      [commandIds.generateImageFromSelection]: (commands) => commands.generateFromSelection(),
      [commandIds.addVideo]: (commands, argument) => commands.addVideo(argument),
      [commandIds.cancelJob]: (commands, argument) => commands.cancelJob(argument),
      [commandIds.runAgain]: (commands, argument) => commands.resume('runAgain', argument),
      [commandIds.downloadAgain]: (commands, argument) => commands.resume('downloadAgain', argument),
      [commandIds.saveElsewhere]: (commands, argument) => commands.resume('saveElsewhere', argument),
      [commandIds.dismissJob]: (commands, argument) => commands.dismissJob(argument),
      [commandIds.saveRawAnswer]: (commands, argument) => commands.saveRawAnswer(argument),
    }),
    registerNarration(dependencies, load),
  );
}

/** Documents that can be read aloud. Some languages of the last filter have no id in VS Code. */
const selector: vscode.DocumentSelector = [
  ...['markdown', 'quarto', 'mdx', 'html', 'vue', 'svelte', 'asciidoc', 'restructuredtext', 'plaintext'],
  { pattern: `**/*.{${narratedExtensions.join(',')}}` },
];

/** Registers *Narrate Document*, and the lenses that show what changed since a narration. */
function registerNarration(parts: Window, commands: () => Promise<OperationCommands>): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const load = lazy(async () => {
    const { NarrationLenses } = await import('./NarrationLenses.ts');
    return new NarrationLenses(parts, () => changed.fire());
  });
  return vscode.Disposable.from(
    changed,
    register(commands, {
      [commandIds.narrateDocument]: async (loaded, argument) => {
        const made = await loaded.narrateDocument(argument);
        // Nothing listens to the library before VS Code first asks for lenses.
        changed.fire();
        return made;
      },
    }),
    vscode.languages.registerCodeLensProvider(selector, {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses: async (document) =>
        parts.settings.get('narration.codeLens') ? (await load()).lensesOf(document) : [],
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(settingId('narration.codeLens'))) changed.fire();
    }),
    load,
  );
}
