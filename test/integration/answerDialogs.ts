import * as vscode from 'vscode';

/** Chooses the first of these buttons in every warning until it is disposed; e2e tests click real buttons. */
export function answerDialogs(
  ...buttons: readonly (string | undefined)[]
): Disposable & { readonly asked: string[]; readonly details: string[] } {
  const { showWarningMessage } = vscode.window;
  const asked: string[] = [];
  const details: string[] = [];
  const answer = (question: string, options: unknown, ...offered: readonly string[]): Thenable<string | undefined> => {
    asked.push(question);
    if (typeof options === 'object' && options !== null && 'detail' in options) details.push(String(options.detail));
    return Promise.resolve(offered.find((button) => buttons.includes(button)));
  };
  Object.assign(vscode.window, { showWarningMessage: answer });
  return {
    asked,
    details,
    [Symbol.dispose]: () => {
      Object.assign(vscode.window, { showWarningMessage });
    },
  };
}
