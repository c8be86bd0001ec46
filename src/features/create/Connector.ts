import { MediaError } from '../../operations/MediaError.ts';
import { operationIds } from '../../operations/operations.ts';
import { isLoopback } from '../../service/ServiceConfiguration.ts';
import {
  describeConnection,
  type ServiceDraft,
  type ServiceSetup,
  type SetupProblem,
  type Trial,
} from '../../service/ServiceSetup.ts';
import {
  type BodyOf,
  type ConnectedService,
  type Connecting,
  type ConnectProblem,
  maxModels,
  type ReplyOf,
} from '../../webview/protocol/messages.ts';

/** Connects the service that the view asks for. The key passes through and is stored only in the secret storage. */
export class Connector {
  readonly #setup: ServiceSetup;
  readonly #now: () => number;
  #running: AbortController | undefined;
  /** Set while the form is shown because the person asked for it. */
  #form: Pick<Connecting, 'asked' | 'hasKey'> | undefined;

  constructor(setup: ServiceSetup, now: () => number = Date.now) {
    this.#setup = setup;
    this.#now = now;
  }

  /** Opens the form, with the values of the current service. */
  async ask(): Promise<void> {
    const hasKey = await this.#setup.hasKey(this.#setup.draft.hosts);
    this.#form = { asked: this.#now(), hasKey };
  }

  /** Closes the form. A test that runs saves nothing. */
  close(): void {
    this.stop();
    this.#form = undefined;
  }

  /** @returns undefined while no form is shown */
  form(isRequired: boolean): Connecting | undefined {
    const asked = this.#form;
    if (!isRequired && !asked) return undefined;
    const { hosts, scheme } = this.#setup.draft;
    return { isRequired, asked: 0, hosts, scheme, hasKey: false, ...asked };
  }

  /**
   * @param isTried false to use the service although a test failed
   * @param insecureHost a host that the person allows plain http to
   */
  async connect(typed: ServiceDraft, isTried: boolean, insecureHost?: string): Promise<ReplyOf<'connect'>> {
    this.stop();
    const { image, audio, video } = typed.hosts;
    const hosts = { image: withProtocol(image), audio: withProtocol(audio), video: withProtocol(video) };
    const draft = { ...typed, hosts };
    const running = new AbortController();
    this.#running = running;
    const { signal } = running;
    const setup = this.#setup;
    try {
      if (insecureHost !== undefined) await setup.allowInsecureHost(draft, insecureHost);
      const wrong = await setup.checkDraft(draft);
      if (wrong) return { problem: connectProblemOf(wrong, false) };
      const trial = isTried ? await tryAll(setup, draft, signal) : setup.untried;
      // Nothing is saved after a stop, even if the test has succeeded meanwhile.
      if (signal.aborted) return {};
      if (trial.problem) return { problem: connectProblemOf(trial.problem, trial.problem.step !== 'scheme') };
      const saved = await setup.saveConnection(draft, trial);
      this.#form = undefined;
      return { connected: describe(setup, describeConnection(setup, { saved, isTried })) };
    } catch (error) {
      if (signal.aborted) return {};
      if (!(error instanceof MediaError)) throw error;
      return { problem: { step: 'settings', sentence: error.message, isProxy: false, canSkip: false } };
    }
  }

  stop(): void {
    this.#running?.abort();
  }

  /** Makes the names the first choice of their operations; the other chosen models follow. */
  async saveModels({ models, preset }: BodyOf<'saveModels'>): Promise<void> {
    if (preset !== this.#setup.preset) await this.#setup.savePreset(preset);
    for (const id of operationIds) {
      const name = models[id]?.trim();
      if (name === undefined) continue;
      const others = this.#setup.models(id).chosen.filter((one) => one !== name);
      await this.#setup.saveModels(id, name === '' ? [] : [name, ...others]);
    }
  }
}

/** Completes an address that a person typed as they say it, such as `api.example.com/v1`. */
function withProtocol(address: string): string {
  const [, host] = /^(localhost|[a-z\d-]+(?:\.[a-z\d-]+)+)(?::\d+)?(?:\/|$)/i.exec(address.trim()) ?? [];
  if (host === undefined) return address;
  return `${isLoopback(host) ? 'http' : 'https'}://${address.trim()}`;
}

async function tryAll(setup: ServiceSetup, draft: ServiceDraft, signal: AbortSignal): Promise<Trial> {
  const problem = await setup.checkAddresses(draft.hosts, signal);
  return problem ? { ...setup.untried, problem } : setup.tryService(draft, signal);
}

function connectProblemOf(
  { step, area, sentence, suggestion, insecureHost, reason }: SetupProblem,
  canSkip: boolean,
): ConnectProblem {
  return { step, area, sentence, suggestion, insecureHost, isProxy: reason === 'proxy', canSkip };
}

function describe(setup: ServiceSetup, summary: string): ConnectedService {
  const models = setup.operations.map((operation) => {
    const { names, gone, chosen, guesses } = setup.models(operation);
    return {
      operation,
      names: names.slice(0, maxModels),
      gone: gone.slice(0, maxModels),
      chosen: chosen[0] ?? '',
      guess: guesses[0],
    };
  });
  return { summary, models, preset: setup.preset };
}
