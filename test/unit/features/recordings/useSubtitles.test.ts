import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { libraryIn } from '../../../../src/cli/libraryIn.ts';
import { LocalFolder } from '../../../../src/files/LocalFolder.ts';
import { hashOf } from '../../../../src/files/sha256.ts';
import { spentOn } from '../../../../src/library/spentOn.ts';
import { importWithEditor, Uri } from '../../../support/editorStub.ts';
import { wavOf } from '../../../support/mediaBytes.ts';
import { settingsWith } from '../../../support/settingsWith.ts';

type Using = typeof import('../../../../src/features/recordings/useSubtitles.ts');
type Pairs = typeof import('../../../../src/editor/timedPair.ts');
type Operations = typeof import('../../../../src/features/operations/OperationCommands.ts');

const seconds = (count: number) => wavOf(Buffer.alloc(8000 * count, 0x80));
const zoom = [
  'WEBVTT',
  '1\n00:00:00.000 --> 00:00:02.000\nAna Diaz: Good morning.',
  '2\n00:00:02.000 --> 00:00:03.000\nAna Diaz: The quay is short.',
  '3\n00:00:03.000 --> 00:00:04.000\nTom Berg: It is.',
].join('\n\n');
const whisper = JSON.stringify({ text: 'So it is.', segments: [{ start: 0, end: 2, text: ' So it is.' }] });

describe('subtitles beside a recording', () => {
  let root: string;
  let modules: Using & Pairs & Operations;
  let answer: string | undefined;
  let asked: string[];
  let ran: unknown[];
  let sent: unknown[];

  const editor = {
    commands: { executeCommand: async (...all: readonly unknown[]) => void ran.push(...all) },
    window: {
      showWarningMessage: async (question: string, { detail }: { readonly detail: string }, ...buttons: string[]) => {
        asked.push(question, detail, ...buttons);
        return answer;
      },
    },
    workspace: {
      textDocuments: [],
      asRelativePath: ({ path }: Uri) => posix.basename(path),
      getWorkspaceFolder: () => ({ uri: Uri.file(root) }),
      fs: {
        stat: async ({ fsPath }: Uri) => ({ type: (await stat(fsPath)).isDirectory() ? 2 : 1 }),
        readFile: async ({ fsPath }: Uri) => new Uint8Array(await readFile(fsPath)),
        readDirectory: async ({ fsPath }: Uri) => (await readdir(fsPath)).map((name) => [name, 1]),
      },
    },
  };
  const places = {
    libraryOf: () => libraryIn(root),
    referenceBeside: () => '',
    placeAt: () => ({
      folder: new LocalFolder(root, root),
      library: libraryIn(root),
      recordedName: (name: string) => name,
    }),
  };
  const parts = {
    places,
    log: { warn: () => undefined, error: () => undefined },
    settings: settingsWith({ openAfterSave: false }),
    memory: { get: () => undefined },
    runs: { run: async ([{ fields }]: readonly [{ readonly fields: unknown }]) => void sent.push(fields) },
  };

  before(async () => {
    const load = <Module>(name: string) =>
      importWithEditor<Module>(new URL(`../../../../src/${name}`, import.meta.url), editor);
    modules = {
      ...(await load<Using>('features/recordings/useSubtitles.ts')),
      ...(await load<Pairs>('editor/timedPair.ts')),
      ...(await load<Operations>('features/operations/OperationCommands.ts')),
    };
  });
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'subtitles-'));
    [answer, asked, ran, sent] = [undefined, [], [], []];
  });
  afterEach(() => rm(root, { recursive: true }));

  const at = (name: string) => Uri.file(join(root, name));
  const read = (name: string) => readFile(join(root, name), 'utf8');
  async function write(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) await writeFile(join(root, name), content);
  }
  const use = (name: string) =>
    modules.useSubtitles(
      { uri: pathToFileURL(join(root, name)).href },
      parts as unknown as Parameters<Using['useSubtitles']>[1],
    );
  const transcribe = (...names: readonly string[]) =>
    new modules.OperationCommands(parts as unknown as ConstructorParameters<Operations['OperationCommands']>[0]).run(
      'transcribe',
      at(names[0] ?? ''),
      names.map(at),
    );

  it('become a document with speakers, whose pair they are, and which costs nothing', async () => {
    await write({ 'talk.wav': seconds(4), 'talk.transcript.vtt': zoom, 'talk.md': 'Notes of mine.\n' });
    const [asset] = (await use('talk.transcript.vtt')) ?? [];
    assert.equal(posix.basename(asset?.uri ?? ''), 'talk-2.md');
    assert.match(
      await read('talk-2.md'),
      /^---\nsource: "talk\.wav"\nsubtitles: "talk\.transcript\.vtt"\ndate: [^\n]*\nspeakers: \["Ana Diaz", "Tom Berg"\]\n---\n\n\[talk\.wav\]\(talk\.wav\)\n\n\*\*Ana Diaz:\*\* Good morning\. The quay is short\.\n\n\*\*Tom Berg:\*\* It is\.\n$/,
    );
    assert.equal(await read('talk.transcript.vtt'), zoom);
    const entries = await libraryIn(root).entries();
    const [{ madeFrom, inputs, times, model } = {}] = entries;
    assert.deepEqual(madeFrom, { file: 'talk.transcript.vtt', sha256: hashOf(zoom) });
    assert.deepEqual(inputs, [{ field: 'file', file: 'talk.wav', sha256: hashOf(seconds(4)) }]);
    assert.deepEqual([times, model], [undefined, 'local']);
    assert.deepEqual(spentOn(new Date(), entries, { currency: '$', models: {} }), { amount: 0, isAll: true });
    for (const name of ['talk.wav', 'talk-2.md']) {
      const pair = await modules.timedPair(at(name), places);
      const found = [pair.recording, pair.text, pair.times].map((uri) => posix.basename(uri?.path ?? ''));
      assert.deepEqual(found, ['talk.wav', 'talk-2.md', 'talk.transcript.vtt'], name);
    }
  });

  it('may be JSON of Whisper or have no recording, and those of another recording become nothing', async () => {
    await write({ 'talk.json': whisper, 'other.wav': seconds(1), 'other.vtt': zoom });
    await use('talk.json');
    assert.match(await read('talk.md'), /^---\nsubtitles: "talk\.json"\ndate: [^\n]*\n---\n\nSo it is\.\n$/);
    await assert.rejects(use('other.vtt'), /The times reach .* so it is a different recording.*invalidInput/s);
    await assert.rejects(use('talk.md'), /has no times that can be read/);
    await assert.rejects(modules.useSubtitles({}, parts as never), /URI \(uri\) must name/);
    assert.deepEqual(
      (await readdir(root)).filter((name) => name.startsWith('other')),
      ['other.vtt', 'other.wav'],
    );
  });

  it('are offered before a recording is transcribed, and nothing is sent for it then', async () => {
    await write({ 'talk.wav': seconds(4), 'talk.vtt': zoom, 'alone.wav': seconds(4) });
    await transcribe('talk.wav', 'alone.wav');
    assert.deepEqual(asked, ['There is a transcript beside talk.wav', 'talk.vtt', 'Use It (Free)', 'Transcribe']);
    assert.deepEqual([ran, sent], [[], []]);
    answer = 'Use It (Free)';
    await transcribe('talk.wav', 'alone.wav');
    assert.deepEqual([ran[0], String(ran[1])], ['unifiedMedia.useSubtitles', String(at('talk.vtt'))]);
    assert.deepEqual(sent, [{ files: [at('alone.wav')] }]);
    sent = [];
    await transcribe('talk.wav');
    assert.deepEqual(sent, []);
    answer = 'Transcribe';
    await transcribe('talk.wav');
    assert.deepEqual(sent, [{ files: [at('talk.wav')] }]);
  });

  it('are not offered where they are ours, are those of another recording, or are no subtitles', async () => {
    await write({ 'talk.wav': seconds(4), 'talk.vtt': zoom, 'talk.md': 'Good morning.\n' });
    await write({ 'short.wav': seconds(1), 'short.vtt': zoom, 'data.wav': seconds(4), 'data.json': '{"a":1}' });
    await libraryIn(root).append({
      ...{ file: 'talk.md', kind: 'transcripts', operation: 'transcribe', model: 'm', jobId: 'job' },
      createdAt: new Date().toISOString(),
      times: { name: 'talk.vtt', sha256: hashOf(zoom) },
    });
    await transcribe('talk.wav', 'short.wav', 'data.wav');
    assert.deepEqual(asked, []);
    assert.deepEqual(sent, [{ files: ['talk.wav', 'short.wav', 'data.wav'].map(at) }]);
  });
});
