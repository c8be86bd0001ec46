import { HostRequests, vscode } from './HostRequests.ts';
import type { BodyOf, HostMessage, KeptState, ReplyOf, RequestName } from './protocol/messages.ts';
import { hostMessage, keptState, requests } from './protocol/messages.ts';
import type { Reply } from './protocol/requestTable.ts';

const hostRequests = new HostRequests(requests);

/**
 * Posts a request to the extension host.
 *
 * @throws Error with a sentence for the user when the host reports a failure
 */
export function request<Name extends RequestName>(name: Name, body: BodyOf<Name>): Promise<ReplyOf<Name>> {
  return hostRequests.request(name, body);
}

/** Posts a request and ignores its reply; the host logs failures. */
export function post<Name extends RequestName>(name: Name, body: BodyOf<Name>): void {
  request(name, body).catch(() => undefined);
}

/** What the host tells a view to do. */
export type Instruction = Exclude<HostMessage, Reply | { readonly type: 'parts' }>;

/** Passes on the host's messages that are not replies. @returns a function that stops listening */
export function listen(onMessage: (message: Exclude<HostMessage, Reply>) => void): () => void {
  const receive = ({ data }: MessageEvent<unknown>): void => {
    if (!hostMessage(data)) {
      // biome-ignore lint/suspicious/noConsole: nothing else tells why the view no longer changes
      console.error('a message of the host has an unexpected shape');
      return;
    }
    if (data.type === 'reply' || data.type === 'failed') hostRequests.settle(data);
    else onMessage(data);
  };
  window.addEventListener('message', receive);
  return () => window.removeEventListener('message', receive);
}

/** Returns what the view saved before it was hidden. */
export function kept(): KeptState | undefined {
  const state = vscode.getState();
  return keptState(state) ? state : undefined;
}

/** Saves changes, unless there is something among them that {@link kept} would not read. */
export function keep(changes: KeptState): void {
  if (keptState(changes)) vscode.setState({ ...kept(), ...changes });
}
