import * as vscode from 'vscode';
import type { AgentAnswer, AgentQuestion } from '../../agents/AgentHost.ts';
import { oneLine, plainText } from '../../editor/displayText.ts';
import type { JobList } from '../../work/Job.ts';
import { questionFacts, questionTitle } from './describeQuestion.ts';

interface Waiting {
  readonly question: AgentQuestion;
  answer(answer: AgentAnswer): void;
}

/** Parallel calls of an agent within this time are asked about together, in milliseconds. */
const gatherDelay = 250;

/** Asks the person about requests beyond the agents' budget. Nothing is sent before the answer. */
export class AgentQuestions implements vscode.Disposable {
  readonly #jobs: JobList;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #waiting = new Map<string, Waiting>();
  #shown: Promise<void> | undefined;

  constructor(jobs: JobList) {
    this.#jobs = jobs;
  }

  dispose(): void {
    for (const { answer } of [...this.#waiting.values()]) answer('unasked');
    this.#changed.dispose();
  }

  get count(): number {
    return this.#waiting.size;
  }

  /** @returns `unasked` when no dialog can be shown */
  ask(question: AgentQuestion, signal: AbortSignal): Promise<AgentAnswer> {
    const { id, call, caller } = question;
    return new Promise((resolve) => {
      const leave = () => answer('no');
      const answer = (given: AgentAnswer) => {
        signal.removeEventListener('abort', leave);
        if (!this.#waiting.delete(id)) return;
        this.#jobs.remove(id);
        this.#changed.fire();
        resolve(given);
      };
      this.#waiting.set(id, { question, answer });
      signal.addEventListener('abort', leave, { once: true });
      const { operation, request, place, sandbox, purpose } = call;
      const agent = { name: caller.name, call: id, ...(purpose === undefined ? {} : { purpose }) };
      const createdAt = new Date().toISOString();
      const facts = { id, key: id, operation, request, place, sandbox, agent, createdAt };
      this.#jobs.set({ ...facts, state: 'queued', assets: {}, hasAnswer: false, waitsForPerson: true });
      this.#changed.fire();
      if (signal.aborted) leave();
      else if (caller.kind === 'chat' || vscode.window.state.focused) setTimeout(() => void this.show(), gatherDelay);
      else void this.#notify(question);
    });
  }

  /** Shows the waiting questions, one dialog after the other. */
  show(): Promise<void> {
    this.#shown ??= this.#showAll().finally(() => {
      this.#shown = undefined;
    });
    return this.#shown;
  }

  async #showAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const all = [...this.#waiting.values()];
      try {
        if (all.length > 1 && (await this.#answerTogether(all))) continue;
        for (const one of all) {
          // A caller may have cancelled its request meanwhile.
          if (this.#waiting.has(one.question.id)) await this.#answerOne(one);
        }
      } catch {
        // No dialog can be shown, as in tests; without an answer the callers would wait forever.
        for (const { answer } of all) answer('unasked');
      }
    }
  }

  async #answerOne({ question, answer }: Waiting): Promise<void> {
    const generate = vscode.l10n.t('Generate');
    const facts = questionFacts(question).map(([name, value]) => `${name}: ${value}`);
    const note = vscode.l10n.t('The agents’ budget does not cover this request. Nothing is sent unless you agree.');
    const detail = [...facts, '', note].join('\n');
    const chosen = await vscode.window.showWarningMessage(questionTitle(question), { modal: true, detail }, generate);
    answer(chosen === generate ? 'yes' : 'no');
  }

  /** @returns false when the person wants to decide one by one */
  async #answerTogether(all: readonly Waiting[]): Promise<boolean> {
    const generate = vscode.l10n.t('Generate All {0}', all.length);
    const each = vscode.l10n.t('One by One');
    const title = vscode.l10n.t('Agents made {0} requests that their budget does not cover.', all.length);
    const lines = all.map(({ question: { caller, call, left } }) => {
      const [, words = ''] =
        questionFacts({ caller, call, left }).find(([name]) => name === vscode.l10n.t('Prompt')) ?? [];
      return `${questionTitle({ caller, call, left })} ${oneLine(words)}`;
    });
    const detail = [...lines, '', vscode.l10n.t('Nothing is sent unless you agree.')].join('\n');
    const chosen = await vscode.window.showWarningMessage(title, { modal: true, detail }, generate, each);
    if (chosen === each) return false;
    for (const { answer } of all) answer(chosen === generate ? 'yes' : 'no');
    return true;
  }

  async #notify(question: AgentQuestion): Promise<void> {
    const open = vscode.l10n.t('Answer…');
    const message = plainText(vscode.l10n.t('An agent is waiting for your answer. {0}', questionTitle(question)));
    if ((await vscode.window.showWarningMessage(message, open)) === open) await this.show();
  }
}
