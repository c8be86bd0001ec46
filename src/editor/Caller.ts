import * as vscode from 'vscode';

/**
 * Who started something. A person answers questions, and sees progress, results and failures in notifications. A program
 * is asked only for what is missing, and gets results and failures from its command. A view has asked with its form or
 * its button, and shows the rest itself.
 *
 * Agents and manifests are no callers here: they ask and report by themselves (`Requests.makeAssets`, `Requests.forManifests`).
 */
export type Caller = 'person' | 'program' | 'view';

/**
 * What a person clicked: an item of a tree, or the argument of a button, a code lens or a quick fix of this extension.
 * VS Code passes the same object to the command. Other extensions cannot construct one, and would gain nothing: a person
 * is asked more questions than a program.
 */
export class Click {
  /** Whether the button has said what it may cost. */
  readonly #isTold: boolean;

  constructor(isTold = false) {
    this.#isTold = isTold;
  }

  static on<T extends object>(argument: T, { isTold = false } = {}): Click & T {
    return Object.assign(new Click(isTold), argument);
  }

  static isTold(argument: unknown): boolean {
    return argument instanceof Click && argument.#isTold;
  }
}

/** Tells from the argument of a command who called: the palette and shortcuts pass none, menus pass a Uri or an item. */
export function callerOf(argument: unknown): Caller {
  return argument === undefined || argument instanceof vscode.Uri || argument instanceof Click ? 'person' : 'program';
}
