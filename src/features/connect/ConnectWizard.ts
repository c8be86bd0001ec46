import * as vscode from 'vscode';
import { keyProblem } from '../../editor/ApiKeys.ts';
import type { Connected } from '../../editor/describeConnection.ts';
import type { ServiceDraft, ServiceSetup, Trial } from '../../editor/ServiceSetup.ts';
import type { SetupProblem } from '../../editor/setupProblems.ts';
import { addressProblem, schemeProblem } from '../../editor/setupProblems.ts';
import { openProxySettings } from '../../editor/showError.ts';
import type { Area } from '../../operations/operations.ts';
import { areas } from '../../operations/operations.ts';
import { chooseModels } from './chooseModels.ts';
import { chooseOne } from './chooseOne.ts';
import type { Frame, Refusal, Reply } from './enterText.ts';
import { enterText } from './enterText.ts';

type Step = 'layout' | 'one' | Area | 'scheme' | 'key' | 'models';
/** Where a step leads; undefined when the person left. */
type Move = 'on' | 'back' | Step | undefined;

const exampleAddress = 'https://api.example.com';
const usualWord = 'Bearer';

/** Asks for a service step by step. Values stay when a step fails or the person goes back. */
export class ConnectWizard {
  readonly #setup: ServiceSetup;
  #draft: ServiceDraft;
  #layout: 'one' | 'each';
  /** A problem found by a later step, to be shown by the step that fixes it. */
  #problem: SetupProblem | undefined;
  /** Addresses that did not respond and that the person accepted anyway. */
  readonly #skipped = new Set<'one' | Area>();
  #connected: Connected | undefined;

  constructor(setup: ServiceSetup) {
    this.#setup = setup;
    this.#draft = setup.draft;
    this.#layout = new Set(Object.values(this.#draft.hosts)).size > 1 ? 'each' : 'one';
  }

  /** @returns undefined when the person left before the connection was saved */
  async run(): Promise<Connected | undefined> {
    for (let at = 0; ; ) {
      const steps = this.#steps();
      const step = steps[at];
      if (!step) return this.#connected;
      const title = vscode.l10n.t('Connect a Service');
      const move = await this.#ask(step, { title, step: at + 1, totalSteps: steps.length });
      if (move === undefined) return this.#connected;
      at = move === 'on' ? at + 1 : move === 'back' ? at - 1 : Math.max(0, steps.indexOf(move));
    }
  }

  #steps(): readonly Step[] {
    return ['layout', ...(this.#layout === 'one' ? (['one'] as const) : areas), 'scheme', 'key', 'models'];
  }

  #ask(step: Step, frame: Frame): Promise<Move> {
    switch (step) {
      case 'layout':
        return this.#askLayout(frame);
      case 'scheme':
        return this.#askScheme(frame);
      case 'key':
        return this.#askKey(frame);
      case 'models':
        return chooseModels(this.#setup, frame).then((reply) => moveOf(reply));
      default:
        return this.#askAddress(step, frame);
    }
  }

  async #askLayout(frame: Frame): Promise<Move> {
    const reply = await chooseOne(
      {
        placeholder: vscode.l10n.t('Where is the service?'),
        choices: [
          {
            label: vscode.l10n.t('One Address for Everything'),
            value: 'one',
          },
          {
            label: vscode.l10n.t('Separate Addresses'),
            description: vscode.l10n.t('for images, audio and video; any of them can be left out'),
            value: 'each',
          },
        ],
        active: this.#layout,
      },
      frame,
    );
    if (reply) this.#layout = reply.value === 'each' ? 'each' : 'one';
    return moveOf(reply);
  }

  async #askAddress(step: 'one' | Area, frame: Frame): Promise<Move> {
    const isOne = step === 'one';
    const reply = await enterText(
      {
        value: this.#draft.hosts[isOne ? 'image' : step],
        placeholder: exampleAddress,
        prompt: promptFor(step),
        refusal: this.#refusalFor('address'),
        check: (value) => {
          const isLeftOut = !isOne && value.trim() === '';
          return isLeftOut ? undefined : addressProblem(value);
        },
        trial: {
          busy: vscode.l10n.t('Checking whether the service responds, without sending the key…'),
          run: async (value, signal) => {
            if (value.trim() === '') return undefined;
            const problem = await this.#setup.checkAddress(value, signal);
            return problem && refusalOf(problem);
          },
        },
      },
      frame,
    );
    if (!reply) return undefined;
    const changed = isOne ? Object.fromEntries(areas.map((area) => [area, reply.value])) : { [step]: reply.value };
    this.#draft = { ...this.#draft, hosts: { ...this.#draft.hosts, ...changed } };
    if (reply.move === 'skip') this.#skipped.add(step);
    else this.#skipped.delete(step);
    return moveOf(reply);
  }

  async #askScheme(frame: Frame): Promise<Move> {
    const problem = this.#take('scheme');
    const { scheme } = this.#draft;
    const usual = ['', usualWord];
    const words = usual.includes(scheme) ? usual : [...usual, scheme];
    const reply = await chooseOne<string | undefined>(
      {
        placeholder: problem?.sentence ?? vscode.l10n.t('Does the service expect a word before the key?'),
        choices: [
          ...words.map((word) => ({
            label: word === '' ? vscode.l10n.t('The Key Alone') : vscode.l10n.t('“{0}” before the Key', word),
            description: `Authorization: ${word === '' ? '' : `${word} `}…`,
            value: word,
          })),
          { label: vscode.l10n.t('Another Word…'), value: undefined },
        ],
        active: problem?.suggestion ?? scheme,
      },
      frame,
    );
    if (reply?.move !== 'on') return moveOf(reply);
    if (reply.value === undefined) return this.#askWord(frame);
    this.#draft = { ...this.#draft, scheme: reply.value };
    return 'on';
  }

  async #askWord(frame: Frame): Promise<Move> {
    const reply = await enterText(
      {
        value: this.#draft.scheme,
        placeholder: usualWord,
        prompt: vscode.l10n.t('The word that the service expects before the key.'),
        check: (value) => schemeProblem(value),
      },
      frame,
    );
    if (reply?.move !== 'on') return reply && 'scheme';
    this.#draft = { ...this.#draft, scheme: reply.value.trim() };
    return 'on';
  }

  async #askKey(frame: Frame): Promise<Move> {
    const canKeep = await this.#setup.hasKey(this.#draft.hosts);
    let next: Move = 'on';
    const run = async (key: string, signal: AbortSignal): Promise<Refusal | undefined> => {
      this.#draft = { ...this.#draft, key };
      const trial = await this.#setup.tryService(this.#draft, signal);
      const { problem } = trial;
      if (!problem) return this.#save(trial, true);
      const address = this.#layout === 'one' ? 'one' : (problem.area ?? 'image');
      if (problem.step === 'key' || (problem.step === 'address' && this.#skipped.has(address)))
        return refusalOf(problem);
      this.#problem = problem;
      next = problem.step === 'scheme' ? 'scheme' : address;
      return undefined;
    };
    const question = {
      placeholder: canKeep ? vscode.l10n.t('Leave empty to keep the current key') : vscode.l10n.t('Paste the key'),
      prompt: vscode.l10n.t('The key is kept in the editor’s secret storage and sent only to this service.'),
      password: true,
      check: (value: string) => (canKeep && value.trim() === '' ? undefined : keyProblem(value)),
      trial: { busy: vscode.l10n.t('Testing the connection. No paid request is sent…'), run },
    };
    for (let refusal = this.#refusalFor('key'); ; ) {
      const reply = await enterText({ ...question, value: this.#draft.key, refusal }, frame);
      if (!reply) return undefined;
      this.#draft = { ...this.#draft, key: reply.value };
      if (reply.move === 'back') return 'back';
      if (reply.move === 'on') return next;
      refusal = await this.#save(this.#setup.untried, false);
      if (!refusal) return 'on';
    }
  }

  /**
   * Saves the draft.
   *
   * @returns why it could not be saved
   */
  async #save(trial: Trial, isTried: boolean): Promise<Refusal | undefined> {
    try {
      this.#connected = { isTried, saved: await this.#setup.saveConnection(this.#draft, trial) };
      return undefined;
    } catch (error) {
      return { sentence: error instanceof Error ? error.message : String(error), canSkip: false };
    }
  }

  #refusalFor(step: SetupProblem['step']): Refusal | undefined {
    const problem = this.#take(step);
    return problem && refusalOf(problem);
  }

  #take(step: SetupProblem['step']): SetupProblem | undefined {
    if (this.#problem?.step !== step) return undefined;
    const problem = this.#problem;
    this.#problem = undefined;
    return problem;
  }
}

function moveOf(reply: Reply<unknown>): Move {
  if (!reply) return undefined;
  return reply.move === 'back' ? 'back' : 'on';
}

function refusalOf({ sentence, reason }: SetupProblem): Refusal {
  if (reason !== 'proxy') return { sentence, canSkip: true };
  return {
    sentence,
    canSkip: true,
    remedy: {
      iconPath: new vscode.ThemeIcon('settings-gear'),
      tooltip: vscode.l10n.t('Open Proxy Settings'),
      run: openProxySettings,
    },
  };
}

function promptFor(step: 'one' | Area): string {
  switch (step) {
    case 'one':
      return vscode.l10n.t('The address of the service. One free request checks whether it responds.');
    case 'image':
      return vscode.l10n.t('The address for images. Leave it empty if the service has none.');
    case 'audio':
      return vscode.l10n.t('The address for speech and transcripts. Leave it empty if the service has none.');
    case 'video':
      return vscode.l10n.t('The address for videos. Leave it empty if the service has none.');
  }
}
