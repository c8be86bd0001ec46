import { escapeMarkdown, escapeSrt, escapeVtt } from '../../foreign/escape.ts';
import type { PlainLine } from '../../foreign/plainText.ts';

/** Start and end offset of a speaker's name. */
export interface SpeakerPlace {
  readonly start: number;
  readonly end: number;
}

/** How names look in files of each extension, and how a new name is written there. */
const formats: Readonly<Record<string, { readonly name: RegExp; write(name: PlainLine): string }>> = {
  md: { name: /(?<=^\*\*)(?:\\.|[^*\\\n])+(?=:\*\* )/gm, write: escapeMarkdown },
  vtt: { name: /(?<=<v(?:\.[^ \t>\n]*)?[ \t]+)[^>\n]+(?=>)/g, write: escapeVtt },
  // The name is on the line after the times of a cue.
  srt: { name: /(?<=--> [^\n]*\n)[^\s:<>.!?,;][^:<>.!?,;\n]{0,59}(?=: )/g, write: escapeSrt },
  txt: { name: /(?<=^|\n\r?\n)[^\s:<>.!?,;][^:<>.!?,;\n]{0,59}(?=: )/g, write: (name) => name },
};

/**
 * Finds the speakers of a transcript, as written there, with all places of each.
 *
 * @param extension without the dot
 */
export function findSpeakers(extension: string, text: string): ReadonlyMap<string, readonly SpeakerPlace[]> {
  const speakers = new Map<string, SpeakerPlace[]>();
  const format = formats[extension.toLowerCase()];
  for (const { 0: name, index } of format ? text.matchAll(format.name) : []) {
    const places = speakers.get(name) ?? [];
    places.push({ start: index, end: index + name.length });
    speakers.set(name, places);
  }
  return speakers;
}

/** Returns a name as written in files of an extension. */
export function writtenName(extension: string, name: PlainLine): string {
  return formats[extension.toLowerCase()]?.write(name) ?? name;
}
