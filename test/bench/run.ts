// `npm run bench`: measures each row several times, each run in its own process, and prints medians and ratios.
// `npm run bench -- download upload` measures only the rows whose names contain one of the words.
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';

/**
 * What is measured, its unit, the script that prints one number, the script's arguments, and the contenders (ours
 * first).
 */
type Row = readonly [name: string, unit: string, script: string, what: string, contenders: readonly string[]];

const rows: readonly Row[] = [
  ['small request, one after the other', 'ms', 'smallRequest.ts', '', ['client', 'undici', 'undici+keepAlive']],
  ['60 paragraphs by TLS, 50 ms away, received', 's', 'distantNarration.ts', 'requests', ['client', 'undici']],
  ['60 paragraphs by TLS, 50 ms away, narrated', 's', 'distantNarration.ts', 'narration', ['client', 'undici']],
  ['upload of 512 MiB', 's', 'upload.ts', 'seconds', ['client', 'curl', 'openai']],
  ['upload of 512 MiB, memory growth', 'MiB', 'upload.ts', 'memory', ['client', 'openai']],
  ['upload of 4 GiB, memory growth', 'MiB', 'upload.ts', 'memory 4096', ['client']],
  [
    'download of 512 MiB to a file',
    's',
    'download.ts',
    'seconds',
    ['client', 'curl', 'curl+sync', 'curl+sha256+sync', 'fetch'],
  ],
  ['download of 512 MiB to a file, memory growth', 'MiB', 'download.ts', 'memory', ['client', 'fetch']],
  ['download of 4 GiB to a file, memory growth', 'MiB', 'download.ts', 'memory 4096', ['client']],
  ['4 images of 30 MiB as base64, saved', 's', 'base64Images.ts', 'seconds', ['client', 'openai']],
  ['4 images of 30 MiB as base64, saved, memory growth', 'MiB', 'base64Images.ts', 'memory', ['client', 'openai']],
  ['refusal of 300 MiB, memory growth', 'MiB', 'refusal.ts', 'memory', ['client']],
  ['status answer with a video of 60 MiB as base64, memory growth', 'MiB', 'statusAnswer.ts', 'memory', ['client']],
  ['30 edits of a photo of 6 MiB at once, memory growth', 'MiB', 'imageFiles.ts', 'memory', ['client']],
  ['sound of a screen recording of 1 GB taken out', 's', 'recording.ts', 'seconds', ['client', 'ffmpeg']],
  ['sound of a screen recording of 1 GB taken out, memory growth', 'MiB', 'recording.ts', 'memory', ['client']],
  ['waveform of 3 hours of MP3', 's', 'waveform.ts', 'mp3', ['client']],
  ['waveform of 3 hours of AAC', 's', 'waveform.ts', 'm4a', ['client']],
  ['waveform of 3 hours of Opus', 's', 'waveform.ts', 'ogg', ['client']],
  ['library of 100,000 records, its videos listed', 'ms', 'library.ts', 'open', ['client']],
  ['library of 100,000 records, the newest known', 'ms', 'library.ts', 'newest', ['client']],
  ['library of 100,000 records, read on after one more', 'ms', 'library.ts', 'again', ['client']],
  ['library of 100,000 records, the record of a file found', 'ms', 'library.ts', 'at', ['client']],
  ['library of 100,000 records, memory of all', 'MiB', 'library.ts', 'memory', ['client']],
  ['append to a library with this many records', 'ms', 'library.ts', 'append', ['100000', '10000', '100']],
  ['tree of 10,000 videos in VS Code, opened', 'ms', 'videoTree.ts', 'open', ['client']],
  ['tree of 10,000 videos in VS Code, a new one appears', 'ms', 'videoTree.ts', 'new', ['client']],
  ['Create view in VS Code, from the click to typing', 'ms', 'createView.ts', 'open', ['client']],
  ['Generate to the picture decoded, a service that answers at once', 'ms', 'createView.ts', 'generate', ['client']],
  ['gallery of 10,000 results in VS Code, opened', 'ms', 'createView.ts', 'gallery', ['client']],
  ['gallery of 10,000 results, the longest task while scrolling', 'ms', 'createView.ts', 'task', ['client']],
  ['gallery of 10,000 results, most media elements', 'elements', 'createView.ts', 'media', ['client']],
  ['references of 10,000 lines, found for the first time', 'ms', 'references.ts', 'first', ['client']],
  ['references of 10,000 lines, found again', 'ms', 'references.ts', 'again', ['client']],
  ['references of 10,000 lines, found and resolved', 'ms', 'references.ts', 'missing', ['client']],
  ['PNG of 4096 × 4096 to a WebP of 1024', 'ms', 'transformImage.ts', 'time', ['client']],
  ['PNG of 4096 × 4096 to a WebP of 1024, longest block', 'ms', 'transformImage.ts', 'block', ['client']],
  ['narration of 10,000 lines, planned for the first time', 'ms', 'narration.ts', 'first', ['client']],
  ['narration of 10,000 lines, planned again', 'ms', 'narration.ts', 'again', ['client']],
  ['transcript of 3 hours, matched with the times of its words', 'ms', 'alignment.ts', 'edited', ['client']],
  ['transcript of 3 hours, matched with those of another recording', 'ms', 'alignment.ts', 'foreign', ['client']],
  ['list of 10,000 cues in the player, drawn', 'ms', 'player.ts', 'open', ['client']],
  ['click on a cue to its sound', 'ms', 'player.ts', 'click', ['client']],
  ['first sound after the first byte of the first answer', 'ms', 'firstSound.ts', '', ['client']],
  ['captions of an hour of speech', 'ms', 'captions.ts', '', ['client']],
  ['24 pictures, four at a time', 's', 'pictures.ts', '', ['client', 'service', 'oneByOne']],
  ['plan of 1,000 assets, from start to exit', 'ms', 'manifest.ts', 'plan', ['client', 'node']],
  ['plan of 300 missing pictures beside this many works of others', 'ms', 'store.ts', 'pictures', ['8000', '0']],
  ['plan of one long text beside this many works of others', 'ms', 'store.ts', 'text', ['8000', '0']],
  ['plan of both beside this many works of others, peak memory', 'MiB', 'store.ts', 'memory', ['8000', '0']],
  ['check of 1,000 files of 1 MiB', 's', 'manifest.ts', 'check', ['client', 'openssl']],
  [
    'check of 200 files of 5 MiB: their hashes on one thread, or more',
    's',
    'hashing.ts',
    '',
    ['main', 'pool', 'workers'],
  ],
  ['check of 1,000 files of 1 MiB, memory beyond that of 10', 'MiB', 'manifest.ts', 'memory', ['client']],
  ['loading what the first job needs', 'ms', 'firstJob.ts', '', ['client']],
  ["100 jobs at once: the event loop's delay, 99th percentile", 'ms', 'manyJobs.ts', '100', ['client']],
  ['activation in VS Code', 'ms', 'activation.ts', '', ['unified-media.unified-media', 'vscode.git', 'vscode.github']],
  ['code that activation loads', 'kB', 'size.ts', '', ['first-load']],
  ['code and data of the extension, unpacked', 'kB', 'size.ts', '', ['dist']],
  ['the .vsix', 'kB', 'size.ts', '', ['vsix']],
];

const runs = 5;
const words = process.argv.slice(2);
const isAsked = ([name]: Row) => words.length === 0 || words.some((word) => name.includes(word));

console.log(`${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`);
console.log(`Load ${loadavg()[0]?.toFixed(1)}; medians of ${runs} runs after a warm-up; “client” is Unified Media.\n`);
console.log('| what | who | median | least to most | client / theirs |\n| --- | --- | --- | --- | --- |');
for (const row of rows.filter(isAsked)) {
  const [name, unit, , , contenders] = row;
  const results = measure(row);
  const medians = results.map((values) => values[Math.floor(values.length / 2)] ?? Number.NaN);
  for (const [index, who] of contenders.entries()) {
    const median = medians[index] ?? Number.NaN;
    const range = [results[index]?.[0], results[index]?.at(-1)].map((value) => value?.toFixed(2)).join(' to ');
    const ratio = index === 0 ? '' : ((medians[0] ?? Number.NaN) / median).toFixed(2);
    console.log(`| ${name} | ${who} | ${median.toFixed(2)} ${unit} | ${range} | ${ratio} |`);
  }
}

/**
 * Returns the results of each contender in ascending order. Contenders take turns, so that a busy moment of the
 * machine affects all of them.
 */
function measure([, unit, script, what, contenders]: Row): readonly number[][] {
  const results: number[][] = contenders.map(() => []);
  // A size is the same on every run.
  for (let run = unit === 'kB' ? runs : 0; run <= runs; run++) {
    for (const [index, who] of contenders.entries()) {
      const command = [join(import.meta.dirname, script), who, ...what.split(' ')];
      const text = execFileSync(process.execPath, command, { encoding: 'utf8', timeout: 120_000 });
      if (run > 0) results[index]?.push(Number(text));
    }
  }
  return results.map((values) => values.sort((a, b) => a - b));
}
