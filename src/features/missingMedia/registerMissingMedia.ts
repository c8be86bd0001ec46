import * as vscode from 'vscode';
import { codeLanguages, commandIds, documentFiles, documentLanguages } from '../../contributions.ts';
import { mediaExtensions } from '../../documents/MediaReference.ts';
import { register } from '../../editor/commands.ts';
import { lazy } from '../../editor/lazy.ts';
import type { Window } from '../../editor/Window.ts';
import type { MissingMedia } from './MissingMedia.ts';

const selector: vscode.DocumentSelector = [...documentLanguages, ...codeLanguages, { pattern: documentFiles }];

/** Finds media that documents refer to and that do not exist, and generates them on request. */
export function registerMissingMedia(dependencies: Window): vscode.Disposable {
  const load = lazy(async () => new (await import('./MissingMedia.ts')).MissingMedia(dependencies));
  const marks = registerMarks(dependencies, load);
  return vscode.Disposable.from(
    vscode.languages.registerCodeActionsProvider(
      selector,
      {
        // Each action is a command and nothing is resolved, so asking for actions sends nothing.
        provideCodeActions: async (document, range, context, token) => {
          if (!mayRefer(document, range)) return [];
          marks.begin();
          const { missingActions } = await import('./quickFixes.ts');
          return missingActions(document, range, context, await load(), token);
        },
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
    register(() => import('./generateMissing.ts'), {
      [commandIds.generateMissingMedia]: async ({ generateMissing }, argument) =>
        generateMissing(argument, await load(), dependencies),
    }),
    register(() => import('./quickFixes.ts'), {
      [commandIds.pointToFile]: async ({ pointToFile }, argument) => pointToFile(argument, await load()),
      [commandIds.serveFile]: async ({ serveFile }, argument) => serveFile(argument, await load()),
    }),
    load,
    marks,
  );
}

/** Number of lines around a range that are searched. The alternative text may be some lines away from the address. */
const linesAround = 5;
const endings = new RegExp(`\\.(?:${mediaExtensions.join('|')})\\b|\\\\includegraphics`, 'i');

/**
 * Whether a reference to media may be near. Most cursor moves in code end here, without loading or reading anything.
 */
function mayRefer(document: vscode.TextDocument, { start, end }: vscode.Range): boolean {
  return endings.test(
    document.getText(new vscode.Range(Math.max(start.line - linesAround, 0), 0, end.line + linesAround + 1, 0)),
  );
}

/**
 * Marks missing media from the first document on that may refer to media: loads nothing before.
 *
 * @returns `begin`, which does it now
 */
function registerMarks(
  { settings, projects, log }: Pick<Window, 'settings' | 'projects' | 'log'>,
  load: () => Promise<MissingMedia>,
): vscode.Disposable & { begin(): void } {
  const marks = lazy(async () => {
    const [{ MissingMarks }, media, { onDidChangeFiles }] = await Promise.all([
      import('./MissingMedia.ts'),
      load(),
      projects(),
    ]);
    return new MissingMarks(settings, media, onDidChangeFiles);
  });
  const begin = () => {
    marks().catch((error: unknown) => log.error(`Missing media are not marked: ${String(error)}`));
  };
  const look = (document: vscode.TextDocument) => {
    if (vscode.languages.match(selector, document) && endings.test(document.getText())) begin();
  };
  const starting = setImmediate(() => vscode.workspace.textDocuments.forEach(look));
  const registered = vscode.Disposable.from(
    new vscode.Disposable(() => clearImmediate(starting)),
    marks,
    vscode.workspace.onDidOpenTextDocument(look),
  );
  return { begin, dispose: () => registered.dispose() };
}
