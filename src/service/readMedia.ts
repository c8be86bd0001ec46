import { detectMediaType } from '../operations/mediaType.ts';
import type { AssetKind } from '../operations/operations.ts';
import type { Json, JsonObject, Media } from './Answer.ts';
import type { DataDecoder } from './DataDecoder.ts';
import { Base64Decoder, HexDecoder } from './DataDecoder.ts';
import { isObject } from './json.ts';
import type { LongText, LongTexts } from './LongTexts.ts';

/** Members that hold media, from the answers of a dozen services. Results come before members that may echo inputs. */
const containers = ['data', 'output', 'outputs', 'result', 'results'];
/** Members in which chat models put images. Their texts are replies, never media. */
const chatContainers = ['choices', 'message'];
const ownContainers: Readonly<Record<AssetKind, readonly string[]>> = {
  images: ['images', 'image', 'image_url'],
  videos: ['videos', 'video', 'unsigned_urls', 'unsignedUrls'],
  speech: ['audio'],
  transcripts: [],
};
const base64Names = ['b64_json', 'base64', 'b64'];
const urlNames: Readonly<Record<AssetKind, readonly string[]>> = {
  images: ['url', 'download_url'],
  videos: ['url', 'video_url', 'videoUrl', 'download_url'],
  speech: ['url', 'audio_url', 'download_url'],
  transcripts: [],
};
/** Maximum nesting of lists and objects. The deepest known is choices, [], message, images, [], image_url, url. */
const maxDepth = 8;

/**
 * Returns all media in a JSON answer, in order. If an item has both data and a URL, its data is used.
 *
 * @throws Error when there are no media but damaged data; its message continues a sentence about the answer
 */
export async function readMedia(value: Json, kind: AssetKind, longTexts?: LongTexts): Promise<readonly Media[]> {
  const damaged: string[] = [];
  const found = await collect(value, { kind, damaged, longTexts }, 0);
  if (found.length === 0 && damaged.length > 0) throw new Error(`it holds damaged base64 data (${damaged[0]})`);
  return found;
}

interface Collecting {
  readonly kind: AssetKind;
  /** Names of members whose data could not be decoded. */
  readonly damaged: string[];
  readonly longTexts: LongTexts | undefined;
}

async function collect(value: Json, collecting: Collecting, depth: number): Promise<readonly Media[]> {
  if (depth > maxDepth) return [];
  if (typeof value === 'string') return mediaOf(await readBareText(value, collecting.longTexts));
  if (Array.isArray(value)) {
    const found: Media[] = [];
    for (const item of value as readonly Json[]) found.push(...(await collect(item, collecting, depth + 1)));
    return found;
  }
  // A moderated result may leave a dead URL behind.
  if (!isObject(value) || value.respect_moderation === false) return [];
  const item = await readItem(value, collecting);
  if (item) return [item];
  for (const name of [...containers, ...ownContainers[collecting.kind], ...chatContainers]) {
    const inner = value[name];
    const isReply = typeof inner === 'string' && chatContainers.includes(name);
    if (inner === undefined || inner === null || isReply) continue;
    const found = await collect(inner, collecting, depth + 1);
    if (found.length > 0) return found;
  }
  return [];
}

/** Reads an object that is itself a medium. */
async function readItem(value: JsonObject, { kind, damaged, longTexts }: Collecting): Promise<Media | undefined> {
  for (const name of base64Names) {
    const text = value[name];
    if (typeof text !== 'string' || text === '') continue;
    const media = await readData(text, longTexts);
    if (media) return media;
    damaged.push(name);
  }
  for (const name of urlNames[kind]) {
    const text = value[name];
    const media = typeof text === 'string' ? await readUrl(withoutSpaces(text), longTexts) : undefined;
    if (media) return media;
  }
  return undefined;
}

/** Encodes the spaces in a URL: some services name files after the prompt. */
function withoutSpaces(text: string): string {
  return /^\s*https?:/i.test(text) ? text.trim().replaceAll(' ', '%20') : text;
}

function mediaOf(media: Media | undefined): readonly Media[] {
  return media ? [media] : [];
}

/** Reads base64 or a `data:` URL. Some services put a plain URL in its place. */
async function readData(text: string, longTexts: LongTexts | undefined): Promise<Media | undefined> {
  const long = longTexts?.find(text);
  if (!long && /^https?:\/\/\S+$/i.test(text)) return { url: text };
  const prefix = /^data:[^,]{0,200};base64,/i.exec(text)?.[0].length ?? 0;
  return long ? decodeLong(long, prefix, Base64Decoder) : decode(text.slice(prefix), Base64Decoder);
}

/**
 * Reads a URL with or without its scheme, a path on the service's host, or a `data:` URL; returns undefined for other
 * text.
 */
async function readUrl(text: string, longTexts: LongTexts | undefined): Promise<Media | undefined> {
  if (/^data:/i.test(text)) return readData(text, longTexts);
  if (longTexts?.find(text)) return undefined;
  return /^([a-z][a-z0-9+.-]*:\/\/|\/\/?[^/\s])\S*$/i.test(text) ? { url: text } : undefined;
}

/** Reads a text in place of a medium: a URL, or base64 or hexadecimal of a known media type. */
async function readBareText(text: string, longTexts: LongTexts | undefined): Promise<Media | undefined> {
  const long = longTexts?.find(text);
  const head = long?.head ?? text;
  // The base64 of a JPEG begins with a slash, so try data before a path.
  if (/^[A-Za-z0-9+/_=\s-]{16,}$/.test(head)) {
    const isHex = /^[0-9a-f]+$/i.test(head);
    for (const [encoding, decoder] of isHex ? encodings : encodings.slice(1)) {
      if (!(await detectMediaType(Buffer.from(head, encoding)))) continue;
      const media = long ? await decodeLong(long, 0, decoder) : decode(text, decoder);
      if (media) return media;
    }
  }
  return readUrl(text, longTexts);
}

const encodings = [
  ['hex', HexDecoder],
  ['base64', Base64Decoder],
] as const;

function decode(text: string, Decoder: new () => DataDecoder): Media | undefined {
  try {
    const decoder = new Decoder();
    const bytes = Buffer.concat([decoder.decode(text), decoder.end()]);
    return bytes.length > 0 ? { bytes } : undefined;
  } catch {
    return undefined;
  }
}

/** Decodes the whole text once, so that damage is found before the answer is used. */
async function decodeLong(text: LongText, skip: number, Decoder: new () => DataDecoder): Promise<Media | undefined> {
  const data = text.decode(skip, () => new Decoder());
  let length = 0;
  try {
    for await (const bytes of data) length += bytes.length;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return length > 0 ? { data } : undefined;
}
