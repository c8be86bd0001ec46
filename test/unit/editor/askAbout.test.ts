import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isAgreed, readAgreed } from '../../../src/files/AgreedFile.ts';
import { maySend, maySendAll, person } from '../../support/personInDialogs.ts';
import { settingsWith } from '../../support/settingsWith.ts';

const settings = {
  hosts: { image: 'http://127.0.0.1', audio: 'http://127.0.0.1', video: 'http://127.0.0.1' },
  prices: undefined,
  ...settingsWith(),
};

describe('asking a person about a transcription (maySend)', () => {
  let folder: string;
  let recording: string;
  let glossary: string;

  beforeEach(async () => {
    person.answer = 'Send';
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

  it('does not take it for a further file that is a link', async () => {
    await rm(glossary);
    await symlink(recording, glossary);
    const [agreed] = (await ask()) ?? [];
    assert.deepEqual(
      agreed?.map(({ path }) => path),
      [recording],
    );
  });

  it('takes it for no file when the recording is a link', async () => {
    await rm(recording);
    await symlink(glossary, recording);
    assert.deepEqual(await ask(), [undefined]);
  });
});

describe('asking a person above the limits of the setting (maySendAll)', () => {
  const request = { model: 'm', prompt: 'a fox', n: 1, output_format: 'url' } as const;
  const image = { operation: 'generateImage', request, sandbox: false } as const;

  it('counts one request and several in words that fit', async () => {
    person.asked.length = 0;
    const limits = { ...settings, confirmAbove: { images: 9, videos: 9, characters: 9, minutes: 9, requests: 0 } };
    await maySendAll([image], limits);
    await maySendAll([image, image], limits);
    assert.deepEqual(
      person.asked.map(({ question }) => question),
      ['Send 1 request?', 'Send 2 requests?'],
    );
  });

  it('says which minutes, and which cost, are an upper bound', async () => {
    person.asked.length = 0;
    const folder = await mkdtemp(join(tmpdir(), 'confirm-above-'));
    const file = join(folder, 'talk.mp3');
    // 2 minutes of speech in a compressed format.
    await writeFile(file, Buffer.alloc(480_000, 'noise'));
    const limits = { images: 9, videos: 9, characters: 9, minutes: 1, requests: 9 };
    const prices = { currency: '$', models: { m: { minute: 0.5 } } };
    await maySendAll([{ operation: 'transcribe', request: { model: 'm', file }, sandbox: false }], {
      ...settings,
      prices,
      confirmAbove: limits,
    });
    await rm(folder, { recursive: true });
    const [{ question, detail } = { question: '', detail: '' }] = person.asked;
    assert.equal(question, 'Send at most 2 minutes of recordings?');
    assert.match(detail, /By your prices: at most 1\.00 \$\./);
  });

  it('says what the person’s prices make of a request, and that the sandbox is free', async () => {
    person.asked.length = 0;
    const none = { images: 0, videos: 0, characters: 0, minutes: 0, requests: 0 };
    const limits = { ...settings, prices: { currency: '$', models: { m: { image: 0.04 } } }, confirmAbove: none };
    await maySendAll([image], limits);
    await maySendAll([{ ...image, sandbox: true }], limits);
    const [paid, free] = person.asked.map(({ detail }) => detail);
    assert.match(paid ?? '', /By your prices: about 0\.04 \$\./);
    assert.match(free ?? '', /The sandbox is free: nothing is billed\./);
    assert.doesNotMatch(free ?? '', /By your prices|may bill/);
  });
});
