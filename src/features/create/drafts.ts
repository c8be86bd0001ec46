import type { Memento } from 'vscode';
import type { Attachment, Draft, Start } from '../../webview/protocol/messages.ts';
import { draftShape, emptyDraft } from '../../webview/protocol/messages.ts';
import { tabIds } from '../../webview/protocol/tabs.ts';

type Place = Start['place'];

const places: readonly Place[] = ['view', 'tab'];

/** What the composer of the view, or of the library's tab, held last. */
export function readDraft(memento: Memento, place: Place): Draft {
  const kept = memento.get<unknown>(nameOf(place));
  return draftShape(kept) ? kept : emptyDraft;
}

/** What cannot be kept is still in the view. */
export function keepDraft(memento: Memento, place: Place, draft: Draft): void {
  memento.update(nameOf(place), draft).then(undefined, () => undefined);
}

/** The addresses of all files that a draft holds. */
export function draftFiles(memento: Memento): readonly string[] {
  return places.flatMap((place) => attachmentsOf(readDraft(memento, place)).map(({ uri }) => uri));
}

function attachmentsOf({ attachments }: Draft): readonly Attachment[] {
  return tabIds.flatMap((tab) => attachments[tab] ?? []);
}

function nameOf(place: Place): string {
  return `composer.draft.${place}`;
}
