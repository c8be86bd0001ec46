import type { BodyOf, Draft, HostMessage, KeptState, ReplyOf, RequestName } from './protocol/messages.ts';
import { hostMessage, keptState, requests } from './protocol/messages.ts';

interface VsCode {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: KeptState): void;
}

declare function acquireVsCodeApi(): VsCode;

/** The editor's end of this view; it is given out only once. */
const vscode = acquireVsCodeApi();

interface Pending {
  settle(value: unknown): void;
  fail(error: Error): void;
}

const pending = new Map<number, Pending>();
let lastId = 0;

/**
 * Asks the host.
 *
 * @returns its reply; it may take as long as the person takes to answer a dialog
 * @throws Error with the host's sentence
 */
export function request<Name extends RequestName>(name: Name, body: BodyOf<Name>): Promise<ReplyOf<Name>> {
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    pending.set(id, {
      fail: reject,
      settle: (value) => {
        const isReply: (reply: unknown) => boolean = requests[name].reply;
        if (isReply(value)) resolve(value as ReplyOf<Name>);
        else reject(new Error(`${name}: the reply has another shape`));
      },
    });
    vscode.postMessage({ id, name, body });
  });
}

/** The same for who needs no reply; what goes wrong is in the log of the host. */
export function tell<Name extends RequestName>(name: Name, body: BodyOf<Name>): void {
  request(name, body).catch(() => undefined);
}

type Told = Exclude<HostMessage, { readonly type: 'reply' | 'failed' }>;

/** Takes what the host sends. @returns what ends it */
export function listen(onTold: (message: Told) => void): () => void {
  const take = ({ data }: MessageEvent<unknown>): void => {
    if (!hostMessage(data)) return;
    if (data.type !== 'reply' && data.type !== 'failed') {
      onTold(data);
      return;
    }
    const waiting = pending.get(data.id);
    pending.delete(data.id);
    if (data.type === 'reply') waiting?.settle(data.value);
    else waiting?.fail(new Error(data.message));
  };
  window.addEventListener('message', take);
  return () => window.removeEventListener('message', take);
}

/** What this view held before it was hidden. */
export function kept(): KeptState | undefined {
  const state = vscode.getState();
  return keptState(state) ? state : undefined;
}

export function keep(changes: Partial<KeptState>, draft: Draft): void {
  vscode.setState({ scroll: 0, ...kept(), draft, ...changes });
}
