import type { OperationId } from '../../operations/operations.ts';

export const tabIds = ['image', 'speech', 'transcript', 'video'] as const;
export type TabId = (typeof tabIds)[number];

export const attachmentKinds = ['image', 'recording', 'video'] as const;
export type AttachmentKind = (typeof attachmentKinds)[number];

/** What each tab can do; which of these it does follows from what is attached. */
export const tabs = {
  image: { text: 'prompt', attaches: ['image'], most: 16, operations: ['generateImage', 'editImage'] },
  speech: { text: 'input', attaches: [], most: 0, operations: ['speak'] },
  transcript: { text: undefined, attaches: ['recording'], most: 1, operations: ['transcribe', 'translate'] },
  video: {
    text: 'prompt',
    attaches: ['image', 'video'],
    most: 1,
    operations: ['generateVideo', 'animateImage', 'remixVideo'],
  },
} as const satisfies Readonly<
  Record<
    TabId,
    {
      /** The field that is typed. */
      readonly text: 'prompt' | 'input' | undefined;
      readonly attaches: readonly AttachmentKind[];
      /** How many attachments; another one replaces the only one. */
      readonly most: number;
      readonly operations: readonly OperationId[];
    }
  >
>;

export function tabOf(operation: OperationId): TabId {
  return tabIds.find((id) => (tabs[id].operations as readonly OperationId[]).includes(operation)) ?? 'image';
}

/** The operation that a tab does with these attachments. */
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
