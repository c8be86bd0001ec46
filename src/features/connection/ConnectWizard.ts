import * as vscode from 'vscode';
import { commandOf, viewIds } from '../../contributions.ts';
import { notify } from '../../editor/notify.ts';
import { openProxySettings } from '../../editor/showError.ts';
import { notificationText } from '../../foreign/plainText.ts';
import type { Area, OperationId } from '../../operations/operations.ts';
import { areas, operations } from '../../operations/operations.ts';
import { keyProblem } from '../../service/ServiceConnection.ts';
import type { Connected, ServiceDraft, ServiceSetup, SetupProblem, Trial } from '../../service/ServiceSetup.ts';
import { addressProblem, describeConnection, schemeProblem } from '../../service/ServiceSetup.ts';

/** Asks for a service, then reports what is set up and offers to use it. */
export async function connectService(setup: ServiceSetup): Promise<void> {
  const connected = await new ConnectWizard(setup).run();
  // The command ends here; the notification may stay open.
  if (connected) void offerToUse(setup, connected);
}

async function offerToUse(setup: ServiceSetup, connected: Connected): Promise<void> {
  const generate = vscode.l10n.t('Generate an Image…');
  const open = vscode.l10n.t('Open the Media View');
  const offers = setup.operations.includes('generateImage') ? [generate, open] : [open];
  const chosen = await notify.information(describeConnection(setup, connected), ...offers);
  if (chosen === generate) await vscode.commands.executeCommand(commandOf('generateImage'));
  if (chosen === open) await vscode.commands.executeCommand(`${viewIds.create}.focus`);
}

type Step = 'layout' | 'one' | Area | 'scheme' | 'key' | 'models';
/** Where a step leads; undefined when the person left. */
type Move = 'on' | 'back' | Step | undefined;

const exampleAddress = 'https://api.example.com';
const usualWord = 'Bearer';

/** Asks for a service step by step. Values stay when a step fails or the person goes back. */
class ConnectWizard {
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

/** Lets a person choose the models of each operation, for as many operations as they like. */
async function chooseModels(setup: ServiceSetup, frame: Frame): Promise<Reply<undefined>> {
  for (let last: OperationId | undefined; ; ) {
    const reply = await chooseOne<OperationId | undefined>(
      { placeholder: placeholderOf(setup), choices: [done(), ...setup.operations.map(choiceOf)], active: last },
      frame,
    );
    if (!reply) return undefined;
    if (reply.move === 'back' || reply.value === undefined) return { value: undefined, move: reply.move };
    last = reply.value;
    const names = await pickNames(last, setup, frame);
    if (!names) return undefined;
    if (names.move === 'on') await setup.saveModels(last, names.value);
  }

  function choiceOf(id: OperationId) {
    const { chosen } = setup.models(id);
    const description = chosen.length > 0 ? chosen.join(', ') : vscode.l10n.t('no model chosen');
    return { label: vscode.l10n.t(operations[id].title), description, value: id };
  }
}

function done() {
  return { label: `$(check) ${vscode.l10n.t('Done')}`, value: undefined };
}

function placeholderOf({ listedModels }: ServiceSetup): string {
  return listedModels > 0
    ? vscode.l10n.t('Models found: {0}. Choose an operation to set its models, or Done', listedModels)
    : vscode.l10n.t('The service lists no models. Choose an operation to type model names, or Done');
}

/**
 * Lets a person choose among known and typed names. Earlier choices stay in front, because the first is the default.
 */
function pickNames(id: OperationId, setup: ServiceSetup, frame: Frame): Promise<Reply<readonly string[]>> {
  const { names, chosen } = setup.models(id);
  const input = vscode.window.createQuickPick();
  Object.assign(input, frame, { ignoreFocusOut: true, canSelectMany: true });
  input.title = `${frame.title}: ${vscode.l10n.t(operations[id].title)}`;
  input.placeholder = vscode.l10n.t('Choose models, or type a name; the first is the default');
  input.buttons = [vscode.QuickInputButtons.Back];
  const offered = new TypedItems(names);
  input.items = offered.items;
  input.selectedItems = offered.items.filter(({ label }) => chosen.includes(label));
  return new Promise<Reply<readonly string[]>>((resolve) => {
    input.onDidChangeValue((typed) => {
      const selected = input.selectedItems;
      if (!offered.type(typed, selected)) return;
      input.items = offered.items;
      input.selectedItems = selected;
    });
    input.onDidAccept(() => {
      const all = [...input.selectedItems.map(({ label }) => label), ...offered.meant];
      resolve({ value: [...new Set([...chosen.filter((name) => all.includes(name)), ...all])], move: 'on' });
    });
    input.onDidTriggerButton(() => resolve({ value: chosen, move: 'back' }));
    input.onDidHide(() => resolve(undefined));
    input.show();
  }).finally(() => input.dispose());
}

/** The offered names, and the typed one when it is new. */
class TypedItems {
  #items: readonly vscode.QuickPickItem[];
  #typed: vscode.QuickPickItem | undefined;
  #text = '';

  constructor(names: readonly string[]) {
    this.#items = names.map((label) => ({ label }));
  }

  get items(): readonly vscode.QuickPickItem[] {
    return this.#typed ? [...this.#items, this.#typed] : this.#items;
  }

  /**
   * The names meant by the typed text, without ticking: a new name, or the only match. Text that fits several names is
   * a filter.
   */
  get meant(): readonly string[] {
    if (this.#text === '') return [];
    const fitting = this.#items.filter(({ label }) => label.toLowerCase().includes(this.#text.toLowerCase()));
    if (fitting.length === 0) return [this.#text];
    const exact = fitting.length === 1 ? fitting : fitting.filter(({ label }) => label === this.#text);
    return exact.map(({ label }) => label);
  }

  /** @returns whether the items changed */
  type(text: string, selected: readonly vscode.QuickPickItem[]): boolean {
    const name = text.trim();
    this.#text = name;
    const before = this.#typed;
    // A typed name that is ticked stays in the list.
    if (before && selected.includes(before)) this.#items = [...this.#items, before];
    const isKnown = name === '' || this.#items.some(({ label }) => label === name);
    // Last, so that Enter takes the name that the typed letters find.
    this.#typed = isKnown ? undefined : { label: name, description: vscode.l10n.t('use this name'), alwaysShow: true };
    return before !== this.#typed;
  }
}

type Frame = Pick<vscode.QuickInput, 'title' | 'step' | 'totalSteps'>;

/** Undefined when the question was dismissed. `skip` continues although the answer was refused. */
type Reply<T> = { readonly value: T; readonly move: 'on' | 'back' | 'skip' } | undefined;

/** Why an answer was refused. */
interface Refusal {
  readonly sentence: string;
  /** Whether the person may continue anyway. */
  readonly canSkip: boolean;
  /** A button for something else that the person can do about it. */
  readonly remedy?: vscode.QuickInputButton & { run(): unknown };
}

interface TextQuestion {
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
function enterText(question: TextQuestion, frame: Frame): Promise<Reply<string>> {
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
    this.#input.validationMessage = message === '' ? undefined : notificationText(message);
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

interface Choice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

interface ChoiceQuestion<T> {
  readonly placeholder: string;
  readonly choices: readonly Choice<T>[];
  /** The value that is preselected. */
  readonly active: T;
}

/** Asks for one of several choices. */
function chooseOne<T>({ placeholder, choices, active }: ChoiceQuestion<T>, frame: Frame): Promise<Reply<T>> {
  const input = vscode.window.createQuickPick<Choice<T>>();
  Object.assign(input, frame, { placeholder, ignoreFocusOut: true, matchOnDescription: true });
  input.items = choices;
  input.activeItems = choices.filter(({ value }) => value === active).slice(0, 1);
  input.buttons = (frame.step ?? 1) > 1 ? [vscode.QuickInputButtons.Back] : [];
  return new Promise<Reply<T>>((resolve) => {
    input.onDidAccept(() => {
      const [chosen] = input.selectedItems;
      if (chosen) resolve({ value: chosen.value, move: 'on' });
    });
    input.onDidTriggerButton(() => resolve({ value: active, move: 'back' }));
    input.onDidHide(() => resolve(undefined));
    input.show();
  }).finally(() => input.dispose());
}
