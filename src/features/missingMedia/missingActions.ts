import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { MediaReference } from '../../documents/MediaReference.ts';
import { oneLine } from '../../editor/displayText.ts';
import type { MissingFile } from '../../places/findMissing.ts';
import { missingCode } from './MissingMarks.ts';
import type { MissingMedia } from './MissingMedia.ts';
import { proposalFor } from './proposalFor.ts';

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
  const { only, triggerKind, diagnostics } = context;
  // On save, VS Code asks for fixes by kind and applies every one it gets.
  if (
    only &&
    (triggerKind === vscode.CodeActionTriggerKind.Automatic || !only.intersects(vscode.CodeActionKind.QuickFix))
  )
    return [];
  const all = await media.referencesIn(document);
  const touched = touchedBy(range, document, all);
  const near = await media.missingIn(document, touched, token);
  if (near.length === 0) return [];
  // A file is generated once, for all references of the document.
  const missing = await media.missingIn(document, all);
  const here = near.flatMap(({ path, candidates }) =>
    missing.filter((file) => file.path === path).map((file) => ({ ...file, candidates })),
  );
  const own = diagnostics.filter(({ code }) => codeOf(code) === missingCode || codeOf(code) === 'link.no-such-file');
  const action = (title: string, command: string, argument: object): vscode.CodeAction => ({
    title,
    kind: vscode.CodeActionKind.QuickFix,
    command: { title, command, arguments: [{ uri: document.uri.toString(), ...argument }] },
    diagnostics: own,
  });
  const free: vscode.CodeAction[] = [];
  const paid: vscode.CodeAction[] = [];
  for (const file of here) {
    for (const candidate of await usable(document, file, media)) {
      const title = vscode.l10n.t('Point to {0}', await media.nameIn(document, candidate));
      free.push(action(title, commandIds.pointToFile, { path: file.path, file: candidate }));
    }
    const proposal = proposalFor(file);
    if (!proposal || isBeingMade(file.path)) continue;
    const name = await media.nameIn(document, file.path);
    const title = proposal.prompt
      ? vscode.l10n.t('Generate {0} from "{1}"', name, oneLine(proposal.prompt, shownCharacters))
      : vscode.l10n.t('Generate {0}…', name);
    paid.push(action(title, commandIds.generateMissingMedia, { paths: [relative(file.path)], byPerson: true }));
  }
  const makeable = missing.filter((file) => proposalFor(file) && !isBeingMade(file.path));
  if (paid.length > 0 && makeable.length > 1) {
    const title = vscode.l10n.t('Generate All {0} Missing…', makeable.length);
    const paths = makeable.map(({ path }) => relative(path));
    paid.push(action(title, commandIds.generateMissingMedia, { paths, byPerson: true }));
  }
  return [...free, ...paid];

  function isBeingMade(path: string): boolean {
    return media.isBeingMade(document.uri.with({ path }));
  }

  function relative(path: string): string {
    return vscode.workspace.asRelativePath(document.uri.with({ path }), false);
  }
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
    const addresses = await Promise.all(
      references.map((reference) => writer.addressFor(document, reference, candidate)),
    );
    if (addresses.every((address) => address !== undefined)) found.push(candidate);
    if (found.length === maxCandidates) break;
  }
  return found;
}

function codeOf(code: vscode.Diagnostic['code']): unknown {
  return typeof code === 'object' ? code.value : code;
}
