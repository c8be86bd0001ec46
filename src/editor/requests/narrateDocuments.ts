import pLimit from 'p-limit';
import * as vscode from 'vscode';
import { shortLine } from '../../foreign/plainText.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { describeAmount } from '../../operations/amounts.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { checkFields } from '../../operations/validateRequest.ts';
import { type Speaker, speakerFields } from '../../wholes/Speaker.ts';
import { maySend } from '../askAbout.ts';
import type { Caller } from '../Caller.ts';
import { urisArgument } from '../MediaInputs.ts';
import { notify } from '../notify.ts';
import { tryToShow } from '../runCommand.ts';
import { showError } from '../showError.ts';
import { documentsToNarrate } from './documentsToNarrate.ts';
import {
  type DocumentNarrator,
  describeOmitted,
  narrationFields,
  type OnSpoken,
  otherBefore,
  type Ready,
  unsentOf,
} from './narrateDocument.ts';
import type { RunParts } from './requests.ts';
import { withJobProgress } from './showRun.ts';

interface Narrated {
  readonly uri: vscode.Uri;
  readonly asset: Asset;
}

interface Failed {
  readonly uri: vscode.Uri;
  readonly error: unknown;
}

interface Prepared {
  /** What is to be spoken or joined. */
  readonly ready: readonly Ready[];
  /** Narrations that match their documents. */
  readonly known: readonly Asset[];
  readonly failed: readonly Failed[];
}

/**
 * Narrates documents as *Narrate Document* does, after one question for all of them. Where one fails, the others are made.
 *
 * @param argument `{uris, model, voice, response_format, fields}` of documents and folders, or one Uri
 * @returns the narrations, and the failure for a program, which names its document: a person has seen all failures;
 *   undefined when the person dismissed a question
 */
export async function narrateDocuments(
  argument: unknown,
  caller: Caller,
  narrator: DocumentNarrator,
  parts: RunParts,
  onSpoken: OnSpoken,
): Promise<{ readonly assets: readonly Asset[]; readonly failure?: unknown } | undefined> {
  const byPerson = caller === 'person';
  const given = fieldsIn(argument);
  const documents = await documentsToNarrate(urisArgument(argument), byPerson);
  const prepared = await prepareAll(documents, given, byPerson, { narrator, parts });
  if (!prepared || (byPerson && !(await isAgreed(prepared.ready, parts)))) return undefined;
  const { ready, known } = prepared;
  const { made, failed } = await speakAll(ready, caller, narrator, onSpoken);
  const failures = [...prepared.failed, ...failed];
  const assets = [...known, ...made.map(({ asset }) => asset)];
  if (!byPerson) return { assets, failure: failures[0] && named(failures[0]) };
  const [{ speaker, sandbox } = { speaker: undefined, sandbox: false }] = ready;
  if (speaker && made.length > 0) await parts.lastUsed.worked('speak', sandbox, speaker.model);
  report(made.length, known.length, failures, parts);
  return { assets };
}

/** @throws MediaError `invalidInput` that names the first unknown field */
function fieldsIn(argument: unknown): object {
  if (argument instanceof vscode.Uri) return {};
  const names = ['uris', 'fields', ...speakerFields.map(({ name }) => name)];
  const { uris: _, ...given } = checkFields(vscode.l10n.t('Narrate Documents'), names, argument);
  return given;
}

/** Prepares one after the other, so that a person is asked once for the voice of those that have none. */
async function prepareAll(
  documents: readonly vscode.Uri[],
  given: object,
  byPerson: boolean,
  { narrator, parts }: { readonly narrator: DocumentNarrator; readonly parts: Pick<RunParts, 'settings'> },
): Promise<Prepared | undefined> {
  const { declaredFields } = parts.settings;
  // Refused before anything is asked.
  narrationFields(given, declaredFields);
  const prepared: { ready: Ready[]; known: Asset[]; failed: Failed[] } = { ready: [], known: [], failed: [] };
  let chosen: Speaker | undefined;
  for (const uri of documents) {
    try {
      const ready = await narrator.prepare(narrationFields({ ...given, uri }, declaredFields), byPerson, chosen);
      if (!ready) return undefined;
      if (!ready.own.some(({ sandbox }) => sandbox === ready.sandbox)) chosen ??= ready.speaker;
      const known = await narrator.upToDate(ready);
      if (known) prepared.known.push(known.asset);
      else prepared.ready.push(ready);
    } catch (error) {
      prepared.failed.push({ uri, error });
    }
  }
  return prepared;
}

/** Most lines of the question, which must fit on the screen. */
const maxLines = 10;

/** Asks once about all that is sent. */
async function isAgreed(ready: readonly Ready[], { settings }: Pick<RunParts, 'settings'>): Promise<boolean> {
  const spoken = ready.filter(({ plan }) => plan.generate.length > 0);
  const requests = spoken.flatMap((one) => unsentOf(one).map((request) => ({ ...request, document: nameOf(one) })));
  if (requests.length === 0) return true;
  const shown = spoken.slice(0, spoken.length > maxLines ? maxLines - 1 : maxLines);
  const rest = spoken.slice(shown.length);
  const lines = shown.map((one) => `${shortLine(nameOf(one), 60)}: ${amountsOf([one])}`);
  if (rest.length > 0) lines.push(`${vscode.l10n.t('and {0} more', rest.length)}: ${amountsOf(rest)}`);
  const omitted = await Promise.all(spoken.map(({ narrated }) => narrated.omittedPlaces()));
  const others = spoken.filter((one) => otherBefore(one, settings.declaredFields));
  const other = vscode.l10n.t(
    'These narrations were made with a different model, voice, format or further field, so no part of them can be reused: {0}.',
    shortLine(others.map(nameOf).join(', '), 200),
  );
  const note = [
    describeOmitted(omitted.reduce((sum, places) => sum + places, 0)),
    ...(others.length > 0 ? [other] : []),
  ];
  const question = {
    title: questionFor(spoken),
    summary: lines.join('\n'),
    billing: vscode.l10n.t('The service may bill each paragraph.'),
    note: note.filter(Boolean).join(' '),
    requests,
    send: vscode.l10n.t('Narrate'),
  };
  return (await maySend(question, settings)) !== undefined;
}

function questionFor(spoken: readonly Ready[]): string {
  return spoken.length === 1
    ? vscode.l10n.t('Narrate one document ({0})?', amountsOf(spoken))
    : vscode.l10n.t('Narrate {0} documents ({1})?', spoken.length, amountsOf(spoken));
}

/** Returns such as `5 paragraphs, 412 characters`, of what is new or has changed. */
function amountsOf(all: readonly Ready[]): string {
  const paragraphs = all.reduce((sum, { plan }) => sum + plan.generate.length, 0);
  const characters = all.reduce((sum, { plan }) => sum + plan.characters, 0);
  return [
    paragraphs === 1 ? vscode.l10n.t('1 paragraph') : vscode.l10n.t('{0} paragraphs', paragraphs),
    describeAmount('characters', characters, vscode.env.language),
  ].join(', ');
}

function nameOf({ document }: Ready): string {
  return vscode.workspace.asRelativePath(document.uri);
}

/** Speaks as many documents at a time as requests may be out. The progress counts documents. */
async function speakAll(
  ready: readonly Ready[],
  caller: Caller,
  narrator: DocumentNarrator,
  onSpoken: OnSpoken,
): Promise<{ readonly made: readonly Narrated[]; readonly failed: readonly Failed[] }> {
  const made: Narrated[] = [];
  const failed: Failed[] = [];
  if (ready.length === 0) return { made, failed };
  const inTurn = pLimit(narrator.atOnce);
  const title =
    ready.length === 1 ? vscode.l10n.t('Narrate Document') : vscode.l10n.t('Narrate {0} Documents', ready.length);
  await withJobProgress(title, caller, (options, tell) =>
    inTurn.map(ready, async (one) => {
      const { uri } = one.document;
      const running = { ...options, onProgress: () => undefined };
      try {
        const { asset } = await narrator.speak(one, running, caller === 'person', onSpoken);
        made.push({ uri, asset });
      } catch (error) {
        failed.push({ uri, error });
      }
      const done = vscode.l10n.t('{0} of {1} documents', made.length + failed.length, ready.length);
      tell(done, 100 / ready.length);
    }),
  );
  return { made, failed };
}

/** Returns a failure that says which document it is about. */
function named({ uri, error }: Failed): unknown {
  if (!(error instanceof MediaError)) return error;
  const sentence = `${vscode.workspace.asRelativePath(uri)}: ${error.message}`;
  return new MediaError(error.kind, sentence, { ...error, cause: error });
}

/** Tells a person how many narrations there are, and why others are missing, each reason once. */
function report(made: number, known: number, failed: readonly Failed[], { log }: Pick<RunParts, 'log'>): void {
  const reasons = Map.groupBy(failed, ({ error }) => (error instanceof Error ? error.message : String(error)));
  for (const [first, ...others] of reasons.values()) {
    if (!first) continue;
    const names = [first, ...others].map(({ uri }) => vscode.workspace.asRelativePath(uri)).join(', ');
    void tryToShow(log, showError(first.error, shortLine(names, 200)));
  }
  if (made + known > 0) void notify.information(sentenceFor(made, known));
}

function sentenceFor(made: number, known: number): string {
  if (made === 0) return vscode.l10n.t('Narrations up to date: {0}. Nothing was sent for them.', known);
  const saved =
    made === 1 ? vscode.l10n.t('One narration was saved.') : vscode.l10n.t('{0} narrations were saved.', made);
  return known === 0 ? saved : `${saved} ${vscode.l10n.t('Up to date before: {0}.', known)}`;
}
