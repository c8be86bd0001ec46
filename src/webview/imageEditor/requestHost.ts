import type { ImageBodyOf, ImageReplyOf, ImageRequestName } from '../protocol/imageEditor.ts';
import { imageReply, imageRequests } from '../protocol/imageEditor.ts';
import type { EditState } from './editState.ts';
import { isEditState } from './editState.ts';

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: EditState): void;
};

/** The editor's end of this page; it is given out only once. */
const vscode = acquireVsCodeApi();

interface Pending {
  settle(value: unknown): void;
  fail(error: Error): void;
}

const pending = new Map<number, Pending>();
let lastId = 0;

window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (!imageReply(data)) return;
  const waiting = pending.get(data.id);
  pending.delete(data.id);
  if (data.failed === undefined) waiting?.settle(data.value);
  else waiting?.fail(new Error(data.failed));
});

/** What was chosen before the tab was hidden: the page is made anew each time that it is shown. */
export function keptState(): EditState | undefined {
  const state = vscode.getState();
  return isEditState(state) ? state : undefined;
}

export function keepState(state: EditState): void {
  vscode.setState(state);
}

/** Asks the host. @throws Error with the host's sentence */
export function requestHost<Name extends ImageRequestName>(
  name: Name,
  body: ImageBodyOf<Name>,
): Promise<ImageReplyOf<Name>> {
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    pending.set(id, {
      fail: reject,
      settle: (value) => {
        const isReply: (reply: unknown) => boolean = imageRequests[name].reply;
        if (isReply(value)) resolve(value as ImageReplyOf<Name>);
        else reject(new Error(`${name}: the reply has another shape`));
      },
    });
    vscode.postMessage({ id, name, body });
  });
}
