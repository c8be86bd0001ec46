import * as vscode from 'vscode';
import { commandIds, commandOf, settingId } from '../../contributions.ts';
import { lazy } from '../../editor/lazy.ts';
import type { RunParts } from '../../editor/runs/requests.ts';
import type { Runs } from '../../editor/runs.ts';
import { narratedExtensions, operationIds } from '../../operations/operations.ts';
import type { OperationCommands } from './OperationCommands.ts';

/** Registers the commands that run operations: from the palette with questions, or with a request as the argument. */
export function registerOperations(runs: Runs, parts: RunParts): vscode.Disposable {
  const load = lazy(async () => new (await import('./OperationCommands.ts')).OperationCommands(runs, parts));
  const register = (
    command: string,
    run: (commands: OperationCommands, argument?: unknown, all?: unknown) => Promise<unknown>,
  ) => vscode.commands.registerCommand(command, async (...args: readonly unknown[]) => run(await load(), ...args));
  return vscode.Disposable.from(
    ...operationIds.map((id) => register(commandOf(id), (commands, ...args) => commands.run(id, ...args))),
    register(commandIds.narrateSelection, (commands, argument) => commands.narrate(argument)),
    register(commandIds.speakParagraphAgain, (commands, argument) => commands.speakAgain(argument)),
    register(commandIds.generateImageFromSelection, (commands) => commands.generateFromSelection()),
    register(commandIds.addVideo, (commands, argument) => commands.addVideo(argument)),
    register(commandIds.cancelJob, (commands, argument) => commands.cancelJob(argument)),
    register(commandIds.runAgain, (commands, argument) => commands.resume('runAgain', argument)),
    register(commandIds.downloadAgain, (commands, argument) => commands.resume('downloadAgain', argument)),
    register(commandIds.saveElsewhere, (commands, argument) => commands.resume('saveElsewhere', argument)),
    register(commandIds.dismissJob, (commands, argument) => commands.dismissJob(argument)),
    register(commandIds.saveRawAnswer, (commands, argument) => commands.saveRawAnswer(argument)),
    registerNarration(parts, async (argument) => (await load()).narrateDocument(argument)),
  );
}

/** Documents that can be read aloud. Some languages of the last filter have no id in VS Code. */
const selector: vscode.DocumentSelector = [
  ...['markdown', 'quarto', 'mdx', 'html', 'vue', 'svelte', 'asciidoc', 'restructuredtext', 'plaintext'],
  { pattern: `**/*.{${narratedExtensions.join(',')}}` },
];

/** Registers *Narrate Document*, and the lenses that show what changed since a narration. */
function registerNarration(parts: RunParts, narrate: (argument: unknown) => Promise<unknown>): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const load = lazy(async () => {
    const { NarrationLenses } = await import('./NarrationLenses.ts');
    return new NarrationLenses(parts, () => changed.fire());
  });
  return vscode.Disposable.from(
    changed,
    vscode.commands.registerCommand(commandIds.narrateDocument, async (argument?: unknown) => {
      const made = await narrate(argument);
      // Nothing listens to the library before VS Code first asks for lenses.
      changed.fire();
      return made;
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
