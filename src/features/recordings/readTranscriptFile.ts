import type { Paragraph } from '../../library/transcript/paragraphsOf.ts';
import { paragraphsOf } from '../../library/transcript/paragraphsOf.ts';
import { readSubtitles } from '../../library/transcript/readSubtitles.ts';

/**
 * Reads the words of a saved transcript in any format.
 *
 * @param extension without the dot
 */
export function readTranscriptFile(extension: string, file: string): readonly Paragraph[] {
  const text = file.replace(/\r\n?/g, '\n');
  if (extension === 'srt' || extension === 'vtt') {
    const cues = readSubtitles(extension, text);
    return paragraphsOf(
      cues.map(({ start, end, lines, speaker }) => ({
        start: start / 1000,
        end: end / 1000,
        text: lines.join(' '),
        ...(speaker === undefined ? {} : { speaker }),
      })),
    );
  }
  if (extension !== 'md') return blocksOf(text).map((block) => ({ text: block }));
  const [first, ...others] = blocksOf(text.replace(/^---\n[\s\S]*?\n---\n/, ''));
  if (first === undefined) return [];
  // The first block may be the link to the recording.
  const blocks = /^\[(?:\\.|[^\]\\])*\]\([^()\s]+\)$/.test(first) ? others : [first, ...others];
  return blocks.map((block) => {
    const [start = '', speaker] = /^\*\*((?:\\.|[^*\\])+):\*\* /.exec(block) ?? [];
    const words = withoutEscapes(block.slice(start.length));
    return speaker === undefined ? { text: words } : { speaker: withoutEscapes(speaker), text: words };
  });
}

function blocksOf(text: string): readonly string[] {
  return text
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter((block) => block !== '');
}

function withoutEscapes(markdown: string): string {
  return markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1');
}
