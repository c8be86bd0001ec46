import * as vscode from 'vscode';

type Dialog =
  | 'showInformationMessage'
  | 'showWarningMessage'
  | 'showErrorMessage'
  | 'showOpenDialog'
  | 'showWorkspaceFolderPick';

/** Answers one kind of dialog in a person's place until it is disposed; keeps what was asked. */
export function answerDialog(dialog: Dialog, answer: (...question: readonly unknown[]) => unknown) {
  const { [dialog]: real } = vscode.window;
  const questions: string[] = [];
  const stand = (...question: readonly unknown[]): Promise<unknown> => {
    questions.push(String(question[0]));
    return Promise.resolve(answer(...question));
  };
  Object.assign(vscode.window, { [dialog]: stand });
  return {
    questions,
    [Symbol.dispose]: () => {
      Object.assign(vscode.window, { [dialog]: real });
    },
  };
}
