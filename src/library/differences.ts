import * as l10n from '@vscode/l10n';
import { plainLine } from '../foreign/plainText.ts';
import type { FurtherValue } from '../operations/Further.ts';
import type { AssetKind } from '../operations/operations.ts';
import type { Difference } from './LibraryRecord.ts';

// What was asked of a result and can be measured: the meaning of fields by their names. A value of another form, such as
// `auto`, asks for nothing.

/** What was measured of a saved file; a fact that is not known is undefined. */
export interface Measured {
  readonly mediaType: string;
  /** Pixels, as it is shown. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Share of transparent pixels, 0 to 1. */
  readonly transparent?: number;
  readonly seconds?: number;
  /** 0 without sound. */
  readonly channels?: number;
}

/** One thing that was asked of a result. */
export interface Expectation {
  readonly field: string;
  readonly asked: string;
  /** Whether the bytes are read for it, not only their type. */
  readonly needsContent: boolean;
  /** Returns what the file is instead; undefined if it is as asked, or could not be measured. */
  differs(measured: Measured): string | undefined;
}

/** Returns how a file differs, or undefined if it does not; the asked value is of a form that a reader knows. */
type AskedReader = (asked: FurtherValue) => Expectation['differs'] | undefined;

const size: AskedReader = (asked) => {
  const [, width, height] = /^(\d{1,5})\s*[x×*]\s*(\d{1,5})$/i.exec(String(asked)) ?? [];
  if (height === undefined) return ratio(asked);
  return ({ size: got }) =>
    got && (got.width !== Number(width) || got.height !== Number(height)) ? sizeText(got) : undefined;
};

const side =
  (name: 'width' | 'height'): AskedReader =>
  (asked) => {
    const length = numberIn(asked);
    return length === undefined
      ? undefined
      : ({ size: got }) => (got && got[name] !== length ? String(got[name]) : undefined);
  };

/** Models answer in sizes of their own, whose sides are multiples of up to 64 pixels. Of an icon that would be all of it. */
const isNear = (side: number, wanted: number) => Math.abs(side - wanted) <= Math.min(32, side / 10);

/** A size fits if one side is near what the ratio asks of the other. */
const ratio: AskedReader = (asked) => {
  const [, width, height] = /^(\d{1,5}(?:\.\d+)?)\s*[:/]\s*(\d{1,5}(?:\.\d+)?)$/.exec(String(asked)) ?? [];
  const wanted = Number(width) / Number(height);
  if (!(wanted > 0 && Number.isFinite(wanted))) return undefined;
  return ({ size: got }) => {
    if (!got) return undefined;
    const fits = isNear(got.width, got.height * wanted) || isNear(got.height, got.width / wanted);
    return fits ? undefined : sizeText(got);
  };
};

/** Fewer transparent pixels than one in ten thousand are noise. */
const leastTransparent = 0.0001;

const background: AskedReader = (asked) => {
  const isTransparent = asked === 'transparent' || asked === true;
  if (!isTransparent && asked !== 'opaque' && asked !== false) return undefined;
  return ({ transparent }) => {
    if (transparent === undefined || transparent >= leastTransparent === isTransparent) return undefined;
    const got = !isTransparent;
    return typeof asked === 'boolean' ? String(got) : got ? 'transparent' : 'opaque';
  };
};

/** Lengths within 5 % or half a second count as the same. */
const length: AskedReader = (asked) => {
  const seconds = numberIn(typeof asked === 'string' && asked.endsWith('s') ? asked.slice(0, -1) : asked);
  if (seconds === undefined) return undefined;
  return ({ seconds: got }) =>
    got === undefined || Math.abs(got - seconds) <= Math.max(0.5, seconds * 0.05)
      ? undefined
      : String(Math.round(got * 10) / 10);
};

const sound: AskedReader = (asked) =>
  typeof asked === 'boolean'
    ? ({ channels }) => (channels === undefined || channels > 0 === asked ? undefined : String(channels > 0))
    : undefined;

const channels: AskedReader = (asked) => {
  const wanted = numberIn(asked);
  return wanted === undefined
    ? undefined
    : ({ channels: got }) => (got === undefined || got === wanted ? undefined : String(got));
};

/** The types of files that are a format, without parameters. Opus and AAC are also sent in containers. */
const typesOf: Readonly<Record<string, readonly string[]>> = {
  png: ['image/png', 'image/apng'],
  jpeg: ['image/jpeg'],
  jpg: ['image/jpeg'],
  webp: ['image/webp'],
  avif: ['image/avif'],
  gif: ['image/gif'],
  mp3: ['audio/mpeg'],
  wav: ['audio/wav'],
  flac: ['audio/flac', 'audio/x-flac'],
  pcm: ['audio/pcm'],
  aac: ['audio/aac', 'audio/mp4', 'audio/x-m4a', 'video/mp4'],
  m4a: ['audio/mp4', 'audio/x-m4a', 'video/mp4'],
  opus: ['audio/ogg; codecs=opus', 'audio/webm', 'video/webm'],
  ogg: ['audio/ogg', 'audio/ogg; codecs=opus'],
  mp4: ['video/mp4', 'video/x-m4v'],
  webm: ['video/webm', 'audio/webm'],
  mov: ['video/quicktime'],
};

/** Formats with figures behind them count, too: `mp3_44100_128`. */
const format: AskedReader = (asked) => {
  const name = /^[a-z0-9]+(?=_|$)/i.exec(String(asked))?.[0].toLowerCase() ?? '';
  const types = Object.hasOwn(typesOf, name) ? typesOf[name] : undefined;
  return types && (({ mediaType }) => (types.includes(mediaType) ? undefined : nameOfType(mediaType)));
};

function nameOfType(mediaType: string): string {
  const [known] = Object.entries(typesOf).find(([, types]) => types[0] === mediaType) ?? [];
  const [plain = ''] = mediaType.split(';', 1);
  return known ?? plain.slice(plain.indexOf('/') + 1);
}

/** By the names of fields; `format` needs the type of the file alone. */
const readers: Readonly<Partial<Record<AssetKind, Readonly<Record<string, AskedReader>>>>> = {
  images: {
    size,
    width: side('width'),
    height: side('height'),
    aspect_ratio: ratio,
    background,
    transparent: background,
    transparent_background: background,
    output_format: format,
    response_format: format,
  },
  speech: {
    response_format: format,
    output_format: format,
    seconds: length,
    duration: length,
    channels,
  },
  videos: {
    size,
    width: side('width'),
    height: side('height'),
    aspect_ratio: ratio,
    seconds: length,
    duration: length,
    audio: sound,
    sound,
    generate_audio: sound,
    output_format: format,
  },
};

/** Returns what was asked of a result and can be measured. @param values what was sent, by field */
export function expectationsOf(
  kind: AssetKind,
  values: Readonly<Record<string, FurtherValue>> = {},
): readonly Expectation[] {
  const known = readers[kind] ?? {};
  return Object.entries(values).flatMap(([field, asked]) => {
    const reader = Object.hasOwn(known, field) ? known[field] : undefined;
    const differs = reader?.(asked);
    return differs ? [{ field, asked: String(asked), needsContent: reader !== format, differs }] : [];
  });
}

/** Returns what a file is not; undefined if it is as asked. */
export function differencesOf(
  expectations: readonly Expectation[],
  measured: Measured,
): readonly Difference[] | undefined {
  const differs = expectations.flatMap(({ field, asked, differs: compare }) => {
    const got = compare(measured);
    return got === undefined ? [] : [{ field, asked, got }];
  });
  return differs.length > 0 ? differs : undefined;
}

/** Says in one sentence how a result differs from what was asked for. */
export function differsSentence(differs: readonly Difference[]): string {
  return l10n.t('The result is not what was asked for: {0}.', describeDifferences(differs));
}

/** Says the differences alone, for a place that is too small for the sentence. */
export function describeDifferences(differs: readonly Difference[]): string {
  const all = differs.map(({ field, asked, got }) =>
    l10n.t('{0} is {1} instead of {2}', ...[field, got, asked].map((one) => plainLine(one))),
  );
  return all.join('; ');
}

function sizeText({ width, height }: { readonly width: number; readonly height: number }): string {
  return `${width}x${height}`;
}

/** Returns a number above 0, also as a text. */
function numberIn(value: FurtherValue): number | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  return /^\d+(\.\d+)?$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}
