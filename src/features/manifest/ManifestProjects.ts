import * as vscode from 'vscode';
import type { Window } from '../../editor/Window.ts';
import { statOf } from '../../editor/workspaceFiles.ts';
import { isAbsolutePath } from '../../files/pathFrom.ts';
import { isObject } from '../../foreign/shape.ts';
import type { PlanOptions } from '../../manifest/Evaluation.ts';
import type { KnownHash } from '../../manifest/FileHashes.ts';
import { lockNameOf } from '../../manifest/Lock.ts';
import { ManifestProject } from '../../manifest/ManifestProject.ts';
import { type Planned, planAssets } from '../../manifest/plan.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { type OperationId, operations, sandboxModel } from '../../operations/operations.ts';
import { readPrices } from '../../operations/prices.ts';
import { DocumentReader, maxUnaskedLength } from '../../reading/DocumentReader.ts';
import { keyOriginOf } from '../../service/ServiceConfiguration.ts';

/** Opens the manifests of the workspace and plans their assets. */
export class ManifestProjects {
  readonly #dependencies: Window;
  /** Hashes of files by path, reused while a file looks unchanged. Shared by all manifests. */
  readonly #hashes = new Map<string, KnownHash>();
  readonly #documents = new DocumentReader();

  constructor(dependencies: Window) {
    this.#dependencies = dependencies;
  }

  async all(): Promise<readonly vscode.Uri[]> {
    const found = await vscode.workspace.findFiles('**/media.jsonc', '**/node_modules/**', 100);
    return found.filter(({ scheme }) => scheme === 'file').sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /**
   * Returns the manifest that an argument `{manifest}` names, or else the only one, or else the one that the person
   * chooses.
   *
   * @param within the workspace folder to look in; by default a path is relative to the first one, and all are searched
   * @returns undefined when the person dismissed the question
   * @throws MediaError `invalidInput` when there is none
   */
  async find(argument: unknown, within?: vscode.WorkspaceFolder): Promise<vscode.Uri | undefined> {
    const given = isObject(argument) ? argument.manifest : undefined;
    if (given instanceof vscode.Uri) return given;
    const folder = within ?? vscode.workspace.workspaceFolders?.[0];
    if (typeof given === 'string' && given !== '') {
      if (isAbsolutePath(given)) return vscode.Uri.file(given);
      if (folder) return vscode.Uri.joinPath(folder.uri, given);
    }
    const isWithin = (uri: vscode.Uri) =>
      !within || vscode.workspace.getWorkspaceFolder(uri)?.uri.toString() === within.uri.toString();
    const manifests = (await this.all()).filter(isWithin);
    const [first] = manifests;
    if (!first) {
      const sentence = vscode.l10n.t('There is no media.jsonc in the workspace.');
      throw new MediaError('invalidInput', sentence, { field: 'manifest' });
    }
    if (manifests.length === 1 || isObject(argument)) return first;
    const items = manifests.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
    return (await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Choose a manifest') }))?.uri;
  }

  /**
   * @param only the paths of the entries that must be right; all if absent
   * @throws MediaError `invalidInput` that lists the errors
   */
  async open(uri: vscode.Uri, only?: readonly string[]): Promise<ManifestProject> {
    const root = vscode.workspace.getWorkspaceFolder(uri)?.uri;
    if (root?.scheme !== 'file') {
      const sentence = vscode.l10n.t('{0} is not in a local workspace folder.', uri.toString());
      throw new MediaError('invalidInput', sentence, { field: 'manifest' });
    }
    return ManifestProject.open(uri.fsPath, {
      root: root.fsPath,
      library: this.#dependencies.places.libraryOf(root),
      store: (await this.#dependencies.runs.forManifests()).runner.store,
      known: this.#hashes,
      declared: this.#dependencies.settings.declaredFields,
      text: openedAt(uri)?.getText(),
      only,
      withoutGit: !vscode.workspace.isTrusted,
    });
  }

  async options(): Promise<PlanOptions> {
    const { settings } = this.#dependencies;
    return {
      sandbox: settings.usesSandbox,
      documents: this.#documents,
      speechMaxCharacters: settings.get('speech.maxCharacters'),
      splitsAnew: true,
      prices: readPrices(settings.prices),
      modelFor: (id) => settings.models(id)[0] ?? (settings.usesSandbox ? sandboxModel : undefined),
      keyOrigin: settings.usesSandbox ? undefined : (id) => keyOriginOf(settings.service, operations[id].area),
      seesWork: true,
      withoutGit: !vscode.workspace.isTrusted,
    };
  }

  /**
   * @param given replaces options of the editor
   * @param only as for {@link open}
   */
  async plan(uri: vscode.Uri, given: Pick<PlanOptions, 'seesWork'> = {}, only?: readonly string[]): Promise<Planned> {
    const { settings, models } = this.#dependencies;
    await models.readGone();
    const warns = { isGone: (id: OperationId, model: string) => models.isGone(id, settings.usesSandbox, model) };
    return planAssets(await this.open(uri, only), { ...(await this.options()), ...given, warns });
  }

  /**
   * Plans for what is shown without being asked for. Entries with errors are left out.
   *
   * @throws MediaError `invalidInput` for an error that concerns all entries, and for a manifest or a lock above 1 MB
   */
  async planUnasked(uri: vscode.Uri): Promise<Planned> {
    const lock = vscode.Uri.joinPath(uri, '..', lockNameOf(uri.path));
    for (const file of [uri, lock]) {
      const length = openedAt(file)?.getText().length ?? (await statOf(file))?.size ?? 0;
      if (length <= maxUnaskedLength) continue;
      const name = vscode.workspace.asRelativePath(file);
      throw new MediaError(
        'invalidInput',
        vscode.l10n.t('{0} is larger than 1 MB. Plan Assets shows its state.', name),
      );
    }
    return planAssets(await this.open(uri, []), { ...(await this.options()), isUnasked: true });
  }
}

function openedAt(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}
