import * as vscode from 'vscode';
import type { CommandName, section } from '../contributions.ts';
import type { OperationId } from '../operations/operations.ts';
import type { SpokenSoFar } from '../wholes/SpokenSoFar.ts';

interface OfJob {
  readonly jobId: string | undefined;
}

interface OfFiles {
  readonly uris: readonly (string | vscode.Uri)[];
}

/**
 * What the commands that this extension runs itself take and return. Others may pass anything: a command checks its
 * arguments, and tells from them who called.
 */
interface Commands {
  addToManifest(files: OfFiles): unknown;
  applyAssets(of: { readonly manifest: vscode.Uri }): unknown;
  cancelJob(job: OfJob): unknown;
  compareVariants(of: { readonly name: string; readonly variants: readonly object[] }): number | undefined;
  compose(operation: OperationId, files: readonly unknown[]): unknown;
  connectService(): unknown;
  dismissJob(job: OfJob): unknown;
  downloadAgain(job: OfJob): unknown;
  insertAsset(files: OfFiles & { readonly titles?: readonly string[]; readonly belowTitle?: boolean }): unknown;
  narrateDocument(of: { readonly uri: vscode.Uri }): unknown;
  openLibrary(of: { readonly id: string | undefined }): unknown;
  openAsset(files: OfFiles): unknown;
  playFromHere(at: { readonly uri: vscode.Uri; readonly line?: number; readonly spoken?: SpokenSoFar }): unknown;
  revealAsset(file: { readonly uri: vscode.Uri }): unknown;
  runAgain(job: OfJob): unknown;
  saveElsewhere(job: OfJob): unknown;
  saveRawAnswer(job: OfJob): unknown;
  serveFile(of: { readonly uri: string; readonly path: string; readonly copies: boolean }): unknown;
  setApiKey(): unknown;
  showLog(): unknown;
  transcribe(file: vscode.Uri): unknown;
  transformImage(file: vscode.Uri): unknown;
  usePreset(): unknown;
  useSandbox(): unknown;
  useSubtitles(file: vscode.Uri): unknown;
}

type CommandResult<Name> = Name extends keyof Commands ? ReturnType<Commands[Name]> : unknown;

/** Registers commands by their ids. What they need loads with the first of them. */
export function register<T>(
  load: () => Promise<T>,
  handlers: {
    readonly [Name in CommandName | OperationId as `${typeof section}.${Name}`]?: (
      loaded: T,
      ...args: readonly unknown[]
    ) => CommandResult<Name> | Promise<CommandResult<Name>>;
  },
): vscode.Disposable {
  return vscode.Disposable.from(
    ...Object.entries(handlers).map(([id, run]) =>
      vscode.commands.registerCommand(id, async (...args: readonly unknown[]) => run(await load(), ...args)),
    ),
  );
}

/** Runs a command of this extension. */
export function run<Name extends keyof Commands>(
  id: `${typeof section}.${Name}`,
  ...args: Parameters<Commands[Name]>
): Thenable<CommandResult<Name>> {
  return vscode.commands.executeCommand(id, ...args);
}
