import * as l10n from '@vscode/l10n';
import { render, type VNode } from 'preact';
import type { Shape } from '../foreign/shape.ts';
import {
  type BodyIn,
  reply as isReply,
  type NameIn,
  type Reply,
  type ReplyIn,
  type RequestTable,
} from './protocol/requestTable.ts';

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

/** VS Code's API for webviews. A page may acquire it only once. */
export const vscode = acquireVsCodeApi();

/** Posts requests to the extension host and settles each with the reply of the same id. */
export class HostRequests<Table extends RequestTable> {
  readonly #table: Table;
  readonly #pending = new Map<number, (reply: Reply) => void>();
  /** Begins above the ids of the page before: VS Code passes a late reply to its request on to this page. */
  #lastId = Date.now();

  constructor(table: Table) {
    this.#table = table;
    window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (!isReply(data)) return;
      this.#pending.get(data.id)?.(data);
      this.#pending.delete(data.id);
    });
  }

  /**
   * Posts a request and resolves with its reply, which may take as long as the user needs to answer a dialog.
   *
   * @throws Error with a sentence for the user when the host reports a failure
   */
  readonly request = <Name extends NameIn<Table>>(
    name: Name,
    body: BodyIn<Table, Name>,
  ): Promise<ReplyIn<Table, Name>> => {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, (reply) => {
        if (reply.type === 'failed') reject(new Error(reply.message));
        else if (this.#table[name]?.reply(reply.value)) resolve(reply.value as ReplyIn<Table, Name>);
        else reject(new Error(`${name}: the reply has an unexpected shape`));
      });
      vscode.postMessage({ id, name, body });
    });
  };

  /** Posts a request and ignores its reply; the host logs failures. */
  readonly post = <Name extends NameIn<Table>>(name: Name, body: BodyIn<Table, Name>): void => {
    this.request(name, body).catch(() => undefined);
  };
}

/** Renders a page with the data that the host put into it. Without such data the host's sentence stays in the page. */
export function renderPage<Start>(isStart: Shape<Start>, view: (start: Start) => VNode): void {
  const root = document.querySelector('main');
  if (!root) return;
  l10n.config({ contents: root.dataset.translations ?? '{}' });
  const start: unknown = JSON.parse(root.dataset.start ?? 'null');
  if (!isStart(start)) return;
  root.replaceChildren();
  render(view(start), root);
}
