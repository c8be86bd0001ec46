import * as vscode from 'vscode';
import type { AmountName, Amounts } from '../../agents/Amounts.ts';
import { amountNames, defaultBudget, readAmounts, smaller } from '../../agents/Amounts.ts';
import { describeAmount } from './describeAmounts.ts';

const memoryKey = 'agents.acceptedBudget';

/**
 * What agents may spend per day without asking. Agents can write settings, so a raised number counts only after the
 * person accepted it. A lowered number counts at once.
 */
export class AcceptedBudget {
  readonly #memory: vscode.Memento;
  readonly #configured: () => Amounts;
  /** Budgets, as JSON, that the person declined in this window. */
  readonly #refused = new Set<string>();
  #asking: Promise<void> | undefined;

  /** @param setting returns the configured budget */
  constructor(memory: vscode.Memento, setting: () => unknown) {
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
    return readAmounts(this.#memory.get(memoryKey), defaultBudget);
  }

  async #ask(raised: readonly AmountName[], configured: Amounts, text: string): Promise<void> {
    const accept = vscode.l10n.t('Accept');
    const amounts = raised.map((name) => describeAmount(name, configured[name])).join(', ');
    const question = vscode.l10n.t('Let agents spend more without asking you?');
    const detail = vscode.l10n.t(
      'The setting “unifiedMedia.agents.budget” was raised. If you accept, agents may use up to {0} per day without asking you, and the service may bill all of it. Accept only if you changed the setting yourself.',
      amounts,
    );
    const answer = await Promise.resolve(
      vscode.window.showWarningMessage(question, { modal: true, detail }, accept),
    ).catch(() => undefined);
    if (answer !== accept) this.#refused.add(text);
    else {
      const accepted = this.#accepted;
      const larger = Object.fromEntries(amountNames.map((name) => [name, Math.max(accepted[name], configured[name])]));
      await this.#memory.update(memoryKey, larger);
    }
  }
}
