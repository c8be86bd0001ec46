import { posix } from 'node:path';
import * as vscode from 'vscode';
import { callerOf } from '../../editor/Caller.ts';
import { changeDocument, eachOnce } from '../../editor/changeDocument.ts';
import { uriArgument } from '../../editor/MediaInputs.ts';
import { notify } from '../../editor/notify.ts';
import { savedSentence } from '../../editor/offerSaved.ts';
import { DocumentAnchor, editorInUse } from '../../editor/openDocuments.ts';
import { assetsOf } from '../../editor/requests/requests.ts';
import { runCommand, tryToShow } from '../../editor/runCommand.ts';
import type { Window } from '../../editor/Window.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { checkFields } from '../../operations/validateRequest.ts';
import type { MissingMedia } from './MissingMedia.ts';
import { fieldsOf, type GenerableFile, type Proposal, proposalFor, type Renamed, withNameOf } from './proposalFor.ts';

/** How long a message stays in the status bar, in milliseconds. */
const shownFor = 20_000;

/**
 * Generates files that a document refers to and that do not exist, each at exactly its path.
 *
 * @param argument `{uri, paths}`: the document, and which of its missing files to generate, relative to the workspace
 *   folder; by default all
 * @returns the saved assets; undefined when the person dismissed a question or was shown the failure
 * @throws MediaError when a program called
 */
export function generateMissing(
  argument: unknown,
  media: MissingMedia,
  dependencies: Window,
): Promise<readonly Asset[] | undefined> {
  const title = vscode.l10n.t('Generate Missing Media');
  const caller = callerOf(argument);
  return runCommand(caller, dependencies, async () => {
    const given = argument === undefined ? {} : checkFields(title, ['uri', 'paths'], argument);
    const document = await vscode.workspace.openTextDocument(documentOf(given.uri));
    const paths = pathsOf(given.paths);
    const files = await filesToGenerate(document, paths, media);
    if (files.length === 0) return nothingMissing(document, caller === 'person');
    for (const { proposal } of files) await dependencies.service.checkReady(proposal.operation);
    const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri ?? document.uri;
    using anchor = disposable(new DocumentAnchor(document, new vscode.Range(0, 0, 0, 0)));
    const prompts = await askPrompts(files, title);
    if (!prompts) return undefined;
    const isOneFix = paths?.length === 1;
    const requests = files.map(({ path, name, proposal }, index) => ({
      operation: proposal.operation,
      fields: fieldsOf(proposal, prompts[index] ?? '', path),
      place: {
        ...dependencies.places.referenceIn(root, posix.dirname(name).replace(/^\.$/, '')),
        exactName: posix.basename(path),
      },
    }));
    const question = isOneFix ? undefined : questionFor(files);
    const results = await dependencies.runs.run(requests, caller, { title, question });
    if (!results) return undefined;
    const saved = results.map((result) => (result.status === 'fulfilled' ? result.value : []));
    await media.noticeGenerated(saved.flat().map(({ uri }) => vscode.Uri.parse(uri, true)));
    await settle(files, saved, anchor.value, media, dependencies);
    const assets = assetsOf(results);
    if (caller === 'person') {
      const uris = assets.map(({ uri }) => uri);
      vscode.window.setStatusBarMessage(savedSentence(uris, []), shownFor);
    }
    return assets;
  });
}

/**
 * Reports files that were saved under another name, and corrects references to files that got another extension, and
 * those at whose address the site does not serve them.
 */
async function settle(
  files: readonly GenerableFile[],
  saved: readonly (readonly Asset[])[],
  anchor: DocumentAnchor,
  media: MissingMedia,
  { log }: Pick<Window, 'log'>,
): Promise<void> {
  const renamed: Renamed[] = [];
  for (const [index, { path, name, unserved }] of files.entries()) {
    const uri = saved[index]?.[0]?.uri;
    const file = uri === undefined ? undefined : vscode.Uri.parse(uri, true);
    // Drive letters may differ in case; this form is canonical.
    if (!file) continue;
    if (file.toString() === file.with({ path }).toString()) {
      if (unserved.length > 0) renamed.push({ requested: path, saved: path });
    } else if (posix.extname(file.path) !== posix.extname(path)) renamed.push({ requested: path, saved: file.path });
    else void tryToShow(log, reportNameTaken(name, posix.basename(file.path)));
  }
  if (renamed.length === 0) return;
  const correcting = correctReferences(anchor, renamed, media);
  // A message about a closed document may stay open, so it is not awaited.
  await Promise.race([tryToShow(log, correcting), anchor.document ? correcting.catch(() => undefined) : undefined]);
}

async function reportNameTaken(name: string, saved: string): Promise<void> {
  const sentence = vscode.l10n.t(
    '{0} was created in the meantime, so the generated file was saved beside it as {1}.',
    name,
    saved,
  );
  await notify.information(sentence);
}

async function filesToGenerate(
  document: vscode.TextDocument,
  paths: readonly string[] | undefined,
  media: MissingMedia,
): Promise<readonly GenerableFile[]> {
  const missing = await media.missingIn(document, await media.referencesIn(document));
  const makeable: GenerableFile[] = [];
  for (const file of missing) {
    const proposal = proposalFor(file);
    const name = vscode.workspace.asRelativePath(document.uri.with({ path: file.path }), false);
    if (proposal && (await media.canBeServed(document, file))) makeable.push({ ...file, name, proposal });
  }
  const unknown = paths?.find((path) => !makeable.some(({ name }) => name === path));
  if (unknown !== undefined) {
    const sentence = vscode.l10n.t(
      'Paths (paths): {0} is not one of the missing files in {1} that can be generated.',
      unknown,
      vscode.workspace.asRelativePath(document.uri),
    );
    throw new MediaError('invalidInput', sentence, { field: 'paths' });
  }
  const chosen = paths ? makeable.filter(({ name }) => paths.includes(name)) : makeable;
  const busy = chosen.filter(({ path }) => media.isBeingMade(document.uri.with({ path })));
  // A request for all files gets the others; a request that names a busy file has to fail.
  if (busy.length === 0 || (!paths && busy.length < chosen.length))
    return chosen.filter((file) => !busy.includes(file));
  const sentence = vscode.l10n.t('Already being generated: {0}.', busy.map(({ name }) => name).join(', '));
  throw new MediaError('invalidInput', sentence, { field: 'paths' });
}

function nothingMissing({ uri }: vscode.TextDocument, byPerson: boolean): readonly Asset[] {
  const name = vscode.workspace.asRelativePath(uri);
  if (byPerson) void notify.information(vscode.l10n.t('No media are missing in {0}.', name));
  return [];
}

export function documentOf(uri: unknown): vscode.Uri {
  const { editor, otherEditor } = editorInUse();
  const document = uriArgument(uri) ?? editor?.document.uri ?? otherEditor;
  if (document) return document;
  const sentence = vscode.l10n.t('Open the document with the missing media first.');
  throw new MediaError('invalidInput', sentence, { field: 'uri' });
}

function pathsOf(paths: unknown): readonly string[] | undefined {
  if (paths === undefined) return undefined;
  const isList = Array.isArray(paths) && paths.length > 0;
  if (isList && paths.every((path) => typeof path === 'string')) return paths;
  throw new MediaError('invalidInput', vscode.l10n.t('Paths (paths) must be a list of strings.'), { field: 'paths' });
}

/** Makes a Disposable usable with `using`. */
function disposable<T extends vscode.Disposable>(value: T) {
  return { value, [Symbol.dispose]: () => value.dispose() };
}

/**
 * Returns the prompt of each file: from the document, or else from the person.
 *
 * @returns undefined when the person dismissed a question
 */
async function askPrompts(files: readonly GenerableFile[], title: string): Promise<readonly string[] | undefined> {
  const prompts: string[] = [];
  for (const { name, proposal } of files) {
    const prompt = proposal.prompt ?? (await ask(name, proposal, title));
    if (prompt === undefined) return undefined;
    prompts.push(prompt);
  }
  return prompts;
}

async function ask(name: string, { operation, start: value }: Proposal, title: string): Promise<string | undefined> {
  const isSpoken = operation === 'speak';
  const prompt = isSpoken
    ? vscode.l10n.t('The document does not say what is spoken in {0}. Enter the text to speak.', name)
    : vscode.l10n.t('The document does not say what {0} shows. Describe it.', name);
  const missing = isSpoken ? vscode.l10n.t('Enter the text to speak.') : vscode.l10n.t('Describe what the file shows.');
  const answer = await vscode.window.showInputBox({
    title,
    prompt,
    value,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? missing : undefined),
  });
  return answer?.trim() || undefined;
}

/** Counts each file once. */
function questionFor(files: readonly GenerableFile[]): string {
  const [first] = files;
  return files.length === 1 && first
    ? vscode.l10n.t('Generate {0}?', first.name)
    : vscode.l10n.t('Generate {0} missing files?', files.length);
}

/**
 * Changes references to the files that were actually saved, as one undo step. When no tab shows the document any more,
 * a message offers to do it.
 */
async function correctReferences(
  anchor: DocumentAnchor,
  renamed: readonly Renamed[],
  media: MissingMedia,
): Promise<void> {
  if (anchor.document && (await correct(anchor.document, renamed, media))) return;
  const button = vscode.l10n.t('Correct References');
  const names = renamed
    .map(({ saved }) => vscode.workspace.asRelativePath(anchor.uri.with({ path: saved })))
    .join(', ');
  const name = vscode.workspace.asRelativePath(anchor.uri);
  const isOtherType = renamed.some(({ requested, saved }) => requested !== saved);
  const sentence = isOtherType
    ? vscode.l10n.t(
        'Saved as {0}, because the service did not return the file type that the reference in {1} names.',
        names,
        name,
      )
    : vscode.l10n.t('Saved as {0}. The site does not serve it at the address that {1} refers to.', names, name);
  if ((await notify.information(sentence, button)) !== button) return;
  const document = await vscode.workspace.openTextDocument(anchor.uri);
  await vscode.window.showTextDocument(document, { preview: false });
  await correct(document, renamed, media);
}

async function correct(
  document: vscode.TextDocument,
  renamed: readonly Renamed[],
  media: MissingMedia,
): Promise<boolean> {
  const writer = await media.references();
  return changeDocument(
    () => document,
    async () => {
      const edits: vscode.TextEdit[] = [];
      for (const reference of await media.referencesIn(document)) {
        const target = await media.targetOf(document, reference);
        const file = renamed.find(({ requested }) => requested === target?.path);
        if (!file) continue;
        const corrected = target?.fault && (await writer.correctionOf(document, reference, file.saved));
        if (corrected) {
          edits.push(...corrected);
          continue;
        }
        const { start, end } = reference.range;
        const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
        const href = withNameOf(document.getText(range), file);
        if (href !== undefined) edits.push(vscode.TextEdit.replace(range, href));
      }
      const edit = new vscode.WorkspaceEdit();
      edit.set(document.uri, eachOnce(edits));
      return () => vscode.workspace.applyEdit(edit);
    },
  );
}
