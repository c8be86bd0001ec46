import { basename, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgreedFile } from '../files/AgreedFile.ts';
import { canonicalRoot } from '../files/canonicalRoot.ts';
import { realPath } from '../files/FileCalls.ts';
import type { SentAs } from '../files/mayLeave.ts';
import { textOf } from '../files/readText.ts';
import { hashOf } from '../files/sha256.ts';
import { addressesIn, hostsOf, stringsIn } from '../foreign/addresses.ts';
import { plainLine } from '../foreign/plainText.ts';
import { type Asset, canRemix, type LibraryEntry } from '../library/LibraryRecord.ts';
import { type Amounts, amountsOf } from '../operations/amounts.ts';
import { fieldTable } from '../operations/declarations.ts';
import { mapFiles, nameIn } from '../operations/fields.ts';
import { type MediaError, reasonOf } from '../operations/MediaError.ts';
import {
  type AssetKind,
  type Field,
  type MediaRequest,
  type Operation,
  type OperationId,
  operations,
} from '../operations/operations.ts';
import { sentValues, toRequest } from '../operations/toRequest.ts';
import type { TranscriptFormat } from '../transcripts/formatTranscript.ts';
import { requestsFor } from '../wholes/splitText.ts';
import type { RunOptions } from '../work/Attempt.ts';
import type { JobList, JobRecord, PlaceReference } from '../work/Job.ts';
import type { JobInput } from '../work/JobRunner.ts';
import type { WorkState } from '../work/stateOfWork.ts';
import type { AgentBudget } from './AgentBudget.ts';
import {
  candidates,
  checkNotRead,
  entryPath,
  inputFile,
  isNamedInside,
  maxDocumentBytes,
  outputFolder,
  outputName,
  type RootedEntry,
  type SentFile,
  type WorkspaceRoot,
} from './agentPaths.ts';
import { agentTranscriptFormats, checkFurtherTexts, invalid, type ToolInput, textIn, valuesIn } from './toolInput.ts';

/** The agent that calls a tool. */
export interface AgentCaller {
  /** `chat` is a model inside the editor. */
  readonly kind: 'chat' | 'mcp';
  /** Display name; one line. */
  readonly name: string;
}

/**
 * Why the user is asked: the request names an address, or a number without a limit, it is beyond the budget, or chat has not
 * shown what it sends.
 */
export type AskReason = 'address' | 'unlimited' | 'budget' | 'notShown';

/** A question to the user about a request. */
export interface AgentQuestion {
  readonly id: string;
  readonly reason: AskReason;
  readonly caller: AgentCaller;
  readonly call: PaidCall;
  readonly left: Amounts;
}

/** `unasked`: no question can be shown in this window. */
export type AgentAnswer = 'yes' | 'no' | 'unasked';

/** What the store of paid work knows of a request. */
export interface EarlierWork {
  readonly state: WorkState;
  /** The latest job of the request, if this computer has one. */
  readonly record: JobRecord | undefined;
}

/** What the tools need from the window that they run in. */
export interface AgentHost {
  readonly jobs: JobList;
  readonly budget: AgentBudget;
  /** Returns why agents may not use the tools; undefined if they may. */
  closedBecause(): 'restricted' | 'turnedOff' | undefined;
  usesSandbox(): boolean;
  /** Returns the local workspace folders; the folder of the active file comes first. */
  roots(): readonly WorkspaceRoot[];
  /** Returns the first local workspace folder, whatever file is active. */
  firstRoot(): WorkspaceRoot | undefined;
  /** Returns the daily budget that the user has accepted; agents may spend it without a question. */
  limit(): Amounts;
  /**
   * Asks the user to confirm a budget that was raised in the settings, once per change.
   *
   * @param onAsking called if there is something to confirm
   */
  confirmBudget(onAsking: () => void): Promise<void>;
  wantsPreviews(): boolean;
  /** Returns the configured value of a field. */
  settingFor(id: OperationId, field: Field): unknown;
  /** Returns the declarations of further fields, as they stand in the settings. */
  declaredFields(): unknown;
  /** Text longer than this is spoken in several requests; 0 for never. */
  speechMaxCharacters(): number;
  models(id: OperationId): readonly string[];
  /** Returns the display name of the address that requests go to. */
  serviceName(id: OperationId): string;
  /** @throws MediaError `noService` or `noKey` */
  checkReady(id: OperationId): Promise<void>;
  /** Whether a host is a private IP address. */
  isPrivateAddress(host: string): Promise<boolean>;
  /** Whether the name in an address resolves to a private IP address. */
  resolvesToPrivate(address: URL): Promise<boolean>;
  /**
   * Returns where a kind of asset is saved in a workspace folder.
   *
   * @param path path that the call names; the setting if absent
   * @throws MediaError `save` when the setting names no folder inside, or one that cannot be on every system
   */
  placeFor(kind: AssetKind, root: string, path: string | undefined): Promise<PlaceReference>;
  /**
   * Returns where a result is saved if the call does not say it: where the project of the active document keeps media of
   * its kind, and the edit of a picture beside that.
   *
   * @param source URL of the first picture to edit
   */
  projectPlaceFor(kind: AssetKind, source: string | undefined): Promise<PlaceReference | undefined>;
  /** Looks a request up in the store of paid work by its key. */
  workOf(key: string): Promise<EarlierWork>;
  /** Returns the works for this window's folders of agents' requests that send the same, under whichever key. */
  worksSending(contentKey: string): Promise<readonly EarlierWork[]>;
  run(input: JobInput, options: RunOptions, id: string): Promise<readonly Asset[]>;
  ask(question: AgentQuestion, signal: AbortSignal): Promise<AgentAnswer>;
  /** Returns the library of a workspace folder, oldest entry first. */
  entriesIn(root: string): Promise<readonly LibraryEntry[]>;
  /** Returns the reference that shows a file in the active document. */
  referenceTo(path: string, kind: AssetKind, title: string): Promise<string>;
  /** Returns the text of a document that would be read aloud. */
  speakableText(text: string, path: string): Promise<string>;
  log(line: string): void;
}

/** A valid request of an agent, with the facts that a question to the user shows. */
export interface PaidCall {
  readonly operation: OperationId;
  readonly request: MediaRequest;
  readonly place: PlaceReference;
  readonly sandbox: boolean;
  readonly amounts: Amounts;
  /** The files that are sent to the service, as they are now. */
  readonly sends: readonly AgreedFile[];
  /** The addresses that it names. The user is always asked about them: they may carry what the agent has read. */
  readonly addresses: readonly AgentAddress[];
  /** The further whole numbers without a maximum. The user is always asked: such a number may multiply what is made. */
  readonly unlimited: readonly string[];
  /** The service's host. */
  readonly service: string;
  readonly title: string | undefined;
  readonly purpose: string | undefined;
  /** Hash of the request with its inputs by content, its place and its service. */
  readonly fingerprint: string;
  /** Hash of what is sent, by which {@link AgentHost.worksSending} finds it. */
  readonly contentKey: string;
}

/** An address that an agent names. */
interface AgentAddress {
  /** The field that names it. */
  readonly field: string;
  readonly address: URL;
}

/**
 * Looks up the names of addresses. Only for addresses that the user has agreed to, because a look-up tells the name to
 * whoever owns it.
 *
 * @throws MediaError `invalidInput` for a name that resolves to a private address
 */
export async function checkAddresses(
  addresses: readonly AgentAddress[],
  host: Pick<AgentHost, 'resolvesToPrivate'>,
): Promise<void> {
  for (const { field, address } of addresses) {
    if (await host.resolvesToPrivate(address)) throw privateAddress(field, address.href);
  }
}

function privateAddress(field: string, value: string): MediaError {
  return invalid(
    field,
    `"${field}": ${value} is a private address. Of an image, save it in the workspace and give its path.`,
  );
}

/** Collects the files that a request sends. */
interface Files {
  readonly sent: SentFile[];
  readonly addresses: AgentAddress[];
}

/**
 * Builds a request from an agent's input and the settings, without side effects.
 *
 * @throws MediaError before anything is sent
 */
export async function prepareCall(id: OperationId, input: ToolInput, host: AgentHost): Promise<PaidCall> {
  await host.checkReady(id);
  const sandbox = host.usesSandbox();
  const files: Files = { sent: [], addresses: [] };
  const parent = await parentOf(id, input, host, sandbox);
  const { unnamed, fields } = fieldsIn(id, input);
  checkFurtherTexts(fields);
  const request = await toRequest(
    id,
    async (field) => {
      if (parent && field.type === 'video') return parent.videoId;
      if (parent && field.type === 'model') return parent.model;
      return unnamed[field.name] ?? (await givenValue(field, input, host, files)) ?? defaultOf(id, field, host);
    },
    {
      declared: host.declaredFields(),
      fields,
      locate: async ({ name }, value) => {
        if (typeof value !== 'string' || isAddress(value)) {
          throw invalid(name, `"${name}" takes a path in the workspace or an asset_id.`);
        }
        return pathToFileURL((await file(name, value, host, files, 'media')).path).href;
      },
    },
  );
  await addAddresses(id, request, fields, host, files.addresses);
  const { place, agreed } = await placeOf(id, input, request, host);
  const { further } = fieldTable(id, host.declaredFields(), request.model);
  const sent = files.sent.sort((a, b) => (a.path < b.path ? -1 : 1));
  const sends = sent.map(({ minutes: _, minutesAtMost: __, ...one }) => one);
  const minutes = sent.reduce((total, { minutes: own = 0 }) => total + own, 0);
  const counted = amountsOf(id, request, minutes, requestsFor(request, host.speechMaxCharacters()));
  const amounts = sent.some(({ minutesAtMost }) => minutesAtMost)
    ? { ...counted, minutesAtMost: true as const }
    : counted;
  return {
    operation: id,
    request,
    place,
    sandbox,
    amounts,
    sends,
    addresses: files.addresses,
    unlimited: further.flatMap(({ name, type, maximum, values, open }) => {
      const isLimited = type !== 'integer' || maximum !== undefined || (values && !open);
      return isLimited || fields[name] === undefined ? [] : [name];
    }),
    service: host.serviceName(id),
    title: lineIn(input, 'alt_text'),
    purpose: lineIn(input, 'purpose'),
    fingerprint: hashOf([
      id,
      request,
      sends,
      agreed.root,
      agreed.path,
      agreed.fileName,
      agreed.transcriptFormat,
      sandbox,
    ]),
    contentKey: contentKeyOf(id, request, sends, sandbox),
  };
}

/** How many words with an address a request of an agent may hold. */
const maxAddresses = 20;

/**
 * Adds the addresses in all that an agent's request says beside its prompt or text: a service may fetch them, or send to
 * them. Those of pictures are added where their files are.
 *
 * @param given further values of the agent; a person's defaults are not its own
 * @throws MediaError `invalidInput` for one that is private or that nobody can read
 */
async function addAddresses(
  id: OperationId,
  request: MediaRequest,
  given: Readonly<Record<string, unknown>>,
  host: AgentHost,
  addresses: AgentAddress[],
): Promise<void> {
  const { fields }: Operation = operations[id];
  const { files = [] } = request.further ?? {};
  const own = fields.filter(({ type }) => type === 'model' || type === 'choice' || type === 'video');
  const names = [...own.map(({ name }) => name), ...Object.keys(given).filter((name) => !files.includes(name))];
  const sent = sentValues(request);
  for (const name of names) {
    for (const word of stringsIn(sent[name]).flatMap(addressesIn)) {
      for (const address of hostsOf(word)) {
        if (addresses.length >= maxAddresses) {
          throw invalid(name, `"${name}": A request may hold at most ${maxAddresses} addresses.`);
        }
        if (!address || (await isPrivate(address, host))) throw privateAddress(name, word);
        addresses.push({ field: name, address });
      }
    }
  }
}

async function isPrivate({ hostname }: URL, host: Pick<AgentHost, 'isPrivateAddress'>): Promise<boolean> {
  return /^$|(^|\.)localhost\.?$/.test(hostname) || (await host.isPrivateAddress(hostname.replace(/^\[|\]$/g, '')));
}

/**
 * Hashes what a request sends: files by content, and texts without the white space that a model changes when it repeats a
 * call. Names and folders of files are not sent.
 */
function contentKeyOf(id: OperationId, request: MediaRequest, sends: readonly AgreedFile[], sandbox: boolean): string {
  const contents = new Map(
    sends.flatMap(({ path, sha256 }) => [path, pathToFileURL(path).href].map((name) => [name, sha256] as const)),
  );
  const sent = JSON.stringify(request, (_, value: unknown) =>
    typeof value === 'string' ? (contents.get(value) ?? value.trim().replace(/\s+/g, ' ')) : value,
  );
  return hashOf([id, sent, sandbox]);
}

/** Whether the tools have no input for a field, however it is redeclared. */
export function isTransfer(id: OperationId, name: string): boolean {
  const { fields }: Operation = operations[id];
  return fields.some((field) => field.name === name && field.type === 'choice' && field.isTransfer);
}

/** Splits `fields` into those of the operation that the tool has no input for, and further ones. */
function fieldsIn(id: OperationId, input: ToolInput) {
  const given = Object.entries(valuesIn(input, 'fields'));
  return {
    unnamed: Object.fromEntries(given.filter(([name]) => isTransfer(id, name))),
    fields: Object.fromEntries(given.filter(([name]) => !isTransfer(id, name))),
  };
}

function defaultOf(id: OperationId, field: Field, host: AgentHost): unknown {
  if (field.type !== 'model') return host.settingFor(id, field);
  const [model] = host.models(id);
  if (model !== undefined) return model;
  throw invalid(
    nameIn('tools', field),
    '"model" is missing, and the settings name no default. Ask the user which model to use.',
  );
}

async function givenValue(field: Field, input: ToolInput, host: AgentHost, files: Files): Promise<unknown> {
  if (field.type === 'text' && field.isSpoken) return textToSpeak(input, host);
  const name = nameIn('tools', field);
  return mapFiles(field, input[name], async (given) =>
    field.type === 'audioFile'
      ? (await file(name, given, host, files, 'recording')).path
      : image(name, given, host, files),
  );
}

async function textToSpeak(input: ToolInput, host: AgentHost): Promise<string> {
  const text = textIn(input, 'text');
  const document = textIn(input, 'file');
  if ((text === undefined) === (document === undefined)) {
    throw invalid('text', 'Give either "text" or "file", but not both.');
  }
  if (document === undefined) return text ?? '';
  const { path, bytes, head } = await inputFile('file', document, host.roots(), 'document');
  if (bytes > maxDocumentBytes) {
    throw invalid('file', `"file": ${document} is larger than 1 MB. Give a part of it in "text" instead.`);
  }
  const spoken = await host.speakableText(textOf(head, basename(path)), path).catch((error: unknown) => {
    throw invalid('file', `"file": ${document} cannot be read (${reasonOf(error)}).`);
  });
  if (spoken.trim() === '') throw invalid('file', `"file": ${document} has no text to speak.`);
  return spoken;
}

async function image(field: string, value: string, host: AgentHost, files: Files): Promise<string> {
  if (/^https:\/\//i.test(value)) {
    const address = URL.parse(value);
    if (!address) throw privateAddress(field, value);
    for (const one of hostsOf(value)) if (!one || (await isPrivate(one, host))) throw privateAddress(field, value);
    files.addresses.push({ field, address });
    return value;
  }
  if (isAddress(value)) {
    throw invalid(
      field,
      `"${field}" takes a path in the workspace, an asset_id or an https URL, but no other URL and no bytes.`,
    );
  }
  return pathToFileURL((await file(field, value, host, files, 'image')).path).href;
}

/** Whether a value is a URL or data, not a path. */
function isAddress(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:(\/\/|image)/i.test(value);
}

async function file(field: string, value: string, host: AgentHost, files: Files, as: SentAs): Promise<AgreedFile> {
  const entry = await assetOf(value, host);
  const named = entry ? entryPath(entry) : value;
  if (named === undefined) throw invalid(field, `"${field}": the asset ${value} has no file. Give a path instead.`);
  const { head: _, ...found } = await inputFile(field, named, host.roots(), as);
  files.sent.push(found);
  return found;
}

/**
 * Finds an asset by its id. Returns undefined for a value that is not an asset id.
 *
 * @throws MediaError for an unknown id
 */
async function assetOf(id: string, host: Pick<AgentHost, 'roots' | 'entriesIn'>): Promise<RootedEntry | undefined> {
  if (!/^[0-9a-f-]{36}\//.test(id)) return undefined;
  for (const { path } of host.roots()) {
    const entry = (await host.entriesIn(path)).find((one) => one.id === id);
    if (entry) return { root: path, entry };
  }
  throw invalid('asset_id', `There is no asset ${id}. Call media_find_assets to list the assets.`);
}

/** Returns the video to remix: an asset whose video ID the current service knows. */
async function parentOf(
  id: OperationId,
  input: ToolInput,
  host: AgentHost,
  sandbox: boolean,
): Promise<LibraryEntry | undefined> {
  const { fields }: Operation = operations[id];
  const video = fields.find(({ type }) => type === 'video');
  if (!video) return undefined;
  const name = nameIn('tools', video);
  const value = textIn(input, name) ?? '';
  const byId = (await assetOf(value, host))?.entry;
  const entry = byId ?? (await entryAt(value, host));
  if (entry && canRemix(entry, sandbox)) return entry;
  const reason = entry ? 'cannot be remixed by the current service' : 'is not a video in the library';
  throw invalid(name, `"${name}": ${value} ${reason}. Use the asset_id of a video from media_find_assets.`);
}

/** Finds the asset of a path that an agent names, as {@link inputFile} does. Its file may be gone. */
async function entryAt(value: string, host: AgentHost): Promise<LibraryEntry | undefined> {
  const roots = host.roots();
  for (const path of candidates(value.replaceAll('\\', '/'), roots)) {
    if (!(await isNamedInside(path, roots))) continue;
    const real = await realPath(path).catch(() => undefined);
    for (const root of roots) {
      // Windows and macOS find a file in another case, which only the real path shows.
      const realRoot = await realPath(root.path).catch(() => root.path);
      const names = [relative(root.path, path), real && relative(realRoot, real)];
      const files = names.map((name) => name?.split(sep).join('/'));
      const found = (await host.entriesIn(root.path)).findLast(
        ({ file }) => file !== undefined && files.includes(file),
      );
      if (found) return found;
    }
  }
  return undefined;
}

async function placeOf(
  id: OperationId,
  input: ToolInput,
  request: MediaRequest,
  host: AgentHost,
): Promise<{
  /** Where the result is saved. */
  readonly place: PlaceReference;
  /**
   * The place by the call and the settings alone, with the root's one name. With another document in view, or a folder
   * opened through a link, the same call must stay the same.
   */
  readonly agreed: PlaceReference;
}> {
  const roots = host.roots();
  const given = textIn(input, 'folder');
  const folder = given === undefined ? undefined : await outputFolder(given, roots);
  const root = folder?.root ?? roots[0];
  const first = folder?.isRootNamed ? folder.root : host.firstRoot();
  if (!root || !first) throw invalid('folder', 'No folder is open in the window. Ask the user to open one.');
  const place = await host.placeFor(operations[id].result, root.path, folder?.path);
  const agreed = await host.placeFor(operations[id].result, first.path, folder?.path);
  const name = textIn(input, 'file_name');
  const formats: Readonly<Record<string, TranscriptFormat>> = agentTranscriptFormats;
  const format = formats[textIn(input, 'format') ?? ''];
  if (operations[id].result === 'transcripts' && name !== undefined) checkNotRead(name);
  const own = {
    ...(name === undefined ? {} : { fileName: outputName(name) }),
    ...(format ? { transcriptFormat: format } : {}),
  };
  const source = id === 'editImage' && 'image_urls' in request ? request.image_urls[0] : undefined;
  const ofProject = folder ? undefined : await host.projectPlaceFor(operations[id].result, source);
  return {
    place: { ...(ofProject ?? place), ...own },
    agreed: { ...agreed, ...own, root: await canonicalRoot(agreed.root) },
  };
}

function lineIn(input: ToolInput, name: string): string | undefined {
  const text = textIn(input, name);
  return text === undefined ? undefined : plainLine(text);
}
