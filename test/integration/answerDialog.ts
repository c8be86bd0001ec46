import * as vscode from 'vscode';

type Dialog =
  | 'showInformationMessage'
  | 'showWarningMessage'
  | 'showErrorMessage'
  | 'showOpenDialog'
  | 'showQuickPick'
  | 'showWorkspaceFolderPick';

/** Answers one kind of dialog until it is disposed, and records the questions with their details. */
export function answerDialog(dialog: Dialog, answer: (...question: readonly unknown[]) => unknown) {
  const { [dialog]: real } = vscode.window;
  const questions: string[] = [];
  const details: string[] = [];
  const stand = (...question: readonly unknown[]): Promise<unknown> => {
    questions.push(String(question[0]));
    const [, options] = question;
    details.push(typeof options === 'object' && options && 'detail' in options ? String(options.detail) : '');
    return Promise.resolve(answer(...question));
  };
  Object.assign(vscode.window, { [dialog]: stand });
  return {
    questions,
    details,
    [Symbol.dispose]: () => {
      Object.assign(vscode.window, { [dialog]: real });
    },
  };
}

/** Chooses the first of these buttons in every warning until it is disposed; e2e tests click real buttons. */
export function answerWarning(...buttons: readonly unknown[]) {
  return answerDialog('showWarningMessage', (_question, _options, ...offered) =>
    offered.find((button) => buttons.includes(button)),
  );
}
