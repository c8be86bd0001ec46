import * as vscode from 'vscode';
import { commandIds, section, settingNames } from '../../../contributions.ts';
import { lazy } from '../../../editor/lazy.ts';
import type { OperationDependencies } from '../OperationDependencies.ts';

/** What can be read aloud; VS Code has no language of its own for the last ones. */
const selector: vscode.DocumentSelector = [
  ...['markdown', 'quarto', 'mdx', 'html', 'vue', 'svelte', 'asciidoc', 'restructuredtext', 'plaintext'],
  { pattern: '**/*.{mdx,adoc,asciidoc,rst,qmd,vue,svelte}' },
];

/** *Narrate Document*, and above a document that has a narration what of it has changed. */
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
      // Where VS Code has not asked for lenses before, nobody listens to the library.
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
