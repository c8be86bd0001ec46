import type { WrittenCue } from './rollingCaptions.ts';

/** A line that begins with the name of who speaks it. */
interface NamedLine {
  readonly name: string;
  /** The line without the name. */
  readonly text: string;
}

/** Who speaks in a file that writes names before a colon. */
export interface NamesBeforeColons {
  /** @returns undefined for a line that begins with no name */
  readonly nameIn: (line: string) => NamedLine | undefined;
  /** Whether a name stands only where the speaker changes, so that a cue without one is of the same speaker. */
  readonly isAtChanges: boolean;
}

/** Dashes, arrows and tags may stand before a name, tags around it, and WhisperX writes it in brackets. */
const named =
  /^(?:<[^<>]{0,100}>|\{[^{}]{0,100}\}|&gt;|[-–—> \t])*(\[?)([\p{L}\p{N}][^:：<>[\]"“”?!…]{0,60})\]?(?:<\/[^<>]{0,100}>)?(?::(?=[ \t<]|$)|：)(?:<\/[^<>]{0,100}>)?/u;
const numbered = /^speaker[ _]?\d+$/i;
const maxWords = 5;
/** A sound or a title may come before the first name. */
const mayComeBefore = 2;

/**
 * Finds the names before colons, as Zoom, Otter and WhisperX write them. One line such as “Note: …” is no name: nearly all
 * cues have one, or the same comes again.
 */
export function namesBeforeColons(cues: readonly WrittenCue[]): NamesBeforeColons {
  const first = cues.map(({ lines: [line = ''] }) => candidateIn(line));
  const names = first.flatMap((candidate) => candidate?.name ?? []);
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isAgain = (name: string) => (counts.get(name) ?? 0) > 1;
  const isRepeated = first.some((one, index) => one !== undefined && one.name === first[index - 1]?.name);
  const isAtChanges = !isRepeated && names.some(isAgain) && first.slice(0, mayComeBefore + 1).some((one) => one);
  const isInEach = isRepeated
    ? names.length * 2 >= cues.length
    : !isAtChanges && names.length > 1 && names.length === cues.length;
  const isName = ({ name, isBracketed }: SpokenName) =>
    isBracketed || numbered.test(name) || isInEach || (isAtChanges && (isAgain(name) || isFullName(name)));
  const nameIn = (line: string) => {
    const candidate = candidateIn(line);
    return candidate && isName(candidate) ? candidate : undefined;
  };
  return { nameIn, isAtChanges };
}

interface SpokenName extends NamedLine {
  readonly isBracketed: boolean;
}

function candidateIn(line: string): SpokenName | undefined {
  const [before = '', bracket, written = ''] = named.exec(line) ?? [];
  const name = written.trim();
  if (!/\p{L}/u.test(name) || name.split(/\s+/).length > maxWords) return undefined;
  return { name, text: line.slice(before.length).trimStart(), isBracketed: bracket === '[' };
}

function isFullName(name: string): boolean {
  const words = name.split(/\s+/);
  return words.length > 1 && words.every((word) => /^[\p{Lu}\p{Lo}\p{N}]/u.test(word));
}
