import type { Memento } from 'vscode';
import type { Attachment, Draft, Start } from '../../webview/protocol/messages.ts';
import { draftShape, emptyDraft } from '../../webview/protocol/messages.ts';
import { tabIds } from '../../webview/protocol/tabs.ts';

type Place = Start['place'];

const places: readonly Place[] = ['view', 'tab'];

/** Returns the last draft of the composer in the view or in the library's tab. */
export function readDraft(memento: Memento, place: Place): Draft {
  const kept = memento.get<unknown>(nameOf(place));
  return draftShape(kept) ? kept : emptyDraft;
}

/** A draft that cannot be stored is still in the view. */
export function keepDraft(memento: Memento, place: Place, draft: Draft): void {
  memento.update(nameOf(place), draft).then(undefined, () => undefined);
}

/** Returns the URIs of all files that the drafts refer to. */
export function draftFiles(memento: Memento): readonly string[] {
  return places.flatMap((place) => attachmentsOf(readDraft(memento, place)).map(({ uri }) => uri));
}

function attachmentsOf({ attachments }: Draft): readonly Attachment[] {
  return tabIds.flatMap((tab) => attachments[tab] ?? []);
}

function nameOf(place: Place): string {
  return `composer.draft.${place}`;
}
