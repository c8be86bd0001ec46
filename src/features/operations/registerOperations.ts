import * as vscode from 'vscode';
import { commandIds, commandOf } from '../../contributions.ts';
import { register } from '../../editor/commands.ts';
import { type Lazy, lazy } from '../../editor/lazy.ts';
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

/** Registers *Narrate Document* and *Narrate Documents…*, and the lenses that show what changed since a narration. */
function registerNarration(parts: Window, commands: Lazy<OperationCommands>): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const fire = () => changed.fire();
  const load = lazy(async () => {
    const { NarrationLenses } = await import('./NarrationLenses.ts');
    return new NarrationLenses(parts, fire, commands);
  });
  return vscode.Disposable.from(
    changed,
    register(commands, {
      [commandIds.narrateSelection]: (loaded, argument) => loaded.narrate(argument, fire),
      [commandIds.narrateDocument]: (loaded, argument) => loaded.narrateDocument(argument, fire),
      [commandIds.narrateDocuments]: (loaded, argument, all) => loaded.narrateDocuments(argument, all, fire),
    }),
    vscode.languages.registerCodeLensProvider(selector, {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses: async (document) => (await load()).lensesOf(document),
    }),
    load,
  );
}
