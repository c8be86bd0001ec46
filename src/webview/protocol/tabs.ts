import type { OperationId } from '../../operations/operations.ts';

export const tabIds = ['image', 'speech', 'transcript', 'video'] as const;
export type TabId = (typeof tabIds)[number];

export const attachmentKinds = ['image', 'recording', 'video'] as const;
export type AttachmentKind = (typeof attachmentKinds)[number];

/** The input and the operations of each tab; {@link operationFor} chooses one of them. */
export const tabs = {
  image: { text: 'prompt', attaches: ['image'], maxAttachments: 16, operations: ['generateImage', 'editImage'] },
  speech: { text: 'input', attaches: [], maxAttachments: 0, operations: ['speak'] },
  transcript: { text: undefined, attaches: ['recording'], maxAttachments: 1, operations: ['transcribe', 'translate'] },
  video: {
    text: 'prompt',
    attaches: ['image', 'video'],
    maxAttachments: 1,
    operations: ['generateVideo', 'animateImage', 'remixVideo'],
  },
} as const satisfies Readonly<
  Record<
    TabId,
    {
      /** The text field, by its name on the wire. */
      readonly text: 'prompt' | 'input' | undefined;
      readonly attaches: readonly AttachmentKind[];
      /** If 1, another attachment replaces the first. */
      readonly maxAttachments: number;
      readonly operations: readonly OperationId[];
    }
  >
>;

export function tabOf(operation: OperationId): TabId {
  return tabIds.find((id) => (tabs[id].operations as readonly OperationId[]).includes(operation)) ?? 'image';
}

/** Returns the operation that a tab runs with these attachments. */
export function operationFor(
  tab: TabId,
  attached: readonly { readonly kind: AttachmentKind }[],
  translates: boolean,
): OperationId {
  const [first] = attached;
  switch (tab) {
    case 'image':
      return first ? 'editImage' : 'generateImage';
    case 'speech':
      return 'speak';
    case 'transcript':
      return translates ? 'translate' : 'transcribe';
    case 'video':
      if (first?.kind === 'video') return 'remixVideo';
      return first ? 'animateImage' : 'generateVideo';
  }
}
