import * as vscode from 'vscode';
import { commandIds, section, settingNames } from '../../../contributions.ts';
import { lazy } from '../../../editor/lazy.ts';
import type { OperationDependencies } from '../OperationDependencies.ts';

/** Documents that can be read aloud. The languages of the last filter have no id in VS Code. */
const selector: vscode.DocumentSelector = [
  ...['markdown', 'quarto', 'mdx', 'html', 'vue', 'svelte', 'asciidoc', 'restructuredtext', 'plaintext'],
  { pattern: '**/*.{mdx,adoc,asciidoc,rst,qmd,vue,svelte}' },
];

/** Registers *Narrate Document*, and the lenses that show what changed since a narration. */
export function registerNarration(
  dependencies: OperationDependencies,
  narrate: (argument: unknown) => Promise<unknown>,
): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const load = lazy(async () => {
    const { NarrationLenses } = await import('./NarrationLenses.ts');
    return new NarrationLenses(dependencies, () => changed.fire());
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
        dependencies.settings.narrationCodeLens ? (await load()).lensesOf(document) : [],
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${section}.${settingNames.narrationCodeLens}`)) changed.fire();
    }),
    load,
  );
}
