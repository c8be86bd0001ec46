import * as l10n from '@vscode/l10n';
import type { Transcript } from '../../operations/Transcript.ts';
import { escapeMarkdown } from './escapeMarkdown.ts';
import type { Repeat } from './findRepeat.ts';
import type { Paragraph } from './paragraphsOf.ts';

/** Source of a transcript. */
export interface TranscriptOrigin {
  /** The recording's path in the workspace, or its file name. */
  readonly source: string;
  /** Relative link from the transcript to the recording, if any, with forward slashes and not percent-encoded. */
  readonly link?: string | undefined;
  readonly model: string;
  readonly operation: string;
  readonly date: Date;
  readonly sandbox?: boolean;
}

interface Content {
  readonly transcript: Transcript;
  readonly paragraphs: readonly Paragraph[];
  readonly repeat: Repeat | undefined;
}

/** Writes Markdown with YAML front matter, a link to the recording and the text. */
export function writeMarkdown(origin: TranscriptOrigin, { transcript, paragraphs, repeat }: Content): string {
  const { duration, language } = transcript;
  const matter: readonly (string | undefined)[] = [
    `source: ${yaml(origin.source)}`,
    `model: ${yaml(origin.model)}`,
    `operation: ${yaml(origin.operation)}`,
    `date: ${origin.date.toISOString()}`,
    duration === undefined ? undefined : `duration: ${Math.round(duration * 1000) / 1000} # seconds`,
    language === undefined ? undefined : `language: ${yaml(language)}`,
    origin.sandbox ? 'sandbox: true' : undefined,
    repeat && `note: ${yaml(noteOn(repeat))}`,
  ];
  const front = matter.filter((line) => line !== undefined).join('\n');
  const body = paragraphs.map(({ speaker, text }) =>
    speaker === undefined ? escapeMarkdown(text) : `**${escapeMarkdown(oneLine(speaker))}:** ${escapeMarkdown(text)}`,
  );
  const link = origin.link === undefined ? [] : [linkTo(origin.link)];
  return `---\n${front}\n---\n\n${[...link, ...body].join('\n\n')}\n`;
}

function noteOn({ text, times }: Repeat): string {
  return l10n.t('“{0}” repeats {1} times in a row; perhaps no one said it.', text, times);
}

/** Always quotes a value, because the language `no` would be read as false. YAML accepts JSON's escapes. */
function yaml(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function linkTo(path: string): string {
  const name = escapeMarkdown(oneLine(path.slice(path.lastIndexOf('/') + 1))).replace(/(?<!\\)[[\]]/g, '\\$&');
  const address = path.toWellFormed().split('/').map(encodeURIComponent).join('/');
  // Markdown needs these encoded as well.
  return `[${name}](${address.replace(/[()*!'~_]/g, percentEncoded)})`;
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
