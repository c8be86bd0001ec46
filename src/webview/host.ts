import { HostRequests, vscode } from './HostRequests.ts';
import { type HostMessage, hostMessage, type KeptState, keptState, requests } from './protocol/messages.ts';
import { reply } from './protocol/requestTable.ts';

/** What the host tells a view to do. */
export type Instruction = Exclude<HostMessage, { readonly type: 'parts' }>;

export const { request, post } = new HostRequests(requests);

/** Passes on the host's messages that are not replies. @returns a function that stops listening */
export function listen(onMessage: (message: HostMessage) => void): () => void {
  const receive = ({ data }: MessageEvent<unknown>): void => {
    if (reply(data)) return;
    if (!hostMessage(data)) {
      // biome-ignore lint/suspicious/noConsole: nothing else tells why the view no longer changes
      console.error('a message of the host has an unexpected shape');
      return;
    }
    onMessage(data);
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

let keepsScroll = false;

/** Saves how far a view is scrolled, a few times a second while it is. Not all browsers tell when scrolling ends. */
export function keepScroll(scroller: HTMLElement): void {
  if (keepsScroll) return;
  keepsScroll = true;
  setTimeout(() => {
    keepsScroll = false;
    keep({ scroll: scroller.scrollTop });
  }, 150);
}
