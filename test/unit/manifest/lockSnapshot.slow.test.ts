import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hashOf } from '../../../src/files/sha256.ts';
import { describeLocal, describeRequest } from '../../../src/manifest/describeRequest.ts';
import { type LockLine, lockText } from '../../../src/manifest/Lock.ts';
import { type Entry, keyOf, type RequestEntry } from '../../../src/manifest/Manifest.ts';
import { planDocument } from '../../../src/manifest/planDocument.ts';
import { readManifest, withoutProblems } from '../../../src/manifest/readManifest.ts';
import { Variants } from '../../../src/manifest/Variants.ts';
import { type MediaRequest, type OperationId, operationIds, operations } from '../../../src/operations/operations.ts';
import { validateRequest } from '../../../src/operations/validateRequest.ts';
import { DocumentReader } from '../../../src/reading/DocumentReader.ts';
import { speechKey } from '../../../src/wholes/wholeKey.ts';
import type { PlaceReference } from '../../../src/work/Job.ts';
import { bodyOf, type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { jobRunnerAt } from '../../support/jobRunner.ts';
import { mp3Bytes, mp4Bytes, pngBytes, wavBytes } from '../../support/mediaBytes.ts';
import { narrateDocument } from '../../support/narrateDocument.ts';

const update = 'UPDATE_LOCK_SNAPSHOT';
const snapshot = join(import.meta.dirname, 'lockSnapshot.jsonl');
/** Longer texts are stored as their hash. */
const maxLength = 800;

const prompts = [
  'A harbour at dawn',
  'Größe & Übermut: „Möwen über Övelgönne“',
  '夜の港 🌊 👩‍🚀 with a "quoted" \\ backslash',
  'e\u0301 is not é; two\nlines,\ttab and \u2028 separator ',
];
const voices = [undefined, 'nova', 'ash', 'verse'];
const documents: Readonly<Record<string, string>> = {
  'docs/guide.md':
    '---\ntitle: Guide\n---\n# Guide\n\nOpen **the** [door](https://example.com/a).\n\n- one\n- two\n\n```js\nlet a = 1;\n```\n\n## Next 🌊\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n* * *\n',
  'docs/führung.md': '# Führung\r\n\r\nDas „Tor“ ist *offen*.\r\n\r\nÄpfel, Öl, Übermut und ß.\r\n',
  'docs/港.md': '# 港\n\n夜の港は静かです。\n\nカモメが飛ぶ。\n',
  'docs/مرفأ.md': 'المرفأ هادئ.\n\nالسفن ترحل.\n',
  'docs/page.mdx': 'import A from "./a";\n\n# Page\n\nText {1 + 1} and <A>inside</A>.\n\nLast one.\n',
  'docs/page.html': '<h1>Page</h1><p>One &amp; two<br>three</p><script>let a;</script><ul><li>x</li></ul>',
  'docs/page.vue': '<template><h1>Vue</h1><p>Hello {{ name }} there</p></template><script>let a;</script>',
  'docs/guide.rst': 'Guide\n=====\n\nOpen *the* ``door``.\n\n.. note:: Careful here.\n\n* one\n* two\n',
  'docs/guide.adoc': '= Guide\n\nOpen *the* `door`.\n\n== Next\n\n* one\n* two\n',
  'docs/plain.txt': 'One line.\nStill it.\n\nAnother one.\n\n***\n',
};

const defaults = {
  generateImage: { model: 'images-1', variants: 2 },
  editImage: { model: 'edits-1', output_format: 'b64_json' },
  speak: { model: 'voices-1', voice: 'coral' },
  translate: { model: 'words-1' },
  transcribe: { model: 'words-2' },
  generateVideo: { model: 'videos-1' },
  animateImage: { model: 'videos-2' },
};
const manifests = [{}, { style: 'flat, two colours', defaults }, { style: ' Öl auf Leinwand 🎨 ', defaults }];

/** Entries of every operation, and those that are made from other images. */
function assets(): Readonly<Record<string, object>> {
  const all: Record<string, object> = {};
  for (const [index, prompt] of prompts.entries()) {
    const model = index % 2 === 0 ? {} : { model: `own/model-${index}` };
    const size = [640 + index, 480];
    const images = ['img/a.png', 'photos/Größe.jpg', 'img/a.png'].slice(0, index + 1);
    all[`img/${index}.png`] = { operation: 'generateImage', prompt, ...model };
    all[`img/${index}-many.webp`] = { operation: 'generateImage', prompt, variants: index + 1, quality: 40 + index };
    all[`img/Größe ${index}.JPG`] = { operation: 'generateImage', output_format: 'b64_json', prompt, size, ...model };
    all[`img/edit-${index}.jpg`] = { operation: 'editImage', prompt, images };
    all[`img/edit-${index}-small.png`] = {
      size,
      variants: 3,
      images: images.toReversed(),
      prompt,
      operation: 'editImage',
    };
    all[`img/made-${index}.webp`] = {
      from: `img/${index}.png`,
      ...(index > 1 ? { size } : {}),
      ...(index % 2 ? { quality: 70 } : {}),
    };
    all[`video/${index}.mp4`] = { operation: 'generateVideo', prompt, ...model };
    all[`video/${index}-moving.webm`] = { operation: 'animateImage', prompt, image: images.at(-1), ...model };
    all[`video/${index}-again.mov`] = { operation: 'remixVideo', prompt, video: `video/${index}.mp4` };
  }
  const formats = ['mp3', 'wav', 'opus', 'ogg', 'aac', 'flac', 'pcm'];
  for (const [index, format] of formats.entries()) {
    const voice = voices[index % voices.length];
    const input = prompts[index % prompts.length];
    all[`sound/${index}.${format}`] = { operation: 'speak', input, ...(voice ? { voice } : {}) };
  }
  all['sound/own.mp3'] = { operation: 'speak', input: 'Hello.', response_format: 'x-own', model: 'own/voice' };
  for (const [index, document] of Object.keys(documents).entries()) {
    const voice = voices[index % voices.length];
    const extension = ['mp3', 'wav', 'aac'][index % 3];
    all[`sound/read ${index}.${extension}`] = { operation: 'speak', document, ...(voice ? { voice } : {}) };
  }
  for (const [index, extension] of ['md', 'txt', 'srt', 'vtt'].entries()) {
    const operation = index % 2 === 0 ? 'transcribe' : 'translate';
    all[`words/${index}.${extension}`] = { operation, file: `recordings/Anruf ${index}.m4a` };
  }
  return all;
}

const reader = new DocumentReader();

describe('What people commit', () => {
  let root: string;
  let service: HttpServer;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'lock-snapshot-'));
    for (const [path, text] of Object.entries(documents)) await write(path, text);
    service = await startHttpServer(answer);
  });

  after(async () => {
    await service[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
  });

  async function write(path: string, data: string | Buffer): Promise<void> {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), data);
  }

  /** The entries of a manifest, its lines of the lock and the folders of their variants. */
  async function rowsOf(manifest: (typeof manifests)[number], number: number): Promise<readonly string[]> {
    const text = JSON.stringify({ ...manifest, assets: assets() });
    const { entries } = withoutProblems(readManifest(text, join(root, 'media.jsonc')), 'media.jsonc');
    const variants = new Variants(root, root);
    const lines = new Map<string, LockLine>();
    const rows: string[] = [];
    for (const [index, entry] of entries.entries()) {
      const sandbox = (index + number) % 3 === 0;
      const line = await lineOf(entry, index, sandbox);
      lines.set(keyOf(entry.path), line);
      const keys = [false, true].map((made) => variants.keyFor(entry.path, line.request ?? '', made));
      rows.push(row(`manifest ${number}: ${entry.path}`, lockText(new Map([['', line]])), ...keys));
    }
    return [...rows, row(`manifest ${number}: the whole lock`, `"${hashOf(lockText(lines))}"`)];
  }

  async function lineOf(entry: Entry, index: number, sandbox: boolean): Promise<LockLine> {
    const output = hashOf(`output of ${entry.path}`);
    if (entry.type === 'derived') {
      const source = hashOf(`content of ${entry.from}`);
      const { local, inputs } = describeLocal(entry, source);
      return { path: entry.path, inputs: { ...inputs, [`./${entry.from}`]: source }, local, output };
    }
    const model = entry.model ?? `model of the editor for ${entry.operation}`;
    const plan = entry.document === undefined ? undefined : await planned(entry, model, sandbox);
    // Some inputs are not there yet.
    const contentOf = (path: string) => (index % 13 === 0 ? undefined : hashOf(`content of ${path}`));
    const videoId = index % 11 === 0 ? undefined : `vidéo_${index}`;
    const origin = describeRequest(entry, { model, contentOf, videoId, spoken: plan?.spoken });
    const { local, inputs } = describeLocal(entry);
    return {
      path: entry.path,
      request: origin.request,
      inputs: { ...origin.inputs, ...inputs },
      local,
      output,
      variant: (entry.values.n ?? 1) > 1 ? 2 : undefined,
      videoId: operations[entry.operation].result === 'videos' ? `made_${index}` : undefined,
      blocks: plan?.blocks.map(({ key }, block) => ({ key, start: block * 100, end: block * 100 + 100 })),
      sandbox: sandbox ? true : undefined,
    };
  }

  function planned(entry: RequestEntry, model: string, sandbox: boolean) {
    const hashes = { locate: (path: string) => Promise.resolve(join(root, path)) };
    const project = { hashes, narrationKey: () => '' };
    const options = { sandbox, speechMaxCharacters: 4000, documents: reader };
    return planDocument(project, entry, { model, line: undefined, noteOn: () => '' }, options, undefined);
  }

  it('stays the same: lock, library, and the names of what was paid for', async () => {
    const rows: string[] = [];
    for (const [number, manifest] of manifests.entries()) rows.push(...(await rowsOf(manifest, number)));
    rows.push(...speechRows(), ...(await libraryRows(service.origin, root, write)));
    const text = rows.map((one) => `${one}\n`).join('');
    assert(rows.length > 200, `${rows.length} rows`);
    assert.equal(
      new Set(rows.map((one) => one.slice(0, one.indexOf('",')))).size,
      rows.length,
      'a title is not unique',
    );
    if (process.env[update] !== undefined) await writeFile(snapshot, text);
    const before = (await readFile(snapshot, 'utf8')).trimEnd().split('\n');
    const different = rows.filter((one) => !before.includes(one));
    const gone = before.filter((one) => !rows.includes(one));
    const advice = `What people have committed no longer matches: their assets become stale and are paid for again. If that is meant, run this test with ${update}=1 and say in the commit why.`;
    const sample = `${gone.length} lines are gone, ${different.length} are new, such as\n- ${gone[0]}\n+ ${different[0]}`;
    assert(different.length === 0 && gone.length === 0, `${advice}\n${sample}`);
  });

  it('is the same for a document with the line breaks and the byte order mark of Windows', async () => {
    const entryFor = (document: string): RequestEntry => {
      const text = JSON.stringify({ assets: { 'a.mp3': { operation: 'speak', document, model: 'm' } } });
      const [entry] = withoutProblems(readManifest(text, join(root, 'media.jsonc')), 'media.jsonc').entries;
      assert(entry?.type === 'request');
      return entry;
    };
    for (const [path, text] of Object.entries(documents)) {
      const saved = `windows/${path}`;
      await write(saved, `\ufeff${text.replace(/\r?\n/g, '\r\n')}`);
      const [plain, onWindows] = await Promise.all([path, saved].map((one) => planned(entryFor(one), 'm', false)));
      assert.equal(onWindows?.spoken, plain?.spoken, path);
      assert.deepEqual(
        onWindows?.blocks.map(({ key }) => key),
        plain?.blocks.map(({ key }) => key),
        path,
      );
    }
  });
});

/** A line of the snapshot: a title and JSON texts, whose keys keep their order. */
function row(title: string, json: string, ...keys: readonly string[]): string {
  const short = json.trimEnd().length > maxLength ? `"sha256 ${hashOf(json.trimEnd())}"` : json.trimEnd();
  return `[${[JSON.stringify(title), short, ...keys.map((key) => JSON.stringify(key))].join(',')}]`;
}

/** The names of spoken parts, which are not paid for again. */
function speechRows(): readonly string[] {
  return prompts.flatMap((input, index) =>
    [false, true].map((sandbox) => {
      const given = { model: `m${index}`, input, ...(index % 2 ? { voice: 'nova', response_format: 'wav' } : {}) };
      const request = validateRequest('speak', given);
      return row(`spoken part ${index}, ${sandbox}`, `"${speechKey({ sandbox, request })}"`);
    }),
  );
}

/** Answers each operation as services do, always with the same bytes for the same request. */
async function answer(...[request, response]: Parameters<Parameters<typeof startHttpServer>[0] & object>) {
  const path = request.url ?? '';
  const text = (await bodyOf(request)).toString('latin1');
  const body = text.startsWith('{') ? (JSON.parse(text) as Readonly<Record<string, unknown>>) : {};
  if (path.endsWith('/speech')) {
    const isWav = body.response_format === 'wav';
    return response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(isWav ? wavBytes : mp3Bytes);
  }
  const usage = { total_tokens: 12, cost: 0.04, unit: 'USD', 'not a name!': 1, url: 'https://example.com' };
  response.setHeader('content-type', 'application/json');
  if (path.includes('/audio/')) {
    const segments = [
      { start: 0, end: 1.5, text: 'Grüße aus dem Hafen.' },
      { start: 1.5, end: 3, text: 'Goodbye.' },
    ];
    return response.end(JSON.stringify({ text: 'Grüße aus dem Hafen. Goodbye.', segments, usage: { seconds: 3 } }));
  }
  const isVideo = path.includes('/videos/');
  const count = typeof body.n === 'number' ? body.n : 1;
  const data = Array.from({ length: count }, (_, index) => ({
    b64_json: Buffer.concat([isVideo ? mp4Bytes : pngBytes, Buffer.from([index])]).toString('base64'),
  }));
  return response.end(JSON.stringify({ id: 'vidéo_9', usage, data }));
}

/** The library after one job of each operation, with and without the sandbox, and after a narration. */
async function libraryRows(
  origin: string,
  root: string,
  write: (path: string, data: string | Buffer) => Promise<void>,
): Promise<readonly string[]> {
  await using jobs = jobRunnerAt(origin, { root, journal: join(root, 'journal') });
  await write('in.png', pngBytes);
  await write('Anruf ä.wav', wavBytes);
  const image = pathToFileURL(join(root, 'in.png')).href;
  const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };
  const given = (id: OperationId, index: number): object => {
    const prompt = prompts[index % prompts.length] ?? '';
    const model = `model/${index}`;
    const recording = { model, file: join(root, 'Anruf ä.wav') };
    const all: Readonly<Record<OperationId, object>> = {
      generateImage: { model, prompt, n: 1 + (index % 3) },
      editImage: { model, prompt, image_urls: [image, image] },
      speak: { model, input: prompt, response_format: index % 2 ? 'wav' : 'mp3' },
      translate: recording,
      transcribe: recording,
      generateVideo: { model, prompt },
      animateImage: { model, prompt, image_url: image },
      remixVideo: { model, prompt, video_id: 'vidéo_1' },
    };
    return all[id];
  };
  const formats: readonly PlaceReference['transcriptFormat'][] = ['markdown', 'text', 'srt', 'vtt', 'json'];
  let index = 0;
  for (const operation of operationIds) {
    const { result }: { readonly result: string } = operations[operation];
    for (const sandbox of [false, true, false]) {
      const transcriptFormat = formats[index % formats.length] ?? 'markdown';
      const fileName = index % 2 ? '${operation}-${prompt}' : '${prompt}';
      const place = { root: pathToFileURL(root).href, path: `media/${result}`, fileName, transcriptFormat };
      const request = validateRequest(operation, given(operation, index++)) as MediaRequest;
      await jobs.runner.run({ operation, request, place, sandbox }, quiet);
    }
  }
  const texts = ['One.', 'Zwei Öfen.', '三。'];
  await narrateDocument({ host: origin, root, storage: join(root, 'storage'), texts, document: 'docs/führung.md' });
  const lines = (await readFile(join(root, '.unified-media/library.jsonl'), 'utf8')).trimEnd().split('\n');
  return Promise.all(lines.map(async (line, number) => row(`library ${number}`, await steady(line, root))));
}

/** Replaces what differs in each run: ids, times, and the hashes of files that contain a time. */
async function steady(line: string, root: string): Promise<string> {
  const { file, createdAt, jobId, sha256 } = JSON.parse(line) as Readonly<Record<string, string>>;
  assert(file && createdAt && jobId && sha256);
  const bytes = await readFile(join(root, file));
  const text = bytes.toString('latin1').replaceAll(createdAt, '<time>');
  assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256, `hash of ${file}`);
  return line
    .replaceAll(sha256, createHash('sha256').update(text, 'latin1').digest('hex'))
    .replace(createdAt, '<time>')
    .replace(jobId, '<job>');
}
