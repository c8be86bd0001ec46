import * as vscode from 'vscode';

/** Answers by a part of the question's placeholder or prompt; undefined dismisses the question. */
export type Answers = Readonly<Record<string, string | undefined>>;

type Input = vscode.InputBox | vscode.QuickPick<vscode.QuickPickItem>;

/** Answers the extension's questions until it is disposed, and records them. */
export function answerQuestions(answers: Answers) {
  const { createInputBox, createQuickPick } = vscode.window;
  const questions: string[] = [];
  const answerFor = (input: Input): string | undefined => {
    const question = [input.placeholder, 'prompt' in input ? input.prompt : ''].join(' ').trim();
    questions.push(question);
    const known = Object.keys(answers).find((part) => question.includes(part));
    if (known === undefined) throw new Error(`There is no answer to “${question}”.`);
    return answers[known];
  };
  Object.assign(vscode.window, {
    createInputBox: () =>
      answered(createInputBox(), (input) => {
        const answer = answerFor(input);
        if (answer !== undefined) input.value = answer;
        return answer !== undefined;
      }),
    createQuickPick: () =>
      answered(createQuickPick(), (input) => {
        const answer = answerFor(input);
        input.selectedItems = input.items.filter(({ label }) => label === answer);
        return input.selectedItems.length > 0;
      }),
  });
  return {
    questions,
    [Symbol.dispose]: () => {
      Object.assign(vscode.window, { createInputBox, createQuickPick });
    },
  };
}

/** An input that is accepted or dismissed as soon as it is shown. */
function answered<T extends Input>(input: T, answer: (input: T) => boolean): T {
  const accepting: (() => unknown)[] = [];
  const hiding: (() => unknown)[] = [];
  const listeningTo = (listeners: (() => unknown)[]) => (listener: () => unknown) => {
    listeners.push(listener);
    return { dispose: () => undefined };
  };
  return Object.assign(input, {
    onDidAccept: listeningTo(accepting),
    onDidHide: listeningTo(hiding),
    show: () => {
      for (const listener of answer(input) ? accepting : hiding) listener();
    },
  });
}
