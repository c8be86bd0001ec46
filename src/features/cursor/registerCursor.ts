import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { PlacedRuns } from '../../editor/PlacedRuns.ts';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';

export interface CursorDependencies {
  readonly settings: Settings;
  readonly places: Pick<WorkspacePlaces, 'referenceForDocument'>;
  readonly log: vscode.LogOutputChannel;
  readonly runs: PlacedRuns;
  /** Loads the writer of references. */
  references(): Promise<ReferenceWriter>;
}

/** Registers the command that generates an image at the cursor. */
export function registerCursor(dependencies: CursorDependencies): vscode.Disposable {
  return vscode.commands.registerCommand(commandIds.generateImageAtCursor, async (argument?: unknown) => {
    const { generateAtCursor } = await import('./generateAtCursor.ts');
    return generateAtCursor(argument, dependencies);
  });
}
