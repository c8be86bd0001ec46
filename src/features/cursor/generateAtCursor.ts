import * as vscode from 'vscode';
import { DocumentAnchor } from '../../editor/DocumentAnchor.ts';
import { textEditorFor } from '../../editor/editorInUse.ts';
import { runCommand, tryToShow } from '../../editor/runCommand.ts';
import type { Asset } from '../../library/Asset.ts';
import { checkFields } from '../../operations/validateRequest.ts';
import type { CursorDependencies } from './CursorDependencies.ts';
import { insertReference, offerToInsert } from './insertReference.ts';
import { markPlace } from './markPlace.ts';

/**
 * Generates an image from the selection or from a prompt that the person enters, and inserts a reference to it at the
 * cursor.
 *
 * @param argument `{model, prompt}`
 * @returns the saved assets; undefined when the person dismissed a question or was shown the failure
 * @throws MediaError when there is an argument
 */
export function generateAtCursor(
  argument: unknown,
  dependencies: CursorDependencies,
): Promise<readonly Asset[] | undefined> {
  const caller = argument === undefined ? 'person' : 'program';
  return runCommand(caller, dependencies, async () => {
    const title = vscode.l10n.t('Generate Image at Cursor');
    const given = argument === undefined ? {} : checkFields(title, ['model', 'prompt'], argument);
    const editor = textEditorFor(caller);
    if (!editor) return undefined;
    const { document, selection } = editor;
    const selected = document.getText(selection);
    const place = await dependencies.places.referenceForDocument(document, 'images', caller === 'person');
    if (!place) return undefined;
    const anchor = new DocumentAnchor(document, selection);
    const mark = markPlace(anchor, place.path);
    let isInsertedLater = false;
    try {
      const prompt = selected.trim() === '' ? {} : { prompt: selected.trim() };
      const request = { operation: 'generateImage', fields: { ...prompt, ...given, n: 1 }, place } as const;
      const results = await dependencies.runs.runPlaced([request], { title, caller, asksModel: caller === 'person' });
      const assets = results?.flatMap((result) => {
        if (result.status === 'rejected') throw result.reason;
        return result.value;
      });
      if (!assets) return undefined;
      const written = { anchor, selected, references: await dependencies.references() };
      if (!(await insertReference(assets, written))) {
        isInsertedLater = true;
        void tryToShow(dependencies.log, offerToInsert(assets, written)).finally(() => anchor.dispose());
      }
      return assets;
    } finally {
      mark.dispose();
      if (!isInsertedLater) anchor.dispose();
    }
  });
}
