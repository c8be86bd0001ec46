import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import type { RunParts } from '../../../src/editor/requests/requests.ts';
import { Uri } from '../../support/editorStub.ts';
import { wavBytes } from '../../support/mediaBytes.ts';
import { completeRequest } from '../../support/personInDialogs.ts';

describe('completeRequest, for a transcript', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'complete-request-'));
    await writeFile(join(folder, 'a.wav'), wavBytes);
  });

  after(() => rm(folder, { recursive: true }));

  async function furtherOf(model: string, fields: object = {}, preferred: Readonly<Record<string, unknown>> = {}) {
    const parts = {
      settings: { declaredFields: { preset: 'openai' }, valueFor: () => undefined },
      models: { readGone: async () => undefined, names: () => [] },
      lastUsed: { get: () => ({}) },
    } as unknown as RunParts;
    const base = Uri.file(folder) as unknown as vscode.Uri;
    const given = { model, file: Uri.file(join(folder, 'a.wav')), fields };
    const completing = { sandbox: false, base, videos: [], start: {}, byPerson: true, preferred };
    return (await completeRequest('transcribe', given, completing, parts))?.further?.values;
  }

  it('asks for times where the model can send them', async () => {
    assert.deepEqual(await furtherOf('whisper-1'), { response_format: 'verbose_json' });
    assert.equal(await furtherOf('gpt-4o-transcribe'), undefined);
  });

  it('sends what is given, or else what was chosen in the form where it fits', async () => {
    const chosen = { response_format: 'srt', language: 'de', keywords: 'unfit' };
    assert.deepEqual(await furtherOf('whisper-1', {}, chosen), { response_format: 'srt', language: 'de' });
    assert.deepEqual(await furtherOf('whisper-1', { response_format: 'json' }, chosen), {
      response_format: 'json',
      language: 'de',
    });
    assert.deepEqual(await furtherOf('whisper-1', {}, { response_format: '' }), { response_format: 'verbose_json' });
  });
});
