import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { libraryIn } from '../../../../src/cli/libraryIn.ts';
import { LocalFolder } from '../../../../src/files/LocalFolder.ts';
import { hashOf } from '../../../../src/files/sha256.ts';
import { importWithEditor, Uri } from '../../../support/editorStub.ts';
import { wavOf } from '../../../support/mediaBytes.ts';
import { settingsWith } from '../../../support/settingsWith.ts';

type Saving = typeof import('../../../../src/features/recordings/saveSubtitles.ts');
type Renaming = typeof import('../../../../src/features/recordings/renameSpeakers.ts');
type Adding = typeof import('../../../../src/features/recordings/addSpeakers.ts');

/** Of texts of one line, which is what these documents are. */
interface Range {
  readonly start: number;
  readonly end: number;
}

class WorkspaceEdit {
  readonly edits: { readonly uri: Uri; readonly range: Range; readonly text: string }[] = [];

  replace(uri: Uri, range: Range, text: string): void {
    this.edits.push({ uri, range, text });
  }
  get({ path }: Uri) {
    return this.edits.filter(({ uri }) => uri.path === path);
  }
}

class Document {
  readonly uri: Uri;
  readonly languageId = 'markdown';
  readonly isDirty = false;
  readonly #encoding: string;
  #text: string;

  constructor(uri: Uri, text: string, encoding: string) {
    this.uri = uri;
    this.#encoding = encoding;
    this.#text = text;
  }
  getText(): string {
    return this.#text;
  }
  positionAt(offset: number): number {
    return offset;
  }
  apply(edit: WorkspaceEdit): void {
    for (const { range, text } of edit.get(this.uri).toSorted((one, other) => other.range.start - one.range.start)) {
      this.#text = this.#text.slice(0, range.start) + text + this.#text.slice(range.end);
    }
  }
  async save(): Promise<boolean> {
    const isWide = this.#encoding === 'utf-16le';
    await writeFile(this.uri.fsPath, isWide ? Buffer.from(`\ufeff${this.#text}`, 'utf16le') : this.#text);
    return true;
  }
}

const own = `WEBVTT

STYLE
::cue(.yellow) { color: yellow }

NOTE checked by Ben

intro
00:00:00.000 --> 00:00:04.000 line:0
<c.yellow>We meet on Monday at noon.</c>
`;
const plain = 'WEBVTT\n\n00:00:00.000 --> 00:00:04.000\nWe meet on Monday at noon.\n';

describe('the times beside a transcript', () => {
  let root: string;
  let documents: Map<string, Document>;
  let asked: string[];
  let warned: string[];
  /** The button that the person chooses. */
  let chosen: string | undefined;
  let saveSubtitles: (argument: unknown) => Promise<Pick<Uri, 'path'> | undefined>;
  let updateTimes: (argument: unknown) => Promise<Pick<Uri, 'path'> | undefined>;
  let addSpeakers: (argument: unknown) => Promise<number | undefined>;
  let renameSpeakers: (argument: unknown) => Promise<number | undefined>;

  const editor = {
    WorkspaceEdit,
    window: {
      showInformationMessage: async () => undefined,
      showWarningMessage: async (sentence: string) => void warned.push(sentence),
      showQuickPick: async (_: unknown, { title }: { readonly title: string }) => {
        asked.push(title);
        return chosen;
      },
    },
    workspace: {
      textDocuments: [],
      asRelativePath: ({ path }: Uri) => posix.basename(path),
      getWorkspaceFolder: () => ({ uri: Uri.file(root) }),
      // With the setting `files.encoding` as it is by default; a mark says more.
      openTextDocument: async (uri: Uri) => {
        const bytes = await readFile(uri.fsPath);
        const encoding = bytes[0] === 0xff ? 'utf-16le' : 'utf-8';
        const document =
          documents.get(uri.fsPath) ?? new Document(uri, new TextDecoder(encoding).decode(bytes), encoding);
        documents.set(uri.fsPath, document);
        return document;
      },
      applyEdit: async (edit: WorkspaceEdit) => {
        for (const document of documents.values()) document.apply(edit);
        return true;
      },
      fs: {
        stat: async ({ fsPath }: Uri) => ({ type: (await stat(fsPath)).isDirectory() ? 2 : 1 }),
        readFile: async ({ fsPath }: Uri) => new Uint8Array(await readFile(fsPath)),
        readDirectory: async ({ fsPath }: Uri) =>
          (await readdir(fsPath, { withFileTypes: true })).map((one) => [one.name, one.isDirectory() ? 2 : 1]),
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

  before(async () => {
    const load = <Module>(name: string) =>
      importWithEditor<Module>(new URL(`../../../../src/features/recordings/${name}`, import.meta.url), editor);
    const settings = settingsWith({ openAfterSave: false });
    // A person who dismisses the question about sending.
    const runs = {
      run: async (_: unknown, __: unknown, { question }: { question: string }) => void asked.push(question),
    };
    const dependencies = { places, log: { warn: () => undefined }, settings, runs } as unknown as Parameters<
      Adding['addSpeakers']
    >[1];
    const saving = await load<Saving>('saveSubtitles.ts');
    const adding = await load<Adding>('addSpeakers.ts');
    saveSubtitles = (argument) => saving.saveSubtitles(argument, dependencies);
    updateTimes = (argument) => saving.updateTimes(argument, dependencies);
    const renaming = await load<Renaming>('renameSpeakers.ts');
    renameSpeakers = (argument) => renaming.renameSpeakers(argument, dependencies);
    addSpeakers = (argument) => adding.addSpeakers(argument, dependencies);
  });

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'times-'));
    [documents, asked, warned, chosen] = [new Map(), [], [], undefined];
    await write({ 'talk.md': 'We meet on Friday at noon.\n' });
  });
  afterEach(() => rm(root, { recursive: true }));

  async function write(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) await writeFile(join(root, name), content);
  }
  const read = (name: string) => readFile(join(root, name), 'utf8');
  const person = () => Uri.file(join(root, 'talk.md'));
  const program = () => ({ uri: pathToFileURL(join(root, 'talk.md')).href });
  const nameOf = (uri: Pick<Uri, 'path'> | undefined) => uri && posix.basename(uri.path);

  /** Records the times as those of the transcript, as they come from a service. */
  async function keep(times: string): Promise<void> {
    await mkdir(join(root, '.unified-media'), { recursive: true });
    await write({ 'talk.vtt': times });
    await libraryIn(root).append({
      ...{ file: 'talk.md', kind: 'transcripts', operation: 'transcribe', model: 'm', jobId: 'job' },
      createdAt: new Date().toISOString(),
      times: { name: 'talk.vtt', sha256: hashOf(times) },
    });
  }

  it('are replaced without a question where the library records them, also with the line ends of Windows', async () => {
    await keep(plain);
    await write({ 'talk.vtt': plain.replaceAll('\n', '\r\n') });
    assert.equal(nameOf(await updateTimes(program())), 'talk.vtt');
    assert.match(await read('talk.vtt'), /Friday/);
    await write({ 'talk.md': 'We meet on Sunday at noon.\n' });
    documents.clear();
    assert.equal(nameOf(await updateTimes(person())), 'talk.vtt');
    assert.match(await read('talk.vtt'), /Sunday/);
    assert.deepEqual(asked, []);
  });

  it('are replaced again and again beside a text without a record, but not if something of them would be lost', async () => {
    await write({ 'talk.vtt': plain });
    const say = async (day: string) => {
      documents.clear();
      await write({ 'talk.md': `We meet on ${day} at noon, or a little later.\n` });
    };
    for (const by of [program, person]) {
      for (const day of ['Friday', 'Sunday']) {
        await say(day);
        assert.equal(nameOf(await updateTimes(by())), 'talk.vtt', day);
        assert.match(await read('talk.vtt'), new RegExp(`${day}.*later`));
      }
    }
    assert.deepEqual(asked, []);
    await write({ 'talk.vtt': own });
    assert.equal(nameOf(await updateTimes(program())), 'talk-2.vtt');
    assert.equal(await read('talk.vtt'), own);
  });

  it('keep the names of speakers beside a text without a record', async () => {
    const spoken = plain.replace('We', '<v A>We');
    await write({ 'talk.vtt': plain, 'talk.wav': wavOf(Buffer.alloc(8000 * 4, 0x80)), 'talk.speakers.vtt': spoken });
    assert.equal(await addSpeakers(program()), 1);
    assert.match(await read('talk.vtt'), /<v A>We meet/);
    assert.equal(nameOf(await updateTimes(program())), 'talk.vtt');
    assert.match(await read('talk.vtt'), /<v A>We .*Friday/);
  });

  it('are asked about with the minutes of the recording, or with an upper bound where they cannot be counted', async () => {
    await write({ 'talk.wav': wavOf(Buffer.alloc(8000 * 90, 0x80)) });
    await addSpeakers(person());
    await rm(join(root, 'talk.wav'));
    // 2 minutes and a bit of speech in a compressed format.
    await write({ 'talk.mp3': Buffer.alloc(490_000, 'noise') });
    await addSpeakers(person());
    assert.deepEqual(asked, [
      'Send talk.wav (2 minutes) once more to find out who speaks?',
      'Send talk.mp3 (at most 3 min) once more to find out who speaks?',
    ]);
  });

  it('without a text give subtitles in which no cue gets the speaker of the one before', async () => {
    const cue = (second: number, text: string) => `00:0${second}.000 --> 00:0${second + 1}.000\n${text}\n`;
    const cues = [cue(0, '<v Ann>Hello.'), cue(3, 'Who is this?'), cue(6, '<v Ann>It is me.')];
    await rm(join(root, 'talk.md'));
    await write({ 'talk.vtt': `WEBVTT\n\n${cues.join('\n')}` });
    assert.equal(nameOf(await saveSubtitles({ uri: pathToFileURL(join(root, 'talk.vtt')).href })), 'talk.srt');
    assert.match(await read('talk.srt'), /\nAnn: Hello\.\n[\s\S]*\nWho is this\?\n[\s\S]*\nAnn: It is me\.\n/);
  });

  it('of a narration give subtitles of what is spoken, also where something in bold looks like the name of a speaker', async () => {
    const times = 'WEBVTT\n\n00:00:00.000 --> 00:00:04.000\nNote: Run npm first.\n';
    await mkdir(join(root, '.unified-media'), { recursive: true });
    await write({
      'talk.md': '**Note:** Run `npm` first.\n\n```sh\nnpm run build\n```\n',
      'talk.mp3': '',
      'talk.vtt': times,
    });
    await libraryIn(root).append({
      ...{ file: 'talk.mp3', kind: 'speech', operation: 'speak', model: 'm', jobId: 'job', mediaType: 'audio/mpeg' },
      ...{ bytes: 100, sha256: hashOf('sound'), createdAt: new Date().toISOString() },
      blocks: [{ key: hashOf('block'), start: 0, end: 100 }],
      narration: {
        document: 'talk.md',
        voice: 'v',
        response_format: 'mp3',
        transcript: { name: 'talk.vtt', sha256: hashOf(times) },
      },
    });
    assert.equal(nameOf(await saveSubtitles(program())), 'talk.srt');
    assert.equal(await read('talk.srt'), '1\n00:00:00,000 --> 00:00:04,000\nNote: Run npm first.\n');
  });

  for (const [whose, times] of [
    ['that a person made', own],
    ['that a person changed', plain.replace('noon', 'one')],
  ] as const) {
    it(`${whose} are replaced by a person only, and after a question`, async () => {
      await keep(plain);
      await write({ 'talk.vtt': times });
      assert.equal(nameOf(await updateTimes(program())), 'talk-2.vtt');
      await rm(join(root, 'talk-2.vtt'));
      assert.equal(nameOf(await updateTimes(person())), undefined);
      chosen = 'Keep Both';
      assert.equal(nameOf(await updateTimes(person())), 'talk-2.vtt');
      await rm(join(root, 'talk-2.vtt'));
      assert.equal(await read('talk.vtt'), times);
      chosen = 'Replace';
      assert.equal(nameOf(await updateTimes(person())), 'talk.vtt');
      assert.deepEqual(asked, Array(3).fill('talk.vtt already exists. Replace it?'));
      assert.match(await read('talk.vtt'), /^WEBVTT\n\n00.*\nWe .*Friday/);
    });
  }

  it('get the names of speakers by the same rule, and the text none when the question is dismissed', async () => {
    const spoken = plain.replace('We', '<v A>We');
    await write({ 'talk.vtt': own, 'talk.wav': wavOf(Buffer.alloc(8000 * 4, 0x80)), 'talk.speakers.vtt': spoken });
    const text = () => documents.get(join(root, 'talk.md'))?.getText();
    assert.equal(await addSpeakers(person()), undefined);
    assert.deepEqual(asked, ['talk.vtt already exists. Replace it?']);
    assert.equal(text(), 'We meet on Friday at noon.\n');
    assert.equal(await addSpeakers(program()), 1);
    assert.match(text() ?? '', /^\*\*A:\*\* We meet on Friday/);
    assert.match(await read('talk-2.vtt'), /<v A>We meet/);
    assert.equal(await read('talk.vtt'), own);
  });

  for (const [isOwn, name] of [
    [true, 'talk.vtt'],
    [false, 'talk-2.vtt'],
  ] as const) {
    it(`are ${isOwn ? 'still' : 'not'} replaced after speakers were renamed in them, where they were ${isOwn ? '' : 'not '}recorded`, async () => {
      const spoken = plain.replace('We', '<v A>We');
      await write({ 'talk.md': '**A:** We meet on Friday at noon.\n' });
      await keep(spoken);
      if (!isOwn) await write({ 'talk.vtt': spoken.replace('noon', 'one') });
      assert.equal(await renameSpeakers({ ...program(), names: { A: 'Ada' } }), 1);
      assert.match(await read('talk.vtt'), /<v Ada>We meet on Monday/);
      assert.equal(nameOf(await updateTimes(program())), name);
    });
  }

  describe('in another encoding', () => {
    const subtitles = '1\n00:00:00,000 --> 00:00:04,000\nA: Schöne Grüße\n';
    const rename = () => renameSpeakers({ ...program(), names: { A: 'Ada' } });
    const warning =
      'talk.srt is not saved as UTF-8, so the names in it were not changed. Save it as UTF-8, and rename the speakers there.';

    beforeEach(() => write({ 'talk.md': '**A:** Schöne Grüße\n' }));

    it('keep their speakers when these are renamed, which is said', async () => {
      await write({ 'talk.srt': Buffer.from(subtitles, 'latin1') });
      assert.equal(await rename(), 1);
      assert.equal(documents.get(join(root, 'talk.md'))?.getText(), '**Ada:** Schöne Grüße\n');
      assert.equal(await readFile(join(root, 'talk.srt'), 'latin1'), subtitles);
      assert.deepEqual(warned, [warning]);
    });

    it('are not spoken of when they hold none of the names', async () => {
      await write({ 'talk.srt': Buffer.from(subtitles.replace('A: ', ''), 'latin1') });
      assert.equal(await rename(), 1);
      assert.deepEqual(warned, []);
    });

    for (const encoding of ['latin1', 'utf16le'] as const) {
      it(`are not read, so that nothing is written with replacement characters: ${encoding}`, async () => {
        const times = Buffer.from('\ufeffWEBVTT\n\n00:00:00.000 --> 00:00:04.000\nGrüße von der See\n', encoding);
        await write({
          'talk.md': 'Grüße von der See\n',
          'talk.vtt': times,
          'talk.wav': wavOf(Buffer.alloc(8000 * 4, 0x80)),
        });
        await write({ 'talk.speakers.vtt': plain.replace('We', '<v A>We') });
        for (const command of [updateTimes, addSpeakers]) {
          await assert.rejects(command(program()), /talk\.vtt is not saved as UTF-8\. Save it as UTF-8\./);
        }
        assert.deepEqual(await readFile(join(root, 'talk.vtt')), times);
        assert(!(await readdir(root)).includes('talk-2.vtt'));
      });
    }

    it('are not read from the answer that names the speakers, and it is not asked for again', async () => {
      const answer = Buffer.from(plain.replace('We', '<v Jörg>We'), 'latin1');
      const wav = wavOf(Buffer.alloc(8000 * 4, 0x80));
      const text = 'We meet on Friday at noon.\n';
      await write({ 'talk.md': text, 'talk.vtt': plain, 'talk.wav': wav, 'talk.speakers.vtt': answer });
      await assert.rejects(addSpeakers(program()), /talk\.speakers\.vtt is not saved as UTF-8\. Save it as UTF-8\./);
      assert.equal(await read('talk.vtt'), plain);
    });

    for (const [encoding, encoded] of [
      ['UTF-16 with a mark', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
      ['UTF-8 with a replacement character', (text: string) => Buffer.from(text.replace('ß', '\ufffd'))],
    ] as const) {
      it(`get the new names where VS Code can read them: ${encoding}`, async () => {
        await write({ 'talk.srt': encoded(subtitles) });
        assert.equal(await rename(), 1);
        assert.deepEqual(await readFile(join(root, 'talk.srt')), encoded(subtitles.replace('A:', 'Ada:')));
        assert.deepEqual(warned, []);
      });
    }
  });
});
