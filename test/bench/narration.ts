// Prints the milliseconds that planning the narration of a Markdown document of 10,000 lines takes:
//   first  in a fresh process
//   again  repeated, as after each pause in typing
import { spokenBlocks } from '../../src/documents/speakableText.ts';
import { narrationBlocks } from '../../src/wholes/NarrationBlock.ts';
import { planNarration } from '../../src/wholes/planNarration.ts';

const text = Array.from({ length: 10_000 }, (_, index) => {
  if (index % 4 === 3) return '';
  if (index % 100 === 0) return `## Chapter ${index}`;
  return `Line ${index} with *emphasis*, \`code\` and a [link](https://example.org/${index}), as it stands in a text.`;
}).join('\n');
const speaker = { model: 'm', voice: 'nova', response_format: 'mp3' } as const;

function blocks(document: string) {
  return narrationBlocks(spokenBlocks(document, 'markdown'), speaker, { sandbox: false, maxCharacters: 4096 });
}

function plan(): void {
  const changed = text.replace('Line 5001 ', 'Another line ');
  const { generate, reuse } = planNarration(blocks(changed), previous);
  if (generate.length !== 1 || reuse.length < 2000)
    throw new Error(`The plan generates ${generate.length} blocks and reuses ${reuse.length}.`);
}

function milliseconds(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** The previous blocks as a record keeps them: without their texts. */
let previous: readonly { readonly key: string }[] = [];

const measures: Readonly<Record<string, () => number>> = {
  first: () => milliseconds(() => blocks(text)),
  again: () => {
    previous = blocks(text).map(({ key }) => ({ key }));
    for (let run = 0; run < 5; run++) plan();
    return milliseconds(plan);
  },
};
const measure = measures[process.argv[3] ?? ''];
if (!measure) throw new Error('Usage: narration.ts client first|again');
console.log(measure());
