import * as vscode from 'vscode';

/** Chooses the first of these buttons in every warning until it is disposed; e2e tests click real buttons. */
export function answerDialogs(...buttons: readonly (string | undefined)[]): Disposable & { readonly asked: string[] } {
  const { showWarningMessage } = vscode.window;
  const asked: string[] = [];
  const answer = (question: string, _options: unknown, ...offered: readonly string[]): Thenable<string | undefined> => {
    asked.push(question);
    return Promise.resolve(offered.find((button) => buttons.includes(button)));
  };
  Object.assign(vscode.window, { showWarningMessage: answer });
  return {
    asked,
    [Symbol.dispose]: () => {
      Object.assign(vscode.window, { showWarningMessage });
    },
  };
}
