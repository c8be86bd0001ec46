import { detectMediaType } from '../operations/mediaType.ts';
import type { AssetKind } from '../operations/operations.ts';
import type { Json, JsonObject, Media } from './Answer.ts';
import { isObject } from './json.ts';

/** Where services put media; reference: the answers of a dozen of them. Those of results go before those that may echo. */
const containers = ['data', 'output', 'outputs', 'result', 'results'];
/** Where chat models put images; their texts are words, never media. */
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
/** Lists and objects: choices, [], message, images, [], image_url, url is the deepest that is known. */
const maximumDepth = 8;

/**
 * All media in a JSON answer, in order; of one item that comes both as data and as URL the data is taken.
 *
 * @throws Error when data is damaged and nothing else is there; the message is the rest of a sentence about the answer
 */
export async function readMedia(value: Json, kind: AssetKind): Promise<readonly Media[]> {
  const damaged: string[] = [];
  const found = await collect(value, { kind, damaged }, 0);
  if (found.length === 0 && damaged.length > 0) throw new Error(`it holds damaged base64 data (${damaged[0]})`);
  return found;
}

interface Collecting {
  readonly kind: AssetKind;
  /** Names of members whose data could not be decoded. */
  readonly damaged: string[];
}

async function collect(value: Json, collecting: Collecting, depth: number): Promise<readonly Media[]> {
  if (depth > maximumDepth) return [];
  if (typeof value === 'string') return mediaOf(await readBareText(value));
  if (Array.isArray(value)) {
    const found: Media[] = [];
    for (const item of value as readonly Json[]) found.push(...(await collect(item, collecting, depth + 1)));
    return found;
  }
  if (!isObject(value)) return [];
  const item = readItem(value, collecting);
  if (item) return [item];
  for (const name of [...containers, ...ownContainers[collecting.kind], ...chatContainers]) {
    const inner = value[name];
    const isWords = typeof inner === 'string' && chatContainers.includes(name);
    if (inner === undefined || inner === null || isWords) continue;
    const found = await collect(inner, collecting, depth + 1);
    if (found.length > 0) return found;
  }
  return [];
}

/** An object that is itself a medium. */
function readItem(value: JsonObject, { kind, damaged }: Collecting): Media | undefined {
  for (const name of base64Names) {
    const text = value[name];
    if (typeof text !== 'string' || text === '') continue;
    const media = readData(text);
    if (media) return media;
    damaged.push(name);
  }
  for (const name of urlNames[kind]) {
    const text = value[name];
    const media = typeof text === 'string' ? readUrl(text) : undefined;
    if (media) return media;
  }
  return undefined;
}

function mediaOf(media: Media | undefined): readonly Media[] {
  return media ? [media] : [];
}

/** Base64, also as a `data:` URL; some services put a plain URL there. */
function readData(text: string): Media | undefined {
  if (/^https?:\/\/\S+$/i.test(text)) return { url: text };
  const dataUrl = /^data:[^,]{0,200};base64,/i.exec(text);
  const bytes = decodeBase64(dataUrl ? text.slice(dataUrl[0].length) : text);
  return bytes && { bytes };
}

/** A URL, a path on the service's host, or the data of a `data:` URL; a sentence is none of these. */
function readUrl(text: string): Media | undefined {
  if (/^data:/i.test(text)) return readData(text);
  return /^([a-z][a-z0-9+.-]*:\/\/|\/[^/\s])\S*$/i.test(text) ? { url: text } : undefined;
}

/** A text that stands where media is expected: a URL, else base64 or hexadecimal of something recognisable. */
async function readBareText(text: string): Promise<Media | undefined> {
  // Base64 of a JPEG begins with a slash, so data is tried before a path.
  if (/^[A-Za-z0-9+/_=\s-]{16,}$/.test(text)) {
    const encodings = /^([0-9a-f]{2})+$/i.test(text) ? (['hex', 'base64'] as const) : (['base64'] as const);
    for (const encoding of encodings) {
      const bytes = Buffer.from(text, encoding);
      if (await detectMediaType(bytes)) return { bytes };
    }
  }
  return readUrl(text);
}

function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  // Buffer.from skips what is not base64; a shorter result tells.
  const exact = (characters: string) => Math.floor((characters.replace(/=+$/, '').length * 3) / 4);
  const isWhole = bytes.length === exact(text) || bytes.length === exact(text.replace(/\s/g, ''));
  return bytes.length > 0 && isWhole ? bytes : undefined;
}
