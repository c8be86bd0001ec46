import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TranscriptFormat } from '../library/formatTranscript.ts';
import type { LibraryEntry } from '../library/LibraryRecord.ts';
import { canRemix } from '../library/LibraryRecord.ts';
import { hashOf, sha256OfFile } from '../library/sha256.ts';
import { reasonOf } from '../operations/MediaError.ts';
import type { OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import { validateRequest } from '../operations/validateRequest.ts';
import type { PlaceReference } from '../work/Job.ts';
import type { AgentHost } from './AgentHost.ts';
import type { InputFile } from './AgentPaths.ts';
import { inputFile, outputFolder, outputName } from './AgentPaths.ts';
import { amountsOf } from './Amounts.ts';
import type { PaidCall } from './PaidCall.ts';
import type { ToolInput } from './readInput.ts';
import { invalid, textIn } from './readInput.ts';
import type { AgentField } from './tools.ts';
import { agentFields, agentTranscriptFormats } from './tools.ts';

/** Documents that may be read aloud. Other files are refused, since they may hold secrets. */
const documents = /\.(md|mdx|markdown|txt|html?|vue|svelte|adoc|asciidoc|rst|tex|qmd|rmd)$/i;
const maxDocumentBytes = 1_000_000;
/** Low bit rate of speech, which overestimates the duration of recordings whose duration is unknown. */
const bytesPerSecond = 4000;

/** Collects the files that a request sends. */
interface Files {
  readonly sent: InputFile[];
}

/**
 * Builds a request from an agent's input and the settings, without side effects.
 *
 * @throws MediaError before anything is sent
 */
export async function prepareCall(id: OperationId, input: ToolInput, host: AgentHost): Promise<PaidCall> {
  await host.checkReady(id);
  const sandbox = host.usesSandbox();
  const files: Files = { sent: [] };
  const parent = await parentOf(id, input, host, sandbox);
  const fields = await Promise.all(
    agentFields(id).map(async ({ name, field }) => {
      if (parent && field.type === 'video') return [field.name, parent.videoId] as const;
      if (parent && field.type === 'model') return [field.name, parent.model] as const;
      const given = await givenValue({ name, field }, input, host, files);
      return [field.name, given ?? defaultOf(id, { name, field }, host)] as const;
    }),
  );
  const technical = operations[id].fields
    .filter(({ name }) => name === 'output_format')
    .map(({ name }) => [name, host.settingFor(id, name)] as const);
  const chosen = Object.fromEntries([...fields, ...technical].filter(([, value]) => value !== undefined));
  const request = validateRequest(id, chosen);
  const place = await placeOf(id, input, host);
  const sends = files.sent.sort((a, b) => (a.path < b.path ? -1 : 1));
  const amounts = amountsOf(id, request, await minutesOf(id, sends, host));
  return {
    operation: id,
    request,
    place,
    sandbox,
    amounts,
    sends,
    service: host.serviceName(id),
    title: oneLine(textIn(input, 'alt_text')),
    purpose: oneLine(textIn(input, 'purpose')),
    fingerprint: hashOf([id, request, sends, place.root, place.path, place.fileName, place.transcriptFormat, sandbox]),
  };
}

/** Checks that files are still as they were when the call was prepared. @throws MediaError when nothing was sent */
export async function checkUnchanged(files: readonly InputFile[]): Promise<void> {
  for (const { path, sha256 } of files) {
    if ((await sha256OfFile(path).catch(() => undefined)) === sha256) continue;
    throw invalid('input', `${basename(path)} was changed after the call, so nothing was sent.`);
  }
}

function defaultOf(id: OperationId, { name, field }: AgentField, host: AgentHost): unknown {
  if (field.type !== 'model') return host.settingFor(id, field.name);
  const [model] = host.models(id);
  if (model !== undefined) return model;
  throw invalid(name, '"model" is missing, and the settings name no default. Ask the user which model to use.');
}

async function givenValue(
  { name, field }: AgentField,
  input: ToolInput,
  host: AgentHost,
  files: Files,
): Promise<unknown> {
  const value = input[name];
  if (name === 'text') return textToSpeak(input, host);
  switch (field.type) {
    case 'images':
      return Array.isArray(value) ? Promise.all(value.map((one: string) => image(name, one, host, files))) : value;
    case 'image':
      return typeof value === 'string' ? image(name, value, host, files) : value;
    case 'audioFile':
      return typeof value === 'string' ? (await file(name, value, host, files)).path : value;
    default:
      return value;
  }
}

async function textToSpeak(input: ToolInput, host: AgentHost): Promise<string> {
  const text = textIn(input, 'text');
  const document = textIn(input, 'file');
  if ((text === undefined) === (document === undefined)) {
    throw invalid('text', 'Give either "text" or "file", but not both.');
  }
  if (document === undefined) return text ?? '';
  const { path, bytes } = await inputFile('file', document, host.roots());
  if (!documents.test(path) || basename(path).startsWith('.')) {
    throw invalid(
      'file',
      `"file": ${document} is not a text document such as .md or .txt. Give the text in "text" instead.`,
    );
  }
  if (bytes > maxDocumentBytes)
    throw invalid('file', `"file": ${document} is larger than 1 MB. Give a part of it in "text" instead.`);
  const reading = readFile(path, 'utf8').then((whole) => host.speakableText(whole, path));
  const spoken = await reading.catch((error: unknown) => {
    throw invalid('file', `"file": ${document} cannot be read (${reasonOf(error)}).`);
  });
  if (spoken.trim() === '') throw invalid('file', `"file": ${document} has no text to speak.`);
  return spoken;
}

async function image(field: string, value: string, host: AgentHost, files: Files): Promise<string> {
  if (/^https:\/\//i.test(value)) {
    const hostname = URL.parse(value)?.hostname ?? '';
    const isPrivate =
      /^$|^localhost\.?$/.test(hostname) || (await host.isPrivateAddress(hostname.replace(/^\[|\]$/g, '')));
    if (!isPrivate) return value;
    throw invalid(
      field,
      `"${field}": ${value} is a private address. Save the image in the workspace and give its path.`,
    );
  }
  if (/^[a-z][a-z0-9+.-]*:(\/\/|image)/i.test(value)) {
    throw invalid(
      field,
      `"${field}" takes a path in the workspace, an asset_id or an https URL, but no other URL and no bytes.`,
    );
  }
  return pathToFileURL((await file(field, value, host, files)).path).href;
}

async function file(field: string, value: string, host: AgentHost, files: Files): Promise<InputFile> {
  const entry = await assetOf(value, host);
  const named = entry ? entryPath(entry) : value;
  if (named === undefined) throw invalid(field, `"${field}": the asset ${value} has no file. Give a path instead.`);
  const found = await inputFile(field, named, host.roots());
  files.sent.push(found);
  return found;
}

/** An asset of a library, and the workspace folder of the library. */
export interface RootedEntry {
  readonly root: string;
  readonly entry: LibraryEntry;
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

export function entryPath({ root, entry }: RootedEntry): string | undefined {
  return entry.file === undefined ? undefined : join(root, entry.file);
}

/** Returns the video to remix: an asset whose video ID the current service knows. */
async function parentOf(
  id: OperationId,
  input: ToolInput,
  host: AgentHost,
  sandbox: boolean,
): Promise<LibraryEntry | undefined> {
  const name = agentFields(id).find(({ field }) => field.type === 'video')?.name;
  if (name === undefined) return undefined;
  const value = textIn(input, name) ?? '';
  const byId = (await assetOf(value, host))?.entry;
  const entry = byId ?? (await entryAt(value, host));
  if (entry && canRemix(entry, sandbox)) return entry;
  const reason = entry ? 'cannot be remixed by the current service' : 'is not a video in the library';
  throw invalid(name, `"${name}": ${value} ${reason}. Use the asset_id of a video from media_find_assets.`);
}

async function entryAt(path: string, host: AgentHost): Promise<LibraryEntry | undefined> {
  for (const root of host.roots()) {
    const entries = await host.entriesIn(root.path);
    const relativePath = path.replaceAll('\\', '/');
    const found = entries.findLast(
      (entry) => entry.file === relativePath || entryPath({ root: root.path, entry }) === path,
    );
    if (found) return found;
  }
  return undefined;
}

async function placeOf(id: OperationId, input: ToolInput, host: AgentHost): Promise<PlaceReference> {
  const roots = host.roots();
  const given = textIn(input, 'folder');
  const folder = given === undefined ? undefined : await outputFolder(given, roots);
  const root = folder?.root ?? roots[0];
  if (!root) throw invalid('folder', 'No folder is open in the window. Ask the user to open one.');
  const place = host.placeFor(operations[id].result, root.path);
  const name = textIn(input, 'file_name');
  const formats: Readonly<Record<string, TranscriptFormat>> = agentTranscriptFormats;
  const format = formats[textIn(input, 'format') ?? ''];
  return {
    ...place,
    ...(folder ? { path: folder.path } : {}),
    ...(name === undefined ? {} : { fileName: outputName(name) }),
    ...(format ? { transcriptFormat: format } : {}),
  };
}

async function minutesOf(id: OperationId, files: readonly InputFile[], host: AgentHost): Promise<number> {
  if (operations[id].result !== 'transcripts') return 0;
  const seconds = await Promise.all(
    files.map(async ({ path, bytes }) => (await host.secondsOf(path)) ?? bytes / bytesPerSecond),
  );
  return seconds.reduce((total, one) => total + one, 0) / 60;
}

function oneLine(text: string | undefined): string | undefined {
  return text?.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim();
}
