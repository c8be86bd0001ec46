import * as vscode from 'vscode';

/** Answers every input box until it is disposed; e2e tests type into real ones. */
export function answerInputBoxes(text: string): Disposable {
  const { showInputBox } = vscode.window;
  const answer = (): Thenable<string> => Promise.resolve(text);
  Object.assign(vscode.window, { showInputBox: answer });
  return {
    [Symbol.dispose]: () => {
      Object.assign(vscode.window, { showInputBox });
    },
  };
}
