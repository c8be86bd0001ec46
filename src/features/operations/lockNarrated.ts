import { posix } from 'node:path';
import * as vscode from 'vscode';
import { notify } from '../../editor/notify.ts';
import type { Window } from '../../editor/Window.ts';
import { pathFrom } from '../../files/pathFrom.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { lockNarration } from '../../manifest/acceptAssets.ts';
import { ManifestProject } from '../../manifest/ManifestProject.ts';
import { reasonOf } from '../../operations/MediaError.ts';

/**
 * Brings the lock of each manifest along that lists a narration, which otherwise seems to be changed by hand. If an entry
 * asks for another voice or model, that is said, and the lock stays.
 */
export async function lockNarrated(
  { uri }: Pick<Asset, 'uri'>,
  parts: Pick<Window, 'places' | 'runs' | 'settings' | 'log'>,
): Promise<void> {
  const sound = vscode.Uri.parse(uri, true);
  const root = vscode.workspace.getWorkspaceFolder(sound);
  // Nobody has trusted the manifests of the folder.
  if (root?.uri.scheme !== 'file' || !vscode.workspace.isTrusted) return;
  const pattern = new vscode.RelativePattern(root, '**/media.jsonc');
  for (const manifest of await vscode.workspace.findFiles(pattern, '**/node_modules/**', 100)) {
    const path = pathFrom(posix.dirname(manifest.path), sound.path);
    if (path.startsWith('../')) continue;
    const project = await openManifest(manifest, root.uri, parts).catch((error: unknown) => {
      parts.log.warn(`${manifest.path} was not read after narrating: ${String(error)}`);
    });
    const entry = project?.entryAt(path);
    if (!project || entry?.type !== 'request' || entry.document === undefined) continue;
    const name = vscode.workspace.asRelativePath(manifest);
    await lockIn(project, path, parts).then(
      (isLocked) => (isLocked ? undefined : void notify.warning(otherVoice(name, path))),
      (error: unknown) => void notify.warning(notLocked(name, error)),
    );
  }
}

async function openManifest(
  manifest: vscode.Uri,
  root: vscode.Uri,
  { places, runs, settings }: Pick<Window, 'places' | 'runs' | 'settings'>,
): Promise<ManifestProject> {
  const { store } = (await runs.forManifests()).runner;
  const { declaredFields: declared } = settings;
  return ManifestProject.open(manifest.fsPath, { root: root.fsPath, library: places.libraryOf(root), store, declared });
}

function lockIn(project: ManifestProject, path: string, { settings }: Pick<Window, 'settings'>): Promise<boolean> {
  return lockNarration(project, path, {
    sandbox: settings.usesSandbox,
    speechMaxCharacters: settings.get('speech.maxCharacters'),
    splitsAnew: true,
    modelFor: (id) => settings.models(id)[0],
  });
}

function otherVoice(manifest: string, path: string): string {
  return vscode.l10n.t(
    '{0} asks for another voice, model or document for {1}, so its lock was left as it is. Change the entry, or choose “Keep” above it.',
    manifest,
    path,
  );
}

function notLocked(manifest: string, error: unknown): string {
  return vscode.l10n.t(
    'The narration is saved, but the lock of {0} could not be brought along: {1} Apply it to lock the narration, for free.',
    manifest,
    reasonOf(error),
  );
}
