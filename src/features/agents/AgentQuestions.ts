import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { AgentAnswer, AgentQuestion } from '../../agents/prepareCall.ts';
import { contributedSettings } from '../../contributions.ts';
import { askAbout, describeCosts, maxSections } from '../../editor/askAbout.ts';
import { askInDialog } from '../../editor/askInDialog.ts';
import { operationTitle } from '../../editor/describeJob.ts';
import type { Memory } from '../../editor/Memory.ts';
import { notify } from '../../editor/notify.ts';
import type { Settings } from '../../editor/Settings.ts';
import { markdownCode } from '../../foreign/escape.ts';
import { plainLine, shortLine } from '../../foreign/plainText.ts';
import { type Fact, inQuotes, requestFacts } from '../../library/requestFacts.ts';
import {
  type AmountName,
  type Amounts,
  amountNames,
  describeAmount,
  describeAmountIn,
  readAmounts,
  smaller,
} from '../../operations/amounts.ts';
import { operations } from '../../operations/operations.ts';
import { countedOf } from '../../operations/prices.ts';
import type { JobList } from '../../work/Job.ts';

interface WaitingQuestion {
  readonly question: AgentQuestion;
  answer(answer: AgentAnswer): void;
}

/** Parallel calls of an agent within this time are asked about together, in milliseconds. */
const gatherDelay = 250;

/**
 * Asks the person about requests beyond the agents' budget, requests with an address, and those that chat has not shown.
 * Nothing is sent before the answer.
 */
export class AgentQuestions implements vscode.Disposable {
  readonly #jobs: JobList;
  readonly #settings: Pick<Settings, 'prices'>;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #waiting = new Map<string, WaitingQuestion>();
  #shown: Promise<void> | undefined;

  constructor(jobs: JobList, settings: Pick<Settings, 'prices'>) {
    this.#jobs = jobs;
    this.#settings = settings;
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
      // Nobody should agree to a request that the question has no room for.
      const all = [...this.#waiting.values()].slice(0, maxSections);
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

  async #answerOne({ question, answer }: WaitingQuestion): Promise<void> {
    const generate = vscode.l10n.t('Generate');
    const notes = {
      address: vscode.l10n.t(
        'You are asked about every address that an agent names. Nothing is sent unless you agree.',
      ),
      unlimited: vscode.l10n.t(
        'A whole number without a declared maximum may multiply what is made. Nothing is sent unless you agree.',
      ),
      budget: vscode.l10n.t('The agents’ budget does not cover this request. Nothing is sent unless you agree.'),
      notShown: vscode.l10n.t('Chat has not shown you what would be sent now. Nothing is sent unless you agree.'),
    } as const;
    const sections = [{ facts: questionFacts(question, this.#settings) }];
    const chosen = await askAbout({ title: questionTitle(question), sections, note: notes[question.reason] }, generate);
    answer(chosen === generate ? 'yes' : 'no');
  }

  /** @returns false when the person wants to decide one by one */
  async #answerTogether(all: readonly WaitingQuestion[]): Promise<boolean> {
    const generate = vscode.l10n.t('Generate All {0}', all.length);
    const each = vscode.l10n.t('One by One');
    const title = vscode.l10n.t('{0} requests of agents are waiting for your answer.', all.length);
    const sections = all.map(({ question }) => ({
      title: questionTitle(question),
      facts: questionFacts(question, this.#settings),
    }));
    const note = vscode.l10n.t('Nothing is sent unless you agree.');
    const chosen = await askAbout({ title, sections, note }, generate, each);
    if (chosen === each) return false;
    for (const { answer } of all) answer(chosen === generate ? 'yes' : 'no');
    return true;
  }

  async #notify(question: AgentQuestion): Promise<void> {
    const open = vscode.l10n.t('Answer…');
    const message = vscode.l10n.t('An agent is waiting for your answer. {0}', questionTitle(question));
    if ((await notify.warning(message, open)) === open) await this.show();
  }
}

type AskedCall = Omit<AgentQuestion, 'id' | 'reason'>;

/** Describes in one line what is about to be sent. */
export function questionTitle({ caller, call }: AskedCall): string {
  const what = operationTitle(call);
  return vscode.l10n.t(
    '{0}: {1} with {2}?',
    `${what} (${shortLine(caller.name, 60)})`,
    describeAmounts(call.amounts),
    inQuotes(shortLine(call.request.model, 60)),
  );
}

/** Returns the facts that a person needs to decide. All of what is sent is among them. */
function questionFacts({ call, left }: AskedCall, settings: Pick<Settings, 'prices'>): readonly Fact[] {
  const price = call.sandbox
    ? vscode.l10n.t('none, the sandbox is free')
    : describeCosts(settings, [{ model: call.request.model, counted: countedOf(call.amounts, call.request) }]);
  const { operation, request, sends, place, service, purpose, amounts } = call;
  const name = place.fileName.includes('${') ? '' : place.fileName;
  const saved = posix.join(decodeURIComponent(posix.basename(place.root)), place.path, name);
  const isTranscript = operations[operation].result === 'transcripts';
  return [
    { name: vscode.l10n.t('Service'), value: plainLine(service) },
    ...(purpose === undefined ? [] : [{ name: vscode.l10n.t('For'), value: shortLine(purpose, 200) }]),
    ...requestFacts({ operation, request, files: sends }),
    { name: vscode.l10n.t('Saves to'), value: plainLine(saved) },
    ...(isTranscript ? [{ name: vscode.l10n.t('Format'), value: place.transcriptFormat }] : []),
    { name: vscode.l10n.t('Price'), value: price ?? vscode.l10n.t('unknown') },
    { name: vscode.l10n.t('Left for agents today'), value: describeLeft(amounts, left) },
  ];
}

/** Returns the same facts for chat. Prompts come from outside, so nothing in them is Markdown. */
export function questionMarkdown(asked: AskedCall, settings: Pick<Settings, 'prices'>): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  for (const { name, value } of questionFacts(asked, settings)) {
    // A dialog shows the source.
    text.appendMarkdown(`- **${name}:** ${markdownCode(plainLine(value))}\n`);
  }
  return text;
}

/** Describes all counts above zero, except that of a single request. */
function describeAmounts(amounts: Amounts): string {
  return amountNames
    .filter((name) => amounts[name] > (name === 'requests' ? 1 : 0))
    .map((name) => describeAmountIn(amounts, name, vscode.env.language))
    .join(', ');
}

/** Describes what is left of the amounts that a request needs. */
function describeLeft(needed: Amounts, left: Amounts): string {
  return amountNames
    .filter((name) => needed[name] > 0)
    .map((name) => describeAmount(name, left[name], vscode.env.language))
    .join(', ');
}

const { default: defaultBudget } = contributedSettings['agents.budget'];

/**
 * What agents may spend per day without asking. Agents can write settings, so a raised number counts only after the
 * person accepted it. A lowered number counts at once.
 */
export class AcceptedBudget {
  readonly #memory: Memory;
  readonly #configured: () => Amounts;
  /** Budgets, as JSON, that the person declined in this window. */
  readonly #refused = new Set<string>();
  #asking: Promise<void> | undefined;

  /** @param setting returns the configured budget */
  constructor(memory: Memory, setting: () => unknown) {
    this.#memory = memory;
    this.#configured = () => readAmounts(setting(), defaultBudget);
  }

  get limit(): Amounts {
    return smaller(this.#configured(), this.#accepted);
  }

  /**
   * Asks about raised numbers, once per window.
   *
   * @param onAsking called before the person is asked
   */
  async confirm(onAsking: () => void): Promise<void> {
    const configured = this.#configured();
    const raised = amountNames.filter((name) => configured[name] > this.#accepted[name]);
    const text = JSON.stringify(configured);
    if (raised.length === 0 || this.#refused.has(text)) return;
    onAsking();
    this.#asking ??= this.#ask(raised, configured, text).finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  get #accepted(): Amounts {
    return readAmounts(this.#memory.get('acceptedBudget'), defaultBudget);
  }

  async #ask(raised: readonly AmountName[], configured: Amounts, text: string): Promise<void> {
    const accept = vscode.l10n.t('Accept');
    const amounts = raised.map((name) => describeAmount(name, configured[name], vscode.env.language)).join(', ');
    const question = vscode.l10n.t('Let agents spend more without asking you?');
    const detail = vscode.l10n.t(
      'The setting “unifiedMedia.agents.budget” was raised. If you accept, agents may use up to {0} per day without asking you, and the service may bill all of it. Accept only if you changed the setting yourself.',
      amounts,
    );
    const answer = await Promise.resolve(askInDialog(question, detail, accept)).catch(() => undefined);
    if (answer !== accept) this.#refused.add(text);
    else {
      const accepted = this.#accepted;
      const larger = Object.fromEntries(amountNames.map((name) => [name, Math.max(accepted[name], configured[name])]));
      await this.#memory.set('acceptedBudget', larger);
    }
  }
}
