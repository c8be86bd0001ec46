import type { Message } from './messages.ts';

interface VsCode {
  postMessage(message: Message): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCode;

/** The editor's end of this view; it is given out only once. */
const vscode = acquireVsCodeApi();

export function tell(message: Message): void {
  vscode.postMessage(message);
}

/** How far the view was scrolled when it was last seen. */
export function keptScroll(): number {
  const state = vscode.getState();
  return typeof state === 'object' && state !== null && 'scroll' in state ? Number(state.scroll) : 0;
}

export function keepScroll(scroll: number): void {
  vscode.setState({ scroll });
}
