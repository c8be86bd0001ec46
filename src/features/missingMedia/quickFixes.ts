import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { type MediaReference, mediaKindOf } from '../../documents/MediaReference.ts';
import { Click } from '../../editor/Caller.ts';
import { changeDocument, eachOnce, unchangedSentence } from '../../editor/changeDocument.ts';
import { notify } from '../../editor/notify.ts';
import { wantsFixes } from '../../editor/wantsFixes.ts';
import { exists } from '../../editor/workspaceFiles.ts';
import { shortLine } from '../../foreign/plainText.ts';
import { nameParts, numberedName } from '../../library/fileName.ts';
import { checkFields } from '../../operations/validateRequest.ts';
import type { MissingFile } from '../../projects/Places.ts';
import { chooseServedFolder } from './chooseServedFolder.ts';
import { documentOf } from './generateMissing.ts';
import { type MissingMedia, missingCode, type UnservedReference, unservedCode } from './MissingMedia.ts';
import { proposalFor } from './proposalFor.ts';

/** Maximum number of files of the same name that are offered. */
const maxCandidates = 3;
/** Maximum length of a prompt or an address in a title, in characters. */
const shownCharacters = 60;

/**
 * Returns the quick fixes for missing media in a range, free ones first. Each is a command, so that nothing is sent
 * until someone chooses it.
 */
export async function missingActions(
  document: vscode.TextDocument,
  range: vscode.Range,
  context: vscode.CodeActionContext,
  media: MissingMedia,
  token: vscode.CancellationToken,
): Promise<vscode.CodeAction[]> {
  if (!wantsFixes(context)) return [];
  const all = await media.referencesIn(document);
  const touched = touchedBy(range, document, all);
  const near = await media.missingIn(document, touched, token);
  const unserved = await media.unservedIn(document, touched);
  if (token.isCancellationRequested) return [];
  const diagnostics = withCode(context.diagnostics, [unservedCode]);
  const serving = unserved.length === 0 ? [] : await servingActions(document, unserved, { media, diagnostics });
  if (near.length === 0) return [...serving];
  // A file is generated once, for all references of the document.
  const files = await media.missingIn(document, all);
  if (token.isCancellationRequested) return [];
  const missing = await servable(document, files, media);
  if (token.isCancellationRequested) return [];
  const fixed: Fixed = {
    document,
    media,
    diagnostics: withCode(context.diagnostics, [missingCode, 'link.no-such-file']),
  };
  const here = near.flatMap(({ path, candidates }) =>
    missing.filter(({ file }) => file.path === path).map(({ file, canBeMade }) => ({ ...file, canBeMade, candidates })),
  );
  return [
    ...serving,
    ...(await pointingActions(here, fixed, token)),
    ...(await generatingActions(here, missing, fixed)),
    ...choosingActions(here, fixed),
  ];
}

/** What is fixed: a document whose references are read by `media`, and the marks that go. */
interface Fixed {
  readonly document: vscode.TextDocument;
  readonly media: MissingMedia;
  readonly diagnostics: vscode.Diagnostic[];
}

function withCode(diagnostics: readonly vscode.Diagnostic[], codes: readonly unknown[]): vscode.Diagnostic[] {
  return diagnostics.filter(({ code }) => codes.includes(typeof code === 'object' ? code.value : code));
}

/** Returns the actions that point to what a file has become, and to a file of the same name elsewhere. */
async function pointingActions(
  files: readonly MissingFile[],
  fixed: Fixed,
  token: vscode.CancellationToken,
): Promise<readonly vscode.CodeAction[]> {
  const { document, media } = fixed;
  const actions: vscode.CodeAction[] = [];
  for (const file of files) {
    const renamed = await usable(
      document,
      { ...file, candidates: await media.renamedTo(document, file.path, token) },
      media,
    );
    const others = file.candidates.filter((path) => !renamed.includes(path));
    for (const candidate of [...renamed, ...(await usable(document, { ...file, candidates: others }, media))]) {
      const name = await media.nameIn(document, candidate);
      const title = renamed.includes(candidate)
        ? vscode.l10n.t('Point to {0} (renamed)', name)
        : vscode.l10n.t('Point to {0}', name);
      actions.push(actionOf(fixed, title, commandIds.pointToFile, { path: file.path, file: candidate }));
    }
  }
  return actions;
}

/**
 * Returns the actions that generate the files, and one for all files that the document is missing.
 *
 * @param all the missing files of the document
 */
async function generatingActions(
  files: readonly (MissingFile & { readonly canBeMade: boolean })[],
  all: Awaited<ReturnType<typeof servable>>,
  fixed: Fixed,
): Promise<readonly vscode.CodeAction[]> {
  const { document, media } = fixed;
  const isBeingMade = ({ path }: MissingFile) => media.isBeingMade(document.uri.with({ path }));
  const relative = ({ path }: MissingFile) => vscode.workspace.asRelativePath(document.uri.with({ path }), false);
  const actions: vscode.CodeAction[] = [];
  for (const file of files) {
    const proposal = proposalFor(file);
    if (!proposal || !file.canBeMade || isBeingMade(file)) continue;
    const name = await media.nameIn(document, file.path);
    const title = titleFor(name, proposal.prompt, file.unserved.length > 0);
    actions.push(actionOf(fixed, title, commandIds.generateMissingMedia, { paths: [relative(file)] }));
  }
  const makeable = all.filter(({ file, canBeMade }) => canBeMade && proposalFor(file) && !isBeingMade(file));
  if (actions.length > 0 && makeable.length > 1) {
    const title = vscode.l10n.t('Generate All {0} Missing…', makeable.length);
    const paths = makeable.map(({ file }) => relative(file));
    actions.push(actionOf(fixed, title, commandIds.generateMissingMedia, { paths }));
  }
  return actions;
}

/** Returns the action that asks which folder the site serves, if nothing shows it for one of the files. */
function choosingActions(files: readonly MissingFile[], fixed: Fixed): readonly vscode.CodeAction[] {
  if (!files.some(({ isGuess }) => isGuess)) return [];
  const title = vscode.l10n.t('Choose the Folder That the Site Serves…');
  return [actionOf(fixed, title, commandIds.serveFile, {})];
}

function actionOf(
  { document, diagnostics }: Fixed,
  title: string,
  command: string,
  argument: object,
): vscode.CodeAction {
  return {
    title,
    kind: vscode.CodeActionKind.QuickFix,
    command: { title, command, arguments: [Click.on({ uri: document.uri.toString(), ...argument })] },
    diagnostics,
  };
}

function titleFor(name: string, prompt: string | undefined, isCorrected: boolean): string {
  if (prompt === undefined) return vscode.l10n.t('Generate {0}…', name);
  const shown = shortLine(prompt, shownCharacters);
  return isCorrected
    ? vscode.l10n.t('Generate {0} from "{1}" and Correct the Address', name, shown)
    : vscode.l10n.t('Generate {0} from "{1}"', name, shown);
}

/** Says of each missing file whether readers would get it. */
async function servable(document: vscode.TextDocument, files: readonly MissingFile[], media: MissingMedia) {
  const canBeMade = await Promise.all(files.map((file) => media.canBeServed(document, file)));
  return files.map((file, index) => ({ file, canBeMade: canBeMade[index] === true }));
}

/** Returns the references that a range touches, or else those on its lines. */
function touchedBy(
  range: vscode.Range,
  document: vscode.TextDocument,
  references: readonly MediaReference[],
): readonly MediaReference[] {
  const [start, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
  const touching = references.filter(({ range: href, alt = href }) => {
    const [from, to] = [Math.min(href.start, alt.start), Math.max(href.end, alt.end)];
    return from <= end && to >= start;
  });
  if (touching.length > 0) return touching;
  return references.filter(({ line }) => line >= range.start.line && line <= range.end.line);
}

/** Returns the candidates that all references to a missing file can point to. */
async function usable(
  document: vscode.TextDocument,
  { references, candidates }: MissingFile,
  media: MissingMedia,
): Promise<readonly string[]> {
  const writer = await media.references();
  const found: string[] = [];
  for (const candidate of candidates) {
    const edits = await Promise.all(references.map((reference) => writer.correctionOf(document, reference, candidate)));
    if (edits.every((edit) => edit !== undefined)) found.push(candidate);
    if (found.length === maxCandidates) break;
  }
  return found;
}

/**
 * Makes the references of a document to one file lead to another, as one undo step.
 *
 * @param argument `{uri, path, file}`: the document, and the paths of the two files as in URIs
 * @returns the number of changed references
 */
export async function pointToFile(argument: unknown, media: MissingMedia): Promise<number> {
  const { uri, path, file } = checkFields(vscode.l10n.t('Point to File'), ['uri', 'path', 'file'], argument);
  const document = await vscode.workspace.openTextDocument(documentOf(uri));
  const writer = await media.references();
  let count = 0;
  const isChanged = await changeDocument(
    () => document,
    async () => {
      const edits: vscode.TextEdit[] = [];
      count = 0;
      for (const reference of await media.referencesIn(document)) {
        if ((await media.targetOf(document, reference))?.path !== path) continue;
        const corrected = await writer.correctionOf(document, reference, String(file));
        if (!corrected) continue;
        edits.push(...corrected);
        count++;
      }
      const all = new vscode.WorkspaceEdit();
      all.set(document.uri, eachOnce(edits));
      // VS Code refuses an edit without changes.
      return async () => count === 0 || (await vscode.workspace.applyEdit(all));
    },
  );
  if (isChanged) return count;
  void notify.warning(unchangedSentence(document));
  return 0;
}

/**
 * Returns the quick fixes for references to files that the site does not serve: another address or, where there is
 * none, another place for the file. They are free.
 */
async function servingActions(
  document: vscode.TextDocument,
  unserved: readonly UnservedReference[],
  { media, diagnostics }: { readonly media: MissingMedia; readonly diagnostics: vscode.Diagnostic[] },
): Promise<readonly vscode.CodeAction[]> {
  const actions: vscode.CodeAction[] = [];
  const paths = [...new Set(unserved.map(({ path }) => path))];
  for (const path of paths) {
    const edits = await correctionsFor(document, path, { media, newPath: path });
    const [first] = edits;
    if (first) {
      const title = vscode.l10n.t('Correct the Address to {0}', shortLine(first.newText, shownCharacters));
      const edit = new vscode.WorkspaceEdit();
      edit.set(document.uri, [...edits]);
      actions.push({ title, kind: vscode.CodeActionKind.QuickFix, edit, diagnostics });
      continue;
    }
    const newPath = await newPathFor(document, path, media);
    if (newPath === undefined) continue;
    const [name, folder] = await Promise.all([
      media.nameIn(document, path),
      media.nameIn(document, posix.dirname(newPath)),
    ]);
    const action = (title: string, copies: boolean) => ({
      title,
      kind: vscode.CodeActionKind.QuickFix,
      command: {
        title,
        command: commandIds.serveFile,
        arguments: [Click.on({ uri: document.uri.toString(), path, copies })],
      },
      diagnostics,
    });
    actions.push(
      action(vscode.l10n.t('Move {0} to {1}', name, folder), false),
      action(vscode.l10n.t('Copy {0} to {1}', name, folder), true),
    );
  }
  return actions;
}

/** Returns a free path in the folder for new media, if references of the document can lead there. */
async function newPathFor(
  document: vscode.TextDocument,
  path: string,
  media: MissingMedia,
): Promise<string | undefined> {
  const kind = mediaKindOf(path);
  const folder = kind && (await media.folderFor(document, kind));
  if (folder === undefined || folder === posix.dirname(path)) return undefined;
  const { name, extension = '' } = nameParts(posix.basename(path));
  for (let number = 1; ; number++) {
    const newPath = posix.join(folder, numberedName(name, extension, number));
    if (await exists(document.uri.with({ path: newPath }))) continue;
    const edits = await correctionsFor(document, path, { media, newPath });
    return edits.length > 0 ? newPath : undefined;
  }
}

/**
 * Returns the edits by which the references that do not reach a file lead to it, or to its new path.
 *
 * @param found gets the references that lead to the file, which lead elsewhere once it has moved
 */
async function correctionsFor(
  document: vscode.TextDocument,
  path: string,
  { media, newPath, found = new Set() }: { media: MissingMedia; newPath: string; found?: Set<string> },
): Promise<readonly vscode.TextEdit[]> {
  const writer = await media.references();
  const edits: vscode.TextEdit[] = [];
  for (const reference of await media.referencesIn(document)) {
    const target = await media.targetOf(document, reference);
    const way = `${reference.form} ${reference.address}`;
    if (target?.path === path && target.fault) found.add(way);
    if (!found.has(way)) continue;
    const corrected = await writer.correctionOf(document, reference, newPath);
    edits.push(...(corrected ?? []).filter((edit) => edit.newText !== document.getText(edit.range)));
  }
  return eachOnce(edits);
}

/**
 * Moves or copies a file into the folder from which the site of a document serves it, and corrects the references. Never
 * overwrites a file. Without a path, asks which folder that is.
 *
 * @param argument `{uri, path, copies}`: the document, the path of the file as in URIs, and whether the file also stays
 * @returns the URI of the file in its new place; undefined when there is none, or when it could not be moved
 */
export async function serveFile(argument: unknown, media: MissingMedia): Promise<string | undefined> {
  const title = vscode.l10n.t('Move or Copy File to the Site');
  const { uri, path, copies } = checkFields(title, ['uri', 'path', 'copies'], argument);
  const document = await vscode.workspace.openTextDocument(documentOf(uri));
  if (path === undefined) return chooseServedFolder(document, media);
  const newPath = await newPathFor(document, String(path), media);
  if (newPath === undefined) return undefined;
  const [from, to] = [document.uri.with({ path: String(path) }), document.uri.with({ path: newPath })];
  if (copies === true) await vscode.workspace.fs.copy(from, to, { overwrite: false });
  // VS Code moves the file even if it then refuses to change the text.
  const isThere = async () => copies === true || (!(await exists(from)) && (await exists(to)));
  const found = new Set<string>();
  const isServed = await changeDocument(
    () => document,
    async () => {
      const edit = new vscode.WorkspaceEdit();
      const hasMoved = await isThere();
      const corrections = await correctionsFor(document, from.path, { media, newPath, found });
      edit.set(document.uri, [...corrections]);
      // Moves in an edit are undone with it, and the library follows them. What leads to the file follows, too, unless it is
      // corrected before.
      if (!hasMoved) edit.renameFile(from, to, { overwrite: false });
      // The person may have corrected the references during a long copy; VS Code refuses an edit without changes.
      const isDone = hasMoved && corrections.length === 0;
      return async () => isDone || (await vscode.workspace.applyEdit(edit));
    },
  );
  if (isServed || (await isThere())) {
    await media.noticeGenerated([from, to]);
    if (!isServed) void notify.warning(unchangedSentence(document));
    return to.toString();
  }
  void notify.warning(vscode.l10n.t('{0} could not be moved.', vscode.workspace.asRelativePath(from)));
  return undefined;
}
