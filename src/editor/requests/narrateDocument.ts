import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { pointerProblem } from '../../files/lfsPointer.ts';
import { nameIn } from '../../files/pathFrom.ts';
import { hashOf } from '../../files/sha256.ts';
import { notificationText } from '../../foreign/plainText.ts';
import { fileNameOf } from '../../library/fileName.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { fieldTable, validValues, withoutFiles } from '../../operations/declarations.ts';
import { withoutUndefined } from '../../operations/fields.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { field, operations } from '../../operations/operations.ts';
import { checkFurther } from '../../operations/toRequest.ts';
import { checkFields, validateField } from '../../operations/validateRequest.ts';
import { DocumentReader } from '../../reading/DocumentReader.ts';
import { documentKey, makeNarration, type SavedNarration } from '../../wholes/makeNarration.ts';
import { isSpoken, type NarrationBlock } from '../../wholes/NarrationBlock.ts';
import { narrationFormats } from '../../wholes/narrate.ts';
import {
  isSameNarration,
  type NarrationPlan,
  paidBlocks,
  planNarration,
  type RecordedNarration,
  readNarrations,
} from '../../wholes/planNarration.ts';
import { ownTranscript } from '../../wholes/recordNarration.ts';
import { chosenValues, isSameSpeaker, type Speaker, speakerFields } from '../../wholes/Speaker.ts';
import { SpokenSoFar, type WholeOptions } from '../../wholes/SpokenSoFar.ts';
import { maxCharactersOf } from '../../wholes/speakInParts.ts';
import type { RunOptions } from '../../work/Attempt.ts';
import type { PlaceReference } from '../../work/Job.ts';
import type { JobRunner } from '../../work/JobRunner.ts';
import { isUnknownOutcome } from '../../work/jobErrors.ts';
import { maySend, maySendAgain, type UnsentRequest } from '../askAbout.ts';
import { type Caller, Click } from '../Caller.ts';
import { run } from '../commands.ts';
import { describeProgress } from '../describeJob.ts';
import { uriArgument } from '../MediaInputs.ts';
import { notify } from '../notify.ts';
import { tryToShow } from '../runCommand.ts';
import { askRequest } from './askRequest.ts';
import { completeRequest, maySendAll } from './completeRequest.ts';
import { NarratedDocument, playerArgument, UriHashes } from './NarratedDocument.ts';
import type { RunParts } from './requests.ts';
import { withJobProgress } from './showRun.ts';

/** What is known before anything is asked or sent. */
interface Subject {
  readonly document: vscode.TextDocument;
  readonly narrated: NarratedDocument;
  /** Newest first. */
  readonly own: readonly RecordedNarration[];
  /** The narration whose file is still as it was recorded. */
  readonly current: RecordedNarration | undefined;
  readonly sandbox: boolean;
}

export interface Ready extends Subject {
  readonly speaker: Speaker;
  readonly blocks: readonly NarrationBlock[];
  /** Maximum length of a block. */
  readonly maxCharacters: number;
  readonly plan: NarrationPlan;
  /** Paragraphs that are paid for, but whose sound could not be saved. A yes to send again is about them, too. */
  readonly unusable: readonly NarrationBlock[];
  /** Keys of the paragraph that is spoken again. */
  readonly again?: ReadonlySet<string>;
}

export type OnSpoken = (document: vscode.Uri, spoken: SpokenSoFar) => void;

/** Narrates documents: speaks what has changed, and joins it with the existing parts. */
export class DocumentNarrator {
  readonly #runner: JobRunner;
  readonly #parts: RunParts;
  readonly #hashes = new UriHashes();
  readonly #reader = new DocumentReader();

  constructor(runner: JobRunner, parts: RunParts) {
    this.#runner = runner;
    this.#parts = parts;
  }

  /**
   * @param argument `{uri, model, voice, response_format, fields}`, the Uri of a document, or nothing for the active one; a
   *   button narrates with the recorded voice
   * @param running options of a job that is run again; without them a notification shows the progress
   * @param onSpoken called when the first paragraph is there, and others are missing
   * @returns undefined when the person dismissed a question
   */
  async run(
    argument: unknown,
    caller: Caller,
    running?: RunOptions,
    onSpoken?: OnSpoken,
  ): Promise<readonly Asset[] | undefined> {
    const { log, lastUsed } = this.#parts;
    const fields = narrationFields(argument, this.#parts.settings.declaredFields);
    const ready = await this.prepare(fields, caller === 'person');
    if (!ready) return undefined;
    const known = await this.upToDate(ready);
    if (known) {
      if (caller === 'person') void tryToShow(log, showNarration(ready.document.uri, known));
      return [known.asset];
    }
    const asks = caller === 'person' || running?.isAttended === true;
    const omitted = asks ? describeOmitted(await ready.narrated.omittedPlaces()) : '';
    if (asks && !(await isAgreed(ready, omitted, this.#parts))) return undefined;
    const work = (options: RunOptions) => this.speak(ready, options, asks, onSpoken);
    const made = running ? await work(running) : await withNarrationProgress(work);
    const spoken = ready.plan.generate.length;
    if (caller === 'person') await lastUsed.worked('speak', ready.sandbox, ready.speaker.model);
    if (caller === 'person') void tryToShow(log, showNarration(ready.document.uri, { ...made, spoken, omitted }));
    return [made.asset];
  }

  /** How many documents are spoken at a time. */
  get atOnce(): number {
    return Math.max(1, this.#runner.maxConcurrentJobs);
  }

  /** Speaks what is missing. @param asks whether a person is asked about what may be billed again */
  speak(ready: Ready, options: RunOptions, asks: boolean, onSpoken?: OnSpoken): Promise<SavedNarration> {
    const onFirst = (spoken: SpokenSoFar) => onSpoken?.(ready.document.uri, spoken);
    const hear: WholeOptions['hear'] = (parts, folders) => new SpokenSoFar(parts, folders, onFirst);
    return this.#narrate(ready, { ...options, hear }).catch(async (error: unknown) => {
      if (
        asks &&
        isUnknownOutcome(error) &&
        (await maySendAgain(unsentOf(ready, ready.unusable), this.#parts.settings))
      ) {
        return this.#narrate(ready, { ...options, hear, again: true });
      }
      throw error;
    });
  }

  /**
   * Finds out what is to be spoken of a document, and asks a person for the voice that is missing.
   *
   * @param start the speaker of a document that has no narration
   * @returns undefined when the person dismissed a question
   */
  async prepare(fields: NarrationFields, byPerson: boolean, start?: Speaker): Promise<Ready | undefined> {
    return this.#prepare(await this.#subjectOf(fields.uri), fields, byPerson, start);
  }

  async #subjectOf(uri: vscode.Uri | undefined): Promise<Subject> {
    const document = await openDocument(uri);
    const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri;
    if (!root)
      throw invalidField(
        'uri',
        vscode.l10n.t('The document is not in a workspace folder. Save it in one, or open its folder.'),
      );
    const { settings, places } = this.#parts;
    const narrated = new NarratedDocument(document, root, settings, this.#hashes, this.#reader);
    const own = await narrated.ownOf(await readNarrations(places.libraryOf(root)));
    return { document, narrated, own, current: await narrated.currentOf(own), sandbox: settings.usesSandbox };
  }

  /** @returns undefined when the person dismissed a question */
  async #prepare(
    subject: Subject,
    fields: NarrationFields,
    byPerson: boolean,
    start?: Speaker,
  ): Promise<Ready | undefined> {
    const { document, narrated, own, current, sandbox } = subject;
    const { service } = this.#parts;
    const pointer =
      pointerProblem(posix.basename(document.uri.path), document.getText()) ??
      (current ? undefined : await narrated.pointerAmong(own));
    if (pointer !== undefined) throw invalidField('uri', pointer);
    if (!(await narrated.texts).some(({ text, say = text }) => isSpoken(say))) {
      throw invalidField('uri', vscode.l10n.t('There is no text to read aloud.'));
    }
    const speaker = await this.#speakerFor(subject, fields, byPerson, start);
    if (!speaker) return undefined;
    if (!narrationFormats.includes(speaker.response_format)) {
      const formats = narrationFormats.join(', ');
      throw invalidField(
        'response_format',
        vscode.l10n.t('Audio in this format cannot be joined into one file. Use {0}.', formats),
      );
    }
    const maxCharacters = await this.#maxCharactersOf(subject, speaker);
    const blocks = await narrated.blocks(speaker, sandbox, maxCharacters);
    const states = await this.#runner.store.statesOf(
      blocks.map(({ key }) => key),
      { root: narrated.root.toString() },
    );
    const { line } = fields;
    const again =
      line === undefined ? undefined : new Set(await narrated.keysAt(line, speaker, sandbox, maxCharacters));
    const kept = (current?.blocks ?? []).filter(({ key }) => !again?.has(key));
    const plan = planNarration(blocks, [...kept, ...paidBlocks(blocks, states)]);
    if (again) checkOnly(again, plan, current);
    if (plan.generate.length > 0) await service.checkReady('speak');
    const unusable = blocks.filter(({ key }) => states?.get(key) === 'unusable');
    return { ...subject, speaker, blocks, maxCharacters, plan, unusable, again };
  }

  /** Returns the length that blocks are split to: that of an unfinished narration whose parts are paid for, or may be. */
  async #maxCharactersOf({ document, narrated }: Subject, speaker: Speaker): Promise<number> {
    const speechMaxCharacters = this.#parts.settings.get('speech.maxCharacters');
    const own = { key: await documentKey(document.uri.toString()), request: { ...speaker, input: narrated.path } };
    return maxCharactersOf(own, await this.#runner.store.partsOf(own.key), { speechMaxCharacters, splitsAnew: true });
  }

  /** Returns the recorded model and voice, else those used last, unless the argument has others. Asks for no voice. */
  async #speakerFor(
    { narrated, own, sandbox }: Subject,
    { speaker: given, fields }: NarrationFields,
    byPerson: boolean,
    start: Speaker | undefined,
  ): Promise<Speaker | undefined> {
    // The sandbox has models of its own.
    const recorded = own.find((one) => one.sandbox === sandbox)?.speaker ?? start;
    const { lastUsed, service, settings } = this.#parts;
    const canJoin = narrationFormats.some((format) => format === settings.valueFor('speak', formatField));
    const response_format = recorded?.response_format ?? (canJoin ? undefined : narrationFormats[0]);
    const known = { ...recorded, response_format };
    const table = fieldTable('speak', settings.declaredFields, given.model ?? recorded?.model);
    const chosen = { ...validValues(table, withoutFiles(table, recorded?.further?.values ?? {})), ...fields };
    if (!recorded) await service.checkReady('speak');
    const request = await completeRequest(
      'speak',
      withoutUndefined({ ...known, ...given, fields: chosen, input: (await narrated.texts)[0]?.text ?? '-' }),
      { sandbox, base: narrated.root, videos: [], start: {}, byPerson },
      this.#parts,
    );
    if (!request || !('voice' in request)) return undefined;
    const { input: _, ...speaker } = request;
    if (byPerson) {
      const { further: __, ...fields } = speaker;
      await lastUsed.sent('speak', sandbox, { ...lastUsed.get('speak', sandbox), ...fields });
    }
    return speaker;
  }

  /** Returns the narration when it already matches the document, and is recorded for its path. */
  async upToDate({ narrated, current, blocks, again }: Ready): Promise<SavedNarration | undefined> {
    if (!current || again || current.document !== narrated.path) return undefined;
    if (!isSameNarration(blocks, current.blocks)) return undefined;
    const { places } = this.#parts;
    const { folder } = places.placeAt(places.referenceIn(narrated.root, folderOf(current.file)));
    const { name, sha256 } = current.transcript;
    if ((await ownTranscript(folder, name, new Set([sha256]))) === 'missing') return undefined;
    const { speaker, mediaType, bytes, createdAt, jobId } = current;
    const uri = folder.uriOf(posix.basename(current.file));
    const facts = { mediaType, bytes, sha256: current.sha256, createdAt, jobId };
    return {
      asset: { uri, kind: 'speech', operation: 'speak', model: speaker.model, ...facts },
      transcript: folder.uriOf(name),
    };
  }

  async #narrate(ready: Ready, options: WholeOptions): Promise<SavedNarration> {
    const { document, narrated, speaker } = ready;
    const { places } = this.#parts;
    const reference = await this.#placeFor(ready);
    const task = {
      ...ready,
      uri: document.uri.toString(),
      document: narrated.path,
      documentHash: hashOf(document.getText()),
      name: nameFor(document),
      fields: chosenValues(speaker, this.#parts.settings.declaredFields),
      reference,
      place: places.placeAt(reference),
    };
    return makeNarration(task, this.#runner, options);
  }

  /** Returns the folder of the existing narration, or else the one where the document's project keeps audio. */
  async #placeFor({ document, narrated: { root }, own, current = own[0] }: Ready): Promise<PlaceReference> {
    const { places } = this.#parts;
    if (current) return places.referenceIn(root, folderOf(current.file));
    const reference = await places.referenceForDocument(document, 'speech', false);
    if (!reference) throw new Error('a document in a workspace folder has no place');
    return reference;
  }
}

/**
 * Asks the person to confirm a narration of many characters, or one with another model, voice or format, which speaks
 * everything again.
 */
async function isAgreed(ready: Ready, omitted: string, { settings }: Pick<RunParts, 'settings'>): Promise<boolean> {
  const { speaker, plan } = ready;
  const { generate, characters } = plan;
  const before = otherBefore(ready, settings.declaredFields);
  const requests = unsentOf(ready);
  if (!before || generate.length === 0) {
    return (await maySendAll(requests, settings, omitted)) !== undefined;
  }
  const title = questionFor(
    generate.length,
    characters,
    before.speaker.voice === speaker.voice ? undefined : speaker.voice,
  );
  const other = vscode.l10n.t(
    'The narration was made with a different model, voice, format or further field ({0}, {1}), so no part of it can be reused.',
    before.speaker.model,
    before.speaker.voice,
  );
  const note = [omitted, other].filter(Boolean).join(' ');
  const billing = vscode.l10n.t('The service may bill each paragraph.');
  return (await maySend({ title, billing, note, requests, send: vscode.l10n.t('Narrate') }, settings)) !== undefined;
}

/** Returns the newest narration if another model, voice, format or further field made it, so that no part can be reused. */
export function otherBefore({ own, sandbox, speaker }: Ready, declared: unknown): RecordedNarration | undefined {
  const [before] = own;
  return before && (before.sandbox !== sandbox || !isSameSpeaker(before.speaker, speaker, declared))
    ? before
    : undefined;
}

export function unsentOf({ plan, sandbox }: Ready, others: readonly NarrationBlock[] = []): readonly UnsentRequest[] {
  return [...plan.generate, ...others].map(({ request }) => ({ operation: 'speak', request, sandbox }));
}

function questionFor(paragraphs: number, count: number, voice: string | undefined): string {
  const characters = count.toLocaleString(vscode.env.language);
  if (voice === undefined) {
    return paragraphs === 1
      ? vscode.l10n.t('Speak one paragraph again ({0} characters)?', characters)
      : vscode.l10n.t('Speak {0} paragraphs again ({1} characters)?', paragraphs, characters);
  }
  return paragraphs === 1
    ? vscode.l10n.t('Speak one paragraph again with the voice {0} ({1} characters)?', voice, characters)
    : vscode.l10n.t('Speak {0} paragraphs again with the voice {1} ({2} characters)?', paragraphs, voice, characters);
}

/** Says how much of a document is not spoken as it stands; empty if all of it is. */
export function describeOmitted(places: number): string {
  if (places === 0) return '';
  return places === 1
    ? vscode.l10n.t('One place, such as code or a formula, is left out or read differently.')
    : vscode.l10n.t('{0} places, such as code and formulas, are left out or read differently.', places);
}

/** Names a new narration after its document. */
function nameFor({ uri, languageId }: vscode.TextDocument): string {
  const source = posix.parse(uri.path).name;
  return fileNameOf(source, { prompt: '', operation: 'narration', model: languageId, source, time: new Date() });
}

function folderOf(file: string): string {
  return file.includes('/') ? posix.dirname(file) : '';
}

export interface NarrationFields {
  /** URI of the document; undefined for the active one. */
  readonly uri: vscode.Uri | undefined;
  readonly speaker: Partial<Speaker>;
  /** Values of further fields. */
  readonly fields?: object;
  /** A line, from 0, whose paragraph is spoken again although nothing changed. */
  readonly line?: number;
}

const formatField = field('speak', 'response_format');
const speakerNames = speakerFields.map(({ name }) => name);

/** @throws MediaError `invalidInput` that names the first invalid field */
export function narrationFields(argument: unknown, declared: unknown): NarrationFields {
  if (argument === undefined) return { uri: undefined, speaker: {} };
  if (argument instanceof vscode.Uri) return { uri: argument, speaker: {} };
  const title = vscode.l10n.t('Narrate Document');
  const { uri, line, fields = {}, ...given } = checkFields(title, ['uri', 'line', 'fields', ...speakerNames], argument);
  if (line !== undefined && !(typeof line === 'number' && Number.isInteger(line) && line >= 0)) {
    throw invalidField('line', vscode.l10n.t('It must be a line, counted from 0.'));
  }
  const speaker = given as Partial<Speaker>;
  for (const one of fieldTable('speak', declared).own) {
    if (given[one.name] !== undefined) validateField(one, given[one.name]);
  }
  checkFurther(fieldTable('speak', declared, speaker.model), declared, fields);
  return { uri: uriArgument(uri), line, speaker, fields: { ...(fields as object) } };
}

/**
 * Opens the document to narrate.
 *
 * @throws MediaError `invalidInput` when it cannot be opened as text
 */
async function openDocument(uri: vscode.Uri | undefined): Promise<vscode.TextDocument> {
  const target = uri ?? activeUri();
  if (!target) throw invalidField('uri', vscode.l10n.t('Open a document first.'));
  try {
    return await vscode.workspace.openTextDocument(target);
  } catch {
    throw invalidField('uri', vscode.l10n.t('{0} cannot be opened as text.', vscode.workspace.asRelativePath(target)));
  }
}

/** @throws MediaError when more would be spoken than the paragraph that was asked for */
function checkOnly(
  again: ReadonlySet<string>,
  { generate }: NarrationPlan,
  current: RecordedNarration | undefined,
): void {
  if (!current) throw invalidField('uri', vscode.l10n.t('It has no narration yet. Narrate the document first.'));
  if (again.size === 0) throw invalidField('line', vscode.l10n.t('There is no text to read aloud.'));
  if (generate.every(({ key }) => again.has(key))) return;
  throw invalidField('uri', vscode.l10n.t('Other paragraphs have changed, too. Narrate the document first.'));
}

function invalidField(field: 'uri' | 'response_format' | 'line', problem: string): MediaError {
  const labels = {
    uri: vscode.l10n.t('Document'),
    response_format: vscode.l10n.t('Audio format'),
    line: vscode.l10n.t('Line'),
  };
  const label = labels[field];
  return new MediaError('invalidInput', `${label} (${field}): ${problem}`, { field });
}

/** Custom editors, such as a rendering Markdown editor, are not text editors. */
function activeUri(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return (
    vscode.window.activeTextEditor?.document.uri ?? (input instanceof vscode.TabInputCustom ? input.uri : undefined)
  );
}

/** Shows in a notification which paragraph is being spoken. The person can cancel it. */
function withNarrationProgress<T>(work: (options: RunOptions) => Promise<T>): Thenable<T> {
  return withJobProgress(vscode.l10n.t('Narrate Document'), 'person', (options, report) => {
    let paragraph = '';
    const onProgress: RunOptions['onProgress'] = (progress) => {
      const words = notificationText(describeProgress(progress));
      if (progress.stage === 'speaking') {
        paragraph = words;
        report(words, progress.paragraph === 1 ? 0 : 100 / progress.paragraphs);
      } else report(`${paragraph}: ${words}`);
    };
    return work({ ...options, onProgress });
  });
}

/** Reports the outcome of a narration, with buttons to show its line above the document and to insert a player. */
async function showNarration(
  document: vscode.Uri,
  {
    spoken,
    omitted = '',
    ...narration
  }: SavedNarration & {
    /** Number of paragraphs that were spoken; undefined when the narration was up to date. */
    readonly spoken?: number;
    /** Says how much of the document was not spoken as it stands. */
    readonly omitted?: string;
  },
): Promise<void> {
  const name = nameIn(narration.asset.uri);
  const show = vscode.l10n.t('Show');
  const insert = vscode.l10n.t('Insert Player');
  const change = vscode.l10n.t('Change Voice…');
  const chosen = await notify.information(
    [sentenceFor(name, spoken), omitted].filter(Boolean).join(' '),
    show,
    insert,
    change,
  );
  if (chosen === change) await changeVoice(document);
  if (chosen === show) await vscode.window.showTextDocument(document, { selection: new vscode.Range(0, 0, 0, 0) });
  if (chosen === insert) {
    await vscode.window.showTextDocument(document);
    await run(commandIds.insertAsset, playerArgument(narration));
  }
}

/** Narrates a document with another voice. What that costs is asked before. */
async function changeVoice(uri: vscode.Uri): Promise<void> {
  const voice = field('speak', 'voice');
  const answers = await askRequest({ ...operations.speak, title: 'Narrate Document' }, [
    { field: voice, value: () => undefined, isSettled: () => false, suggestions: () => [] },
  ]);
  if (answers) await run(commandIds.narrateDocument, Click.on({ uri, ...answers }));
}

function sentenceFor(name: string, spoken: number | undefined): string {
  if (spoken === undefined) return vscode.l10n.t('The narration {0} is up to date. Nothing was sent.', name);
  if (spoken === 0) return vscode.l10n.t('Saved {0}. No paragraph had to be spoken again.', name);
  if (spoken === 1) return vscode.l10n.t('Saved {0}. One paragraph was spoken.', name);
  return vscode.l10n.t('Saved {0}. {1} paragraphs were spoken.', name, spoken);
}
