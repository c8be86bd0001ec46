import * as vscode from 'vscode';
import { plainText } from '../../editor/displayText.ts';

export type Frame = Pick<vscode.QuickInput, 'title' | 'step' | 'totalSteps'>;

/** Undefined when the question was dismissed. `skip` continues although the answer was refused. */
export type Reply<T> = { readonly value: T; readonly move: 'on' | 'back' | 'skip' } | undefined;

/** Why an answer was refused. */
export interface Refusal {
  readonly sentence: string;
  /** Whether the person may continue anyway. */
  readonly canSkip: boolean;
  /** A button for something else that the person can do about it. */
  readonly remedy?: vscode.QuickInputButton & { run(): unknown };
}

export interface TextQuestion {
  readonly value: string;
  readonly placeholder: string;
  readonly prompt: string;
  readonly password?: boolean;
  /** What is wrong with the initial value. */
  readonly refusal?: Refusal | undefined;
  /** Checks a value without sending anything. */
  check(value: string): string | undefined;
  /** Tests an accepted value; `busy` says meanwhile what is happening. */
  readonly trial?: {
    readonly busy: string;
    run(value: string, signal: AbortSignal): Promise<Refusal | undefined>;
  };
}

/** Asks for a text. A refused text stays in the box. */
export function enterText(question: TextQuestion, frame: Frame): Promise<Reply<string>> {
  const input = vscode.window.createInputBox();
  const { value, placeholder, prompt, password = false } = question;
  // The text must not get lost when the person looks something up in another window.
  Object.assign(input, frame, { value, placeholder, prompt, password, ignoreFocusOut: true });
  return new Promise<Reply<string>>((resolve, reject) => {
    const answering = new Answering(input, question, resolve);
    answering.show(question.refusal);
    input.onDidChangeValue(() => answering.change());
    input.onDidAccept(() => void answering.accept().catch(reject));
    input.onDidTriggerButton((button) => answering.press(button));
    input.onDidHide(() => answering.leave());
    input.show();
  }).finally(() => input.dispose());
}

const skipButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('arrow-right'),
  tooltip: vscode.l10n.t('Continue Anyway'),
});

class Answering {
  readonly #input: vscode.InputBox;
  readonly #question: TextQuestion;
  readonly #resolve: (reply: Reply<string>) => void;
  readonly #skip = skipButton();
  #refusal: Refusal | undefined;
  #trial: AbortController | undefined;

  constructor(input: vscode.InputBox, question: TextQuestion, resolve: (reply: Reply<string>) => void) {
    this.#input = input;
    this.#question = question;
    this.#resolve = resolve;
  }

  /** @param refusal undefined to show none */
  show(refusal: Refusal | undefined): void {
    this.#refusal = refusal;
    const { sentence = '', canSkip = false, remedy } = refusal ?? {};
    const message = canSkip ? vscode.l10n.t('{0} Use the arrow above to continue anyway.', sentence) : sentence;
    this.#input.validationMessage = message === '' ? undefined : plainText(message);
    this.#input.prompt = this.#trial ? this.#question.trial?.busy : this.#question.prompt;
    this.#input.busy = this.#trial !== undefined;
    this.#input.buttons = [
      ...((this.#input.step ?? 1) > 1 ? [vscode.QuickInputButtons.Back] : []),
      ...(remedy ? [remedy] : []),
      ...(canSkip ? [this.#skip] : []),
    ];
  }

  /** Typing aborts the test of the previous text. */
  change(): void {
    this.#stop();
    const { value } = this.#input;
    const sentence = value === '' ? undefined : this.#question.check(value);
    this.show(sentence === undefined ? undefined : { sentence, canSkip: false });
  }

  async accept(): Promise<void> {
    if (this.#trial) return;
    const { value } = this.#input;
    const sentence = this.#question.check(value);
    if (sentence !== undefined) return this.show({ sentence, canSkip: false });
    const trial = new AbortController();
    this.#trial = trial;
    this.show(undefined);
    try {
      const refusal = await this.#question.trial?.run(value, trial.signal);
      if (trial.signal.aborted) return;
      this.#trial = undefined;
      if (refusal) this.show(refusal);
      else this.#resolve({ value, move: 'on' });
    } catch (error) {
      if (!trial.signal.aborted) throw error;
    }
  }

  press(button: vscode.QuickInputButton): void {
    const { value } = this.#input;
    if (button === this.#refusal?.remedy) this.#refusal.remedy.run();
    else this.#end({ value, move: button === this.#skip ? 'skip' : 'back' });
  }

  leave(): void {
    this.#end(undefined);
  }

  #end(reply: Reply<string>): void {
    this.#stop();
    this.#resolve(reply);
  }

  #stop(): void {
    this.#trial?.abort();
    this.#trial = undefined;
  }
}
