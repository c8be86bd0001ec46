import * as vscode from 'vscode';

/** Answers every input box as a person would, until it is disposed; what needs typing is tested by clicks elsewhere. */
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
