import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '../../../src/operations/operations.ts';
import { formOf, noVoice, postForm, speechOf } from '../../support/audioRequests.ts';
import { assertRefused, send } from '../../support/sandboxClient.ts';
import { skipUnless } from '../../support/skipUnless.ts';
import { useSandbox } from '../../support/useSandbox.ts';

describe('sandbox: uploads', () => {
  const storage = mkdtempSync(join(tmpdir(), 'sandbox-test-'));
  const sandbox = useSandbox({ storage, maxUploadBytes: 1_000_000, findVoice: noVoice });
  after(() => rm(storage, { recursive: true }));

  const wavOf = (fields: object = {}) => speechOf(sandbox(), { response_format: 'wav', ...fields });
  const upload = (form: FormData) => postForm(sandbox(), form);

  const uploads = async () => {
    const [folder = ''] = await readdir(storage);
    return readdir(join(storage, folder));
  };

  it('rejects a form with missing, extra or repeated parts, and names them', async () => {
    const wav = await wavOf();
    const without = new FormData();
    without.append('file', new Blob([wav]), 'a.wav');
    assertRefused(await upload(without), 400, 'model', /missing/);
    const noFile = new FormData();
    noFile.append('model', 'm');
    assertRefused(await upload(noFile), 400, 'file', /missing/);
    assertRefused(await upload(new FormData()), 400, 'model');
    const extra = formOf(wav, 'a.wav');
    extra.append('dialect', 'cs');
    assertRefused(await upload(extra), 400, 'dialect', /no field "dialect"/);
    const twice = formOf(wav, 'a.wav');
    twice.append('file', new Blob([wav]), 'b.wav');
    assertRefused(await upload(twice), 400, 'file', /twice/);
    const twoModels = formOf(wav, 'a.wav');
    twoModels.append('model', 'n');
    assertRefused(await upload(twoModels), 400, 'model', /twice/);
    const text = new FormData();
    text.append('model', 'm');
    text.append('file', 'a.wav');
    assertRefused(await upload(text), 400, 'file', /a file part/);
    const wrongName = new FormData();
    wrongName.append('model', 'm');
    wrongName.append('audio', new Blob([wav]), 'a.wav');
    assertRefused(await upload(wrongName), 400, 'audio');
  });

  it('rejects files that are not recordings, by name or by content', async () => {
    assertRefused(await upload(formOf(await wavOf(), 'a.txt')), 400, 'file', /flac, mp3/);
    for (const bytes of [Buffer.from('just text'), Buffer.alloc(0), Buffer.from('RIFF0000WAVE')]) {
      assertRefused(await upload(formOf(bytes, 'a.wav')), 400, 'file', /damaged, or its format/);
    }
  });

  it('rejects broken forms', async () => {
    const url = `${sandbox().audioBaseUrl}${operations.transcribe.path}`;
    const type = 'multipart/form-data; boundary=b';
    const bodies: readonly (readonly [string, string | Buffer, number, string | null])[] = [
      [type, '', 400, null],
      [type, 'rubbish', 400, null],
      [type, '--b--\r\n--b\r\n', 400, 'model'],
      [type, '--b\r\n\r\nno header\r\n--b--', 400, null],
      [type, '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nm', 400, null],
      [type, '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF', 400, null],
      [
        type,
        Buffer.from('--b\r\ncontent-disposition: form-data; name="model"\r\n\r\n\xff\xfe\r\n--b--\r\n', 'latin1'),
        400,
        'model',
      ],
      [type, `${Array.from({ length: 50 }, (_, index) => part(`x${index}`)).join('')}--b--\r\n`, 400, null],
      ['multipart/form-data', '--b--', 400, null],
      ['application/json', '{}', 415, null],
      ['', '', 415, null],
    ];
    for (const [contentType, body, status, param] of bodies) {
      const headers = { authorization: sandbox().key, 'content-type': contentType };
      assertRefused(await send(url, { headers, body }), status, param);
    }
  });

  it('rejects an upload over the limit, with and without a declared length', async function () {
    skipUnless(this, process.platform !== 'win32', 'a system that keeps what arrives before a reset');
    const large = formOf(Buffer.alloc(1_100_000, 'RIFF'), 'a.wav');
    assertRefused(await upload(large), 413);
    const request = new Request('http://127.0.0.1', { method: 'POST', body: large });
    const answer = await send(`${sandbox().audioBaseUrl}${operations.transcribe.path}`, {
      headers: {
        authorization: sandbox().key,
        'content-type': request.headers.get('content-type') ?? '',
        'transfer-encoding': 'chunked',
      },
      body: new Uint8Array(await request.arrayBuffer()),
    });
    assertRefused(answer, 413);
  });

  it('deletes a partial upload when the client disconnects', async () => {
    const leaving = request(`${sandbox().audioBaseUrl}${operations.transcribe.path}`, {
      method: 'POST',
      headers: { authorization: sandbox().key, 'content-type': 'multipart/form-data; boundary=b' },
    });
    const closed = new Promise((resolve) => leaving.once('error', resolve));
    leaving.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF');
    while ((await uploads()).length === 0) await new Promise(setImmediate);
    leaving.destroy(new Error('gone'));
    await closed;
    while ((await uploads()).length > 0) await new Promise(setImmediate);
  });

  it('deletes its files when the client disconnects during a response', async () => {
    const leaving = new AbortController();
    const { audioBaseUrl, key } = sandbox();
    const answer = await fetch(`${audioBaseUrl}${operations.speak.path}`, {
      method: 'POST',
      headers: { authorization: key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', input: 'word '.repeat(1000), voice: 'alloy', response_format: 'wav' }),
      signal: leaving.signal,
    });
    leaving.abort();
    await assert.rejects(answer.arrayBuffer());
    assert.equal((await wavOf()).toString('latin1', 0, 4), 'RIFF');
    while ((await uploads()).length > 0) await new Promise(setImmediate);
  });
});

function part(name: string): string {
  return `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n1\r\n`;
}
