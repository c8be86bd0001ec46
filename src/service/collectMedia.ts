import * as l10n from '@vscode/l10n';
import { detectMediaType, fitsKind } from '../operations/mediaType.ts';
import type { AssetKind } from '../operations/operations.ts';
import { isObject, type Json, type JsonObject, type Media } from './Answer.ts';
import { Base64Decoder, type DataDecoder, HexDecoder, type LongText, type LongTexts } from './LongTexts.ts';
import { urlWithin } from './ServiceConfiguration.ts';

// Media are found by their form: web and data addresses, paths, base64 and hexadecimal, wherever they are. Names only say
// which of them is the result, and which are known to be something else: a list of names is always one service behind.

/** The media in an answer, in order. */
export interface Collected {
  readonly media: readonly Media[];
  /** Number of items beside them that should hold a medium, but do not, or hold a damaged one. */
  readonly unread: number;
  /** Items that the service says it did not make. */
  readonly withheld: readonly JsonObject[];
}

/**
 * Returns all results in a JSON answer. If an item has both data and an address, its data is used.
 *
 * @param origin address of the host that answered
 * @param isWithheld whether the service says of an item of a list that it did not make it
 * @throws Error when there are no media but damaged data; its message continues a sentence about the answer
 */
export async function collectMedia(
  value: Json,
  kind: AssetKind,
  { origin, longTexts, isWithheld }: Pick<Walk, 'origin' | 'longTexts' | 'isWithheld'>,
): Promise<Collected> {
  const walk: Walk = { kind, origin, longTexts, isWithheld, damaged: [], unfit: 0, left: maxValues };
  const { media, unread, withheld } = await collect(value, root, walk);
  const [damaged] = walk.damaged;
  if (media.length === 0 && damaged) throw new Error(l10n.t('it holds damaged base64 data ({0})', damaged));
  return { media, unread, withheld };
}

/** Maximum nesting of lists and objects, and number of values that are looked at. */
const maxDepth = 32;
const maxValues = 50_000;

interface Walk {
  readonly kind: AssetKind;
  readonly origin: string;
  readonly longTexts: LongTexts | undefined;
  readonly isWithheld: (item: JsonObject) => boolean;
  /** Names of members whose data could not be decoded. */
  readonly damaged: string[];
  /** Number of media of another kind. */
  unfit: number;
  /** Number of values that may still be looked at. */
  left: number;
}

/** What the names around a value say about it. */
interface NamesAround {
  /** The name of the nearest member. */
  readonly name: string;
  readonly words: readonly string[];
  readonly depth: number;
  /** Whether it is among results. */
  readonly isResult: boolean;
  /** Whether the nearest name or type that says so names the kind that was asked for, or another. */
  readonly hint: 'own' | 'other' | undefined;
  /** Media type beside it. */
  readonly mime: string | undefined;
}

const root: NamesAround = { name: '', words: [], depth: 0, isResult: false, hint: undefined, mime: undefined };

/** The best media in a part of an answer. */
interface Branch extends Collected {
  readonly rank: number;
  /** Number of lists and objects around the media. */
  readonly levels: number;
}

const nothing: Branch = { media: [], unread: 0, withheld: [], rank: 0, levels: 0 };

async function collect(value: Json, place: NamesAround, walk: Walk): Promise<Branch> {
  if (walk.left-- <= 0 || place.depth > maxDepth) return nothing;
  if (typeof value === 'string') return collectText(value, place, walk);
  if (Array.isArray(value)) return collectList(value as readonly Json[], { ...place, depth: place.depth + 1 }, walk);
  return isObject(value) ? collectObject(value, place, walk) : nothing;
}

async function collectList(list: readonly Json[], place: NamesAround, walk: Walk): Promise<Branch> {
  const found: { readonly item: Json; readonly branch: Branch }[] = [];
  const without: Json[] = [];
  const withheld: JsonObject[] = [];
  let unread = 0;
  for (const item of list) {
    const { unfit, damaged } = walk;
    const before = damaged.length;
    const branch = await collect(item, place, walk);
    if (branch.media.length > 0) found.push({ item, branch });
    else if (isObject(item) && walk.isWithheld(item)) withheld.push(item);
    else if (damaged.length > before) unread++;
    else if (walk.unfit === unfit && item !== null && item !== '') without.push(item);
  }
  // A list that is not of media, such as the parts of a reply, holds other things, too.
  const ofMedia = new Set(found.filter(({ branch }) => branch.levels <= 1).map(({ item }) => typeIn(item)));
  unread += without.filter((item) => ofMedia.has(typeIn(item))).length;
  return joined(
    found.map(({ branch }) => branch),
    unread,
    withheld,
  );
}

function joined(branches: readonly Branch[], unread = 0, withheld: readonly JsonObject[] = []): Branch {
  return {
    media: branches.flatMap(({ media }) => media),
    unread: branches.reduce((sum, branch) => sum + branch.unread, unread),
    withheld: [...branches.flatMap((branch) => branch.withheld), ...withheld],
    rank: Math.max(0, ...branches.map(({ rank }) => rank)),
    levels: 1 + Math.max(0, ...branches.map(({ levels }) => levels)),
  };
}

function typeIn(item: Json): string {
  return isObject(item) ? `object ${typeof item.type === 'string' ? item.type : ''}` : typeof item;
}

async function collectObject(value: JsonObject, place: NamesAround, walk: Walk): Promise<Branch> {
  // A result that was held back may leave a dead URL behind.
  if (value.respect_moderation === false) return nothing;
  const here = withType(value, place, walk.kind);
  if (!here) return nothing;
  const branches: { readonly stem: string; readonly branch: Branch }[] = [];
  const withheld: JsonObject[] = [];
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined || inner === null) continue;
    const next = placeOf(name, here, walk.kind);
    const branch = next ? await collect(inner, next, walk) : nothing;
    withheld.push(...branch.withheld);
    if (branch.media.length === 0) continue;
    // “image_1” and “image_2” are a list.
    branches.push({ stem: name.replace(/[_-]?\d{1,2}$/, ''), branch });
  }
  const lists = Map.groupBy(branches, ({ stem }) => stem).values();
  const members = [...lists].map((list) => joined(list.map(({ branch }) => branch)));
  const best = members.reduce((one, other) => (other.rank > one.rank ? other : one), members[0] ?? nothing);
  return { ...best, withheld: best.media.length > 0 ? best.withheld : withheld, media: withOthers(best, members) };
}

/** Adds the further addresses of an item, where the one that is taken may turn out to be something else. */
function withOthers(best: Branch, members: readonly Branch[]): readonly Media[] {
  const [first, ...rest] = best.media;
  if (!first || rest.length > 0 || !('url' in first)) return best.media;
  const sameItem = members.filter((one) => one !== best && one.levels === best.levels);
  const others = sameItem.flatMap(({ media }) => media.flatMap((one) => ('url' in one ? [one.url] : [])));
  return others.length > 0 ? [{ ...first, others }] : best.media;
}

/** Words in the names of results. They come before members that may echo inputs. */
const resultWords =
  /^(data|outputs?|results?|response|generated|generations?|artifacts?|predictions?|creations?|contents?|assets?|samples?)$/;

const kindWords: Readonly<Record<AssetKind, RegExp>> = {
  images: /^(images?|imgs?|pictures?|photos?|png|jpe?g|webp|gif|illustrations?|artworks?)$/,
  videos: /^(videos?|movies?|clips?|films?|animations?|mp4|webm)$/,
  speech: /^(audios?|sounds?|speech|tts|mp3|wav|pcm|opus)$/,
  transcripts: /^$/,
};

const urlWords = /^(url|urls|uri|uris|href|link|links|src|location|address|download|file|files|path)$/;

/** Words in the names of what is known to be no result: ways to ask, echoes of the request, pages, pictures of a video. */
const otherWords: ReadonlySet<string> = new Set(
  [
    'status cancel poll polling get self next prev previous webhook callback upload redirect proxy header',
    'input request prompt reference ref init mask source echo param parameter argument arg setting config option model',
    'doc documentation help support homepage website web page dashboard portal invoice billing pricing term policy license',
    'schema cover thumbnail thumb poster preview snapshot sprite waveform avatar logo icon favicon citation annotation',
    'error detail reason log user account moderation usage partial',
  ].flatMap((line) => line.split(' ').flatMap((word) => [word, `${word}s`])),
);

function wordsOfName(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);
}

/** Returns the place of a member; undefined for what is known to be no result. */
function placeOf(name: string, around: NamesAround, kind: AssetKind): NamesAround | undefined {
  const words = wordsOfName(name);
  const isFrame = kind !== 'images' && words.some((word) => /^frames?$/.test(word));
  if (isFrame || words.some((word) => otherWords.has(word))) return undefined;
  return {
    ...around,
    name,
    words,
    depth: around.depth + 1,
    isResult: around.isResult || words.some((word) => resultWords.test(word)),
    hint: hintIn(words, kind) ?? around.hint,
  };
}

function hintIn(words: readonly string[], kind: AssetKind): NamesAround['hint'] {
  if (words.some((word) => kindWords[kind].test(word))) return 'own';
  return Object.values(kindWords).some((pattern) => words.some((word) => pattern.test(word))) ? 'other' : undefined;
}

const typeNames = ['type', 'mime_type', 'mimeType', 'content_type', 'contentType', 'media_type', 'kind'];

/** Returns the place of an object's members with what the object says of its type; undefined for an input. */
function withType(value: JsonObject, place: NamesAround, kind: AssetKind): NamesAround | undefined {
  const types = typeNames.map((name) => value[name]).filter((type) => typeof type === 'string');
  const words = types.flatMap((type) => wordsOfName(type.slice(0, 100)));
  if (words.some((word) => /^(inputs?|partial|thumbnail|cover|preview)$/.test(word))) return undefined;
  const mime = types.find((type) => /^(image|audio|video)\//i.test(type)) ?? place.mime;
  return { ...place, mime, hint: hintIn(words, kind) ?? place.hint };
}

function branchOf(media: Media, verdict: boolean | undefined, place: NamesAround, walk: Walk): Branch {
  const isFit = verdict ?? place.hint !== 'other';
  if (!isFit) {
    walk.unfit++;
    return nothing;
  }
  const isUrl = 'url' in media;
  const named = isUrl && place.words.some((word) => urlWords.test(word));
  const isWeb = !isUrl || /^(https?:|\/)/i.test(media.url);
  const signs = [
    [place.isResult, 16],
    [verdict === true, 8],
    [place.hint === 'own', 4],
    [!isUrl, 9],
    [named, 1],
    [isWeb, 2],
  ] as const;
  return { ...nothing, media: [media], rank: 1 + signs.reduce((sum, [is, points]) => sum + (is ? points : 0), 0) };
}

async function collectText(text: string, place: NamesAround, walk: Walk): Promise<Branch> {
  const long = walk.longTexts?.find(text);
  if (!long && text.includes('](') && !isAddress.test(text)) return collectMarkdown(text, place, walk);
  const address = long ? undefined : webAddress(text, place);
  if (address !== undefined) return branchOfUrl(address, place, walk);
  const data = await readData(text, long, place, walk);
  if (data) return data;
  const path = long ? undefined : pathIn(text, place, walk);
  return path === undefined ? nothing : branchOfUrl(path, place, walk);
}

/** Pictures in the words of a chat model. */
const markdownPicture = /!\[[^\]]{0,500}\]\(\s*(https?:\/\/[^\s)]{1,8192}|data:[^\s)]+)/g;

async function collectMarkdown(text: string, place: NamesAround, walk: Walk): Promise<Branch> {
  const links = [...text.matchAll(markdownPicture)].flatMap(([, link]) => link ?? []);
  const isOfReply = place.hint === undefined && walk.kind === 'images';
  const inside: NamesAround = isOfReply ? { ...place, hint: 'own' } : place;
  const branches: Branch[] = [];
  for (const link of new Set(links)) branches.push(await collectText(link, inside, walk));
  return joined(branches.filter(({ media }) => media.length > 0));
}

const isAddress = /^\s*https?:\/\/[^\s/]/i;
const maxAddressLength = 8192;

/** Reads a web address. Encodes its spaces: some services name files after the prompt. */
function webAddress(text: string, { words, hint }: NamesAround): string | undefined {
  if (text.length > maxAddressLength) return undefined;
  const trimmed = text.trim();
  const isNamed = hint === 'own' || words.some((word) => urlWords.test(word));
  if (isAddress.test(trimmed)) return isNamed || !/\s/.test(trimmed) ? trimmed.replaceAll(' ', '%20') : undefined;
  return isNamed && /^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(trimmed) ? trimmed : undefined;
}

/** Reads a path on the service's host, or an address without its scheme. */
function pathIn(text: string, { words, hint }: NamesAround, { kind }: Walk): string | undefined {
  if (text.length > maxAddressLength || !/^\/\/?[^/\s]\S*$/.test(text)) return undefined;
  const isNamed = hint === 'own' || words.some((word) => urlWords.test(word) || resultWords.test(word));
  return isNamed || verdictOfUrl(text, kind) ? text : undefined;
}

function branchOfUrl(url: string, place: NamesAround, walk: Walk): Branch {
  const verdict = verdictOfUrl(url, walk.kind);
  const isReply = place.words.some((word) => /^(content|text|message)$/.test(word));
  if (isReply && !verdict) return nothing;
  // Where a job's result can be asked for is no address of a file.
  const isOfJob =
    /^response_?url$/i.test(place.name) ||
    (/^result_?url$/i.test(place.name) && urlWithin({ base: walk.origin }, url) !== undefined);
  return isOfJob && !verdict ? nothing : branchOf({ url }, verdict, place, walk);
}

const extensions: readonly (readonly [RegExp, readonly AssetKind[]])[] = [
  [/^(png|jpe?g|webp|avif|bmp|tiff?|svg|heic)$/, ['images']],
  [/^gif$/, ['images', 'videos']],
  [/^(mp4|webm)$/, ['videos', 'speech']],
  [/^(mov|mkv|avi|m4v|m3u8)$/, ['videos']],
  [/^(mp3|wav|ogg|oga|opus|flac|aac|m4a|pcm)$/, ['speech']],
  [/^(html?|php|aspx?|jsp|json|txt|md|pdf|vtt|srt|zip)$/, []],
];

/** Judges an address by its extension. */
function verdictOfUrl(url: string, kind: AssetKind): boolean | undefined {
  const parsed = URL.parse(url, 'https://host.invalid');
  if (!parsed) return undefined;
  if (/^(docs?|help|support|status)\./.test(parsed.hostname)) return false;
  const extension = /\.([a-z\d]{2,5})$/i.exec(parsed.pathname)?.[1]?.toLowerCase() ?? '';
  return extensions.find(([pattern]) => pattern.test(extension))?.[1].includes(kind);
}

/** The beginning of a `data:` URL; some services omit its scheme. */
const dataUrl = /^\s*(data:[^,]{0,200}|(image|audio|video)\/[\w.+-]{1,50});base64,/i;

/** Fewer characters of base64 are no sound without a signature. */
const minSoundCharacters = 256;

/** Reads a `data:` URL, or base64 or hexadecimal of a known media type or in a place that is named so. */
async function readData(
  text: string,
  long: LongText | undefined,
  place: NamesAround,
  walk: Walk,
): Promise<Branch | undefined> {
  const head = (long?.head ?? text).slice(0, headCharacters);
  const prefix = dataUrl.exec(head)?.[0] ?? '';
  const mime = /(image|audio|video)\/[\w.+-]+/i.exec(prefix)?.[0] ?? place.mime;
  const isNamed = prefix !== '' || /b64|base64/i.test(place.name);
  const start = head.slice(prefix.length);
  if (start.trim() === '') return undefined;
  const isDense = /^[A-Za-z0-9+/_=\s-]{16,}$/.test(start);
  if (!isDense && !isNamed) return undefined;
  const isHex = isDense && prefix === '' && /^[0-9a-f]+$/i.test(start);
  for (const [encoding, decoder] of isHex ? encodings : encodings.slice(1)) {
    const type = await detectMediaType(Buffer.from(start, encoding));
    if (!type) continue;
    const media = await decodeAny(text, long, prefix.length, decoder, undefined);
    if (media) return branchOf(media, fitsKind(type, walk.kind), place, walk);
    if (isNamed) walk.damaged.push(place.name);
    return undefined;
  }
  // Raw sound has no signature.
  const isSound = walk.kind === 'speech' && place.hint === 'own' && start.length >= minSoundCharacters;
  if (!isNamed && !(isSound && !/\s/.test(start))) return undefined;
  const media = await decodeAny(text, long, prefix.length, Base64Decoder, mime);
  if (media)
    return branchOf(media, mime === undefined ? undefined : fitsKind({ mime, extension: '' }, walk.kind), place, walk);
  if (isNamed) walk.damaged.push(place.name);
  return undefined;
}

/** Characters that suffice to detect a type. */
const headCharacters = 12_000;

const encodings = [
  ['hex', HexDecoder],
  ['base64', Base64Decoder],
] as const;

async function decodeAny(
  text: string,
  long: LongText | undefined,
  skip: number,
  Decoder: new () => DataDecoder,
  mime: string | undefined,
): Promise<Media | undefined> {
  const media = long ? await decodeLong(long, skip, Decoder) : decode(text.slice(skip), Decoder);
  return media && mime?.startsWith('audio/') ? { ...media, mediaType: mime } : media;
}

function decode(text: string, Decoder: new () => DataDecoder): { readonly bytes: Uint8Array } | undefined {
  try {
    const decoder = new Decoder();
    const bytes = Buffer.concat([decoder.decode(text), decoder.end()]);
    return bytes.length > 0 ? { bytes } : undefined;
  } catch {
    return undefined;
  }
}

/** Decodes the whole text once, so that damage is found before the answer is used. */
async function decodeLong(text: LongText, skip: number, Decoder: new () => DataDecoder) {
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
