import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { MediaReference } from '../../documents/MediaReference.ts';
import { Click } from '../../editor/Caller.ts';
import { eachOnce } from '../../editor/ReferenceWriter.ts';
import { shortLine } from '../../foreign/plainText.ts';
import { checkFields } from '../../operations/validateRequest.ts';
import type { MissingFile } from '../../projects/Places.ts';
import type { MissingMedia } from './MissingMedia.ts';
import { missingCode, unservedCode } from './MissingMedia.ts';
import { proposalFor } from './proposalFor.ts';
import { servingActions } from './serveFile.ts';

/** Maximum number of files of the same name that are offered. */
const maxCandidates = 3;
/** Maximum length of a prompt in a title, in characters. */
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
  const diagnostics = withCode(context.diagnostics, [unservedCode]);
  const serving = unserved.length === 0 ? [] : await servingActions(document, unserved, { media, diagnostics });
  if (near.length === 0) return [...serving];
  // A file is generated once, for all references of the document.
  const missing = await servable(document, await media.missingIn(document, all), media);
  const fixed: Fixed = {
    document,
    media,
    diagnostics: withCode(context.diagnostics, [missingCode, 'link.no-such-file']),
  };
  const here = near.flatMap(({ path, candidates }) =>
    missing.filter(({ file }) => file.path === path).map(({ file, canBeMade }) => ({ ...file, canBeMade, candidates })),
  );
  return [...serving, ...(await pointingActions(here, fixed)), ...(await generatingActions(here, missing, fixed))];
}

/** What is fixed: a document whose references are read by `media`, and the marks that go. */
interface Fixed {
  readonly document: vscode.TextDocument;
  readonly media: MissingMedia;
  readonly diagnostics: vscode.Diagnostic[];
}

/** On save, VS Code asks for fixes by kind and applies every one it gets. */
function wantsFixes({ only, triggerKind }: vscode.CodeActionContext): boolean {
  if (!only) return true;
  return triggerKind !== vscode.CodeActionTriggerKind.Automatic && only.intersects(vscode.CodeActionKind.QuickFix);
}

function withCode(diagnostics: readonly vscode.Diagnostic[], codes: readonly unknown[]): vscode.Diagnostic[] {
  return diagnostics.filter(({ code }) => codes.includes(typeof code === 'object' ? code.value : code));
}

/** Returns the actions that point to a file of the same name elsewhere. */
async function pointingActions(files: readonly MissingFile[], fixed: Fixed): Promise<readonly vscode.CodeAction[]> {
  const { document, media } = fixed;
  const actions: vscode.CodeAction[] = [];
  for (const file of files) {
    for (const candidate of await usable(document, file, media)) {
      const title = vscode.l10n.t('Point to {0}', await media.nameIn(document, candidate));
      actions.push(actionOf(fixed, title, commandIds.pointToFile, { path: file.path, file: candidate }));
    }
  }
  return actions;
}

type Servable = Awaited<ReturnType<typeof servable>>;

/**
 * Returns the actions that generate the files, and one for all files that the document is missing.
 *
 * @param all the missing files of the document
 */
async function generatingActions(
  files: readonly (MissingFile & { readonly canBeMade: boolean })[],
  all: Servable,
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

/** Returns the files of the same name that all references to a missing file can point to. */
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
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(String(uri), true));
  const writer = await media.references();
  const edits: vscode.TextEdit[] = [];
  let count = 0;
  for (const reference of await media.referencesIn(document)) {
    if ((await media.targetOf(document, reference))?.path !== path) continue;
    const corrected = await writer.correctionOf(document, reference, String(file));
    if (!corrected) continue;
    edits.push(...corrected);
    count++;
  }
  const all = new vscode.WorkspaceEdit();
  all.set(document.uri, eachOnce(edits));
  return (await vscode.workspace.applyEdit(all)) ? count : 0;
}
