import {
  type AssetKind,
  maxImages,
  type Operation,
  type OperationId,
  operationIds,
  operations,
} from '../../operations/operations.ts';

export const tabIds = ['image', 'speech', 'transcript', 'video'] as const;
export type TabId = (typeof tabIds)[number];

export const attachmentKinds = ['image', 'recording', 'video'] as const;
export type AttachmentKind = (typeof attachmentKinds)[number];

/** The input and the operations of each tab; {@link operationFor} chooses one of them. */
export const tabs = {
  image: { attaches: ['image'] },
  speech: { attaches: [] },
  transcript: { attaches: ['recording'] },
  video: { attaches: ['image', 'video'] },
} as const satisfies Readonly<Record<TabId, { readonly attaches: readonly AttachmentKind[] }>>;

const tabByResult = {
  images: 'image',
  speech: 'speech',
  transcripts: 'transcript',
  videos: 'video',
} as const satisfies Record<AssetKind, TabId>;

export function tabOf(operation: OperationId): TabId {
  return tabByResult[operations[operation].result];
}

/** Returns the kind of result that a tab makes. */
export function resultOf(tab: TabId): AssetKind {
  return operations[operationFor(tab, [], [])].result;
}

/** Returns the operation that a tab runs with these attachments. @param switched operations whose switch is on */
export function operationFor(
  tab: TabId,
  attached: readonly { readonly kind: AttachmentKind }[],
  switched: readonly OperationId[],
): OperationId {
  const candidates = candidatesFor(tab, attached);
  const chosen = candidates.find((id) => isSwitched(id) && switched.includes(id));
  const found = chosen ?? candidates.find((id) => !isSwitched(id));
  if (found === undefined) throw new Error(`no operation of ${tab} fits`);
  return found;
}

/** Returns the operations whose switch is on once a tab is to run this one. */
export function switchedTo(operation: OperationId, switched: readonly OperationId[]): readonly OperationId[] {
  const others = switched.filter((one) => tabOf(one) !== tabOf(operation));
  return isSwitched(operation) ? [...others, operation] : others;
}

/** The operations of a tab that a switch chooses, with these attachments. */
export function switchesFor(
  tab: TabId,
  attached: readonly { readonly kind: AttachmentKind }[],
): readonly OperationId[] {
  return candidatesFor(tab, attached).filter(isSwitched);
}

/** The operations of a tab that take these attachments; all of its operations when none does. */
function candidatesFor(tab: TabId, [first]: readonly { readonly kind: AttachmentKind }[]): readonly OperationId[] {
  const ofTab = operationIds.filter((id) => tabOf(id) === tab);
  const fitting = ofTab.filter((id) => attachmentOf(operations[id]) === first?.kind);
  return fitting.length > 0 ? fitting : ofTab;
}

function isSwitched(id: OperationId): boolean {
  const operation: Operation = operations[id];
  return operation.isSwitched === true;
}

/** Returns how many attachments an operation takes. If 1, another attachment replaces the first. */
export function maxAttachments({ fields }: Pick<Operation, 'fields'>): number {
  if (fields.some(({ type }) => type === 'images')) return maxImages;
  return attachmentOf({ fields }) === undefined ? 0 : 1;
}

function attachmentOf({ fields }: Pick<Operation, 'fields'>): AttachmentKind | undefined {
  for (const { type } of fields) {
    if (type === 'image' || type === 'images') return 'image';
    if (type === 'audioFile') return 'recording';
    if (type === 'video') return 'video';
  }
  return undefined;
}
