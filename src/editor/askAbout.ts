import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import * as vscode from 'vscode';
import { type Agreed, type AgreedFile, readAgreed } from '../files/AgreedFile.ts';
import { plainLine } from '../foreign/plainText.ts';
import { type AskedRequest, type Fact, type FactsSection, requestFacts, shareFacts } from '../library/requestFacts.ts';
import { type Amounts, amountsOf, noAmounts } from '../operations/amounts.ts';
import { type MediaRequest, type OperationId, operations } from '../operations/operations.ts';
import { type Counted, costOfAll, countedOf, describeCost, readPrices } from '../operations/prices.ts';
import { isFileUrl } from '../service/inputFile.ts';
import { recordingMinutes } from '../sound/readRecording.ts';
import { requestsFor } from '../wholes/splitText.ts';
import type { JobInput } from '../work/JobRunner.ts';
import { focusPage, showDialog } from './askInDialog.ts';
import { notify } from './notify.ts';
import type { Settings } from './Settings.ts';

/** A question about requests. */
export interface RequestQuestion {
  readonly title: string;
  readonly sections: readonly FactsSection[];
  /** What the dialog shows instead of the sections, which are all under *Show All*. */
  readonly summary?: string;
  /** Says what the answers mean. */
  readonly note: string;
}

/** More requests would make a dialog that does not fit on the screen. */
export const maxSections = 5;

/**
 * Asks a person about requests. What does not fit into the dialog is counted there, and *Show All* opens the whole in a
 * read-only document, beside which the question stays.
 *
 * @returns the chosen button; undefined if the person dismissed the question
 */
export async function askAbout(
  { title, sections, summary, note }: RequestQuestion,
  ...buttons: readonly string[]
): Promise<string | undefined> {
  const [shared, own] = shareFacts(sections);
  const more = own.length - maxSections;
  const isCut =
    summary !== undefined || more > 0 || sections.some(({ facts }) => facts.some(({ whole }) => whole !== undefined));
  const cut = [
    ...[...shared, ...own.slice(0, maxSections)].map((section) => linesOf(section, ({ value }) => value).join('\n')),
    ...(more > 0 ? [vscode.l10n.t('And {0} more requests, which “Show All” lists.', more)] : []),
  ];
  const detail = [...(summary === undefined ? cut : [summary]), note].join('\n\n');
  const showAll = vscode.l10n.t('Show All');
  const offered = isCut ? [...buttons, showAll] : buttons;
  const chosen = await showDialog(title, detail, ...offered);
  if (chosen !== showAll || !isCut) {
    focusPage.getStore()?.();
    return chosen;
  }
  const all = [...shared, ...own].map((section) =>
    linesOf(section, ({ value, whole }) => (whole ? `\n${whole}\n` : value)),
  );
  await showText(vscode.l10n.t('What is sent'), [[title], ...all].map((lines) => lines.join('\n')).join('\n\n'));
  // A dialog would lie over the document.
  return await notify.warning(`${title} ${note}`, ...buttons);
}

/** A request that a person is asked about before it is sent. */
export interface UnsentRequest extends Pick<JobInput, 'operation' | 'request' | 'sandbox'> {
  /** Where the result is saved, if that is known. */
  readonly place?: JobInput['place'];
  /** Name of the document that it speaks a paragraph of, if there are several. */
  readonly document?: string;
}

export interface SpendingQuestion extends Pick<RequestQuestion, 'title' | 'summary'> {
  readonly requests: readonly UnsentRequest[];
  /** Says what the service may bill. */
  readonly billing: string;
  /** What else a person should know, in the sandbox, too. */
  readonly note?: string;
  /** The button that sends them. */
  readonly send: string;
}

/** Where requests go, and what they cost. */
export type SpendingSettings = Pick<Settings, 'hosts' | 'prices' | 'get'>;

/**
 * Asks a person whether requests may be sent, and shows all that is sent.
 *
 * @returns for each request its recording and the files of its further fields, to which the person has agreed; undefined
 *   instead of them where there is no recording that can be read without following a link; undefined if the person
 *   declined
 */
export async function maySend(
  { title, summary, billing, note, requests, send }: SpendingQuestion,
  settings: SpendingSettings,
): Promise<readonly Agreed[] | undefined> {
  const files = await Promise.all(requests.map(({ request }) => agreedFilesOf(request)));
  const sections = requests.map((one, index) => ({
    ...(requests.length > 1
      ? { title: plainLine(one.document ?? one.place?.exactName ?? vscode.l10n.t('Request {0}', index + 1)) }
      : {}),
    facts: factsOf(one, files[index] ?? [], settings),
  }));
  const sandbox = requests.every((one) => one.sandbox);
  const cost = sandbox ? undefined : await costOfRequests(requests, settings);
  const shown = [spendingNote({ sandbox, billing, cost }), note].filter(Boolean).join(' ');
  if ((await askAbout({ title, sections, summary, note: shown }, send)) !== send) return undefined;
  return files;
}

async function agreedFilesOf(request: MediaRequest): Promise<readonly AgreedFile[] | undefined> {
  if (!('file' in request)) return undefined;
  const { values = {}, files = [] } = request.further ?? {};
  const further = files.map((name) => values[name]).filter(isFileUrl);
  const read = (path: string) => readAgreed(path).catch(() => undefined);
  const [recording, ...others] = await Promise.all(
    [request.file, ...further.map((url) => fileURLToPath(url))].map(read),
  );
  // A further file that is a link is not in the list, so it is refused.
  return recording && [recording, ...others.filter((other) => other !== undefined)];
}

function factsOf(
  { operation, request, sandbox, place }: UnsentRequest,
  files: AskedRequest['files'],
  settings: Pick<Settings, 'hosts'>,
): readonly Fact[] {
  const folder = place && vscode.Uri.joinPath(vscode.Uri.parse(place.root, true), place.path, place.exactName ?? '');
  return [
    serviceFact(operation, sandbox, settings),
    ...requestFacts({ operation, request, files }),
    ...(folder ? [{ name: vscode.l10n.t('Saves to'), value: plainLine(folder.fsPath) }] : []),
  ];
}

/** Says below a question what requests may cost; that the sandbox, which makes them all, is free. */
export function spendingNote({
  sandbox,
  billing,
  cost,
}: {
  readonly sandbox: boolean;
  /** What the service may bill. */
  readonly billing: string;
  /** Such as “about 0.12 $”, if that is known. */
  readonly cost?: string;
}): string {
  if (sandbox) return vscode.l10n.t('The sandbox is free: nothing is billed.');
  return [...(cost === undefined ? [] : [vscode.l10n.t('By your prices: {0}.', cost)]), billing].join(' ');
}

async function costOfRequests(
  requests: readonly UnsentRequest[],
  settings: SpendingSettings,
): Promise<string | undefined> {
  // Recordings are read only where a price may need their length.
  if (!readPrices(settings.prices)) return undefined;
  const amounts = await amountsOfAll(requests, settings.get('speech.maxCharacters'));
  const all = requests.map(({ request }, index) => ({
    model: request.model,
    counted: countedOf(amounts[index] ?? noAmounts, request),
  }));
  return describeCosts(settings, all);
}

/** Says what requests to a service cost by the person's own prices; undefined if that of one is not known. */
export function describeCosts(
  settings: Pick<Settings, 'prices'>,
  all: readonly { readonly model: string; readonly counted: Counted }[],
): string | undefined {
  const prices = readPrices(settings.prices);
  const cost = costOfAll(prices, all);
  const isUpperBound = all.some(({ counted }) => counted.minutesAtMost);
  return prices && cost !== undefined ? describeCost(cost, prices, vscode.env.language, isUpperBound) : undefined;
}

/** Returns what each request counts as. */
export function amountsOfAll(requests: readonly UnsentRequest[], maxCharacters: number): Promise<readonly Amounts[]> {
  return Promise.all(
    requests.map(async ({ operation, request }) => {
      const { minutes, ...bound } = 'file' in request ? await recordingMinutes(request.file) : { minutes: 0 };
      return { ...amountsOf(operation, request, minutes, requestsFor(request, maxCharacters)), ...bound };
    }),
  );
}

/** Asks about requests of the person that were sent before with an unknown outcome. */
export async function maySendAgain(requests: readonly UnsentRequest[], settings: SpendingSettings): Promise<boolean> {
  const title = vscode.l10n.t('The same was sent before, and its outcome is unknown. Send it again?');
  const send = vscode.l10n.t('Send Again');
  return (await maySend({ title, requests, billing: billedAgain(), send }, settings)) !== undefined;
}

/** The note of questions about requests that may be paid for already. */
export function billedAgain(): string {
  return vscode.l10n.t('You may be billed again, because the service may already have processed the first request.');
}

/** Returns where a request goes. */
export function serviceFact(operation: OperationId, sandbox: boolean, { hosts }: Pick<Settings, 'hosts'>): Fact {
  const host = sandbox ? vscode.l10n.t('sandbox') : hosts[operations[operation].area];
  return { name: vscode.l10n.t('Service'), value: plainLine(host) };
}

function linesOf({ title, facts }: FactsSection, textOf: (fact: Fact) => string): readonly string[] {
  return [...(title === undefined ? [] : [title]), ...facts.map((fact) => `${fact.name}: ${textOf(fact)}`)];
}

/** Opens a text in a read-only document. */
async function showText(title: string, text: string): Promise<void> {
  const uri = vscode.Uri.from({ scheme: 'unified-media-question', path: `/${title}.txt`, query: randomUUID() });
  const provider = vscode.workspace.registerTextDocumentContentProvider(uri.scheme, {
    provideTextDocumentContent: ({ query }) => (query === uri.query ? text : undefined),
  });
  try {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
  } finally {
    // The document keeps its text.
    provider.dispose();
  }
}
