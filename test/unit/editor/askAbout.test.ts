import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isAgreed, readAgreed } from '../../../src/files/AgreedFile.ts';
import { importWithEditor } from '../../support/editorStub.ts';

const { maySend } = await importWithEditor<typeof import('../../../src/editor/askAbout.ts')>(
  new URL('../../../src/editor/askAbout.ts', import.meta.url),
  {
    env: { language: 'en' },
    l10n: { t: (text: string) => text },
    window: { showWarningMessage: async () => 'Send' },
  },
);

const settings = {
  hosts: { image: 'http://127.0.0.1', audio: 'http://127.0.0.1', video: 'http://127.0.0.1' },
  prices: undefined,
  speechMaxCharacters: 4096,
};

describe('asking a person about a transcription (maySend)', () => {
  let folder: string;
  let recording: string;
  let glossary: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ask-about-'));
    recording = join(folder, 'talk.mp3');
    glossary = join(folder, 'glossary.txt');
    await writeFile(recording, 'sound');
    await writeFile(glossary, 'words');
  });

  afterEach(() => rm(folder, { recursive: true }));

  function ask() {
    const further = { values: { glossary: pathToFileURL(glossary).href, style: 'plain' }, files: ['glossary'] };
    const request = { model: 'm', file: recording, further } as const;
    const requests = [{ operation: 'transcribe', request, sandbox: false } as const];
    return maySend({ title: 'Send?', billing: 'Billed.', requests, send: 'Send' }, settings);
  }

  it('takes the yes for the recording and for the file of a further field, as they are now', async () => {
    const [agreed] = (await ask()) ?? [];
    assert(agreed);
    for (const file of [recording, glossary]) assert(isAgreed(agreed, file, await readAgreed(file)), file);
    await writeFile(glossary, 'others');
    assert(!isAgreed(agreed, glossary, await readAgreed(glossary)));
  });

  it('takes it for no file when one of them is a link', async () => {
    await rm(glossary);
    await symlink(recording, glossary);
    assert.deepEqual(await ask(), [undefined]);
  });
});
