import assert from 'node:assert/strict';
import { operations } from '../../src/operations/operations.ts';
import type { FindVoice } from '../../src/sandbox/speech/SystemVoice.ts';
import type { Sandbox } from '../../src/sandbox/startSandbox.ts';
import { readWav } from './readWav.ts';
import { type Answer, post, send } from './sandboxClient.ts';

/** Finds no voice, so that speech is a tone per word, alike on every machine. */
export const noVoice: FindVoice = async () => undefined;

export async function postSpeech(sandbox: Sandbox, fields: object = {}): Promise<Answer> {
  return post(sandbox, operations.speak.path, { model: 'sandbox-1', input: 'Hello there.', voice: 'alloy', ...fields });
}

/** Requests speech and returns its bytes. */
export async function speechOf(sandbox: Sandbox, fields: object = {}): Promise<Buffer> {
  const answer = await postSpeech(sandbox, fields);
  assert.equal(answer.status, 200, answer.body.toString());
  return answer.body;
}

export async function postForm(
  sandbox: Sandbox,
  form: FormData,
  operation: 'transcribe' | 'translate' = 'transcribe',
): Promise<Answer> {
  const request = new Request('http://127.0.0.1', { method: 'POST', body: form });
  return send(`${sandbox.audioBaseUrl}${operations[operation].path}`, {
    headers: { authorization: sandbox.key, 'content-type': request.headers.get('content-type') ?? '' },
    body: new Uint8Array(await request.arrayBuffer()),
  });
}

export function formOf(file: Uint8Array, name: string): FormData {
  const form = new FormData();
  form.append('model', 'sandbox-1');
  form.append('file', new Blob([Uint8Array.from(file)]), name);
  return form;
}

/** Returns the samples of a 16-bit WAV file. */
export function samplesOf(wav: Buffer): Int16Array {
  const { data } = readWav(wav);
  return Int16Array.from({ length: data.length / 2 }, (_, index) => data.readInt16LE(index * 2));
}
