import { importWithEditor } from './editorStub.ts';

/** A person in front of modules that ask in dialogs. */
export const person: {
  /** What was asked. */
  readonly asked: { readonly question: string; readonly detail: string }[];
  /** The button that the person chooses next; undefined dismisses a dialog. */
  answer: string | undefined;
} = { asked: [], answer: undefined };

const editor = {
  window: {
    showWarningMessage: async (question: string, { detail }: { readonly detail: string }) => {
      person.asked.push({ question, detail });
      return person.answer;
    },
    withProgress: (_: unknown, work: (...all: unknown[]) => unknown) =>
      work({ report: () => undefined }, { onCancellationRequested: () => ({ dispose: () => undefined }) }),
  },
};
const requests = new URL('../../src/editor/requests/', import.meta.url);

export const { JobActions } = await importWithEditor<typeof import('../../src/editor/requests/JobActions.ts')>(
  new URL('JobActions.ts', requests),
  editor,
);
export const { RequestSender } = await importWithEditor<typeof import('../../src/editor/requests/RequestSender.ts')>(
  new URL('RequestSender.ts', requests),
  editor,
);
export const { completeRequest, maySendAll } = await importWithEditor<
  typeof import('../../src/editor/requests/completeRequest.ts')
>(new URL('completeRequest.ts', requests), editor);
export const { maySend } = await importWithEditor<typeof import('../../src/editor/askAbout.ts')>(
  new URL('../askAbout.ts', requests),
  editor,
);
