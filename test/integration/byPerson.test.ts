import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Asset } from '../../src/library/LibraryRecord.ts';
import { wavBytes, wavOf } from '../support/mediaBytes.ts';
import { answerDialog } from './answerDialog.ts';
import { answerQuestions } from './answerQuestions.ts';
import { changeSettings } from './changeSettings.ts';
import { useSandboxInWorkspace } from './workspaceFolder.ts';

const model = 'sandbox-1';

function run(command: string, argument?: unknown): Promise<Asset[] | undefined> {
  return Promise.resolve(vscode.commands.executeCommand<Asset[] | undefined>(`unifiedMedia.${command}`, argument));
}

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('commands run by a user', () => {
  const folder = useSandboxInWorkspace();

  async function select(content: string, language = 'markdown'): Promise<void> {
    const document = await vscode.workspace.openTextDocument({ language, content });
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(0, 0, 0, content.length);
  }

  async function library(): Promise<readonly Record<string, unknown>[]> {
    const text = await readFile(join(folder, '.unified-media/library.jsonl'), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  describe('confirmAbove', () => {
    it('counts the minutes of recordings, whatever their headers say, and the requests', async () => {
      const wav = wavOf(Buffer.alloc(8000 * 90, 0x80));
      wav.writeUInt32LE(0, 40);
      const uris = ['one.wav', 'two.wav'].map((name) => vscode.Uri.file(join(folder, name)));
      for (const { fsPath } of uris) await writeFile(fsPath, wav);
      const transcribe = (): Thenable<unknown> =>
        vscode.commands.executeCommand('unifiedMedia.transcribe', uris[0], uris);
      using _ = answerQuestions({});
      using dialog = answerDialog('showWarningMessage', () => undefined);
      await changeSettings({ confirmAbove: { minutes: 2 } });
      assert.equal(await transcribe(), undefined);
      await changeSettings({ confirmAbove: { minutes: 60, requests: 1 } });
      assert.equal(await transcribe(), undefined);
      assert.match(dialog.questions[0] ?? '', /^Send 3(\.\d+)? minutes of recordings\?$/);
      assert.deepEqual(dialog.questions.slice(1), ['Send 2 requests?']);
      // The files are shown as they will be sent.
      const { length } = wav;
      for (const detail of dialog.details) {
        assert.match(detail, /^Service: sandbox\nModel: “sandbox-1”\n/);
        for (const { fsPath } of uris) {
          assert(
            detail.includes(`\nSends: ${fsPath} (${length.toLocaleString()} bytes, SHA-256 ${hash(wav)})`),
            detail,
          );
        }
      }
      assert.deepEqual((await readdir(folder)).toSorted(), ['one.wav', 'two.wav']);
    });

    const image = { 'What the image shows': 'a fox' };

    it('asks once with the count, and sends after a yes', async () => {
      await changeSettings({ 'image.count': 5 });
      using _ = answerQuestions(image);
      using dialog = answerDialog('showWarningMessage', (_question, _options, yes) => yes);
      assert.equal((await run('generateImage'))?.length, 5);
      assert.deepEqual(dialog.questions, ['Generate 5 images?']);
    });

    it('does not ask up to its quantities, nor ask callers', async () => {
      await changeSettings({ 'image.count': 4 });
      using _ = answerQuestions(image);
      using dialog = answerDialog('showWarningMessage', () => undefined);
      assert.equal((await run('generateImage'))?.length, 4);
      assert.equal((await run('generateImage', { model, prompt: 'a fox', n: 5 }))?.length, 5);
      assert.deepEqual(dialog.questions, []);
    });

    it('follows the setting down to one image, one video and a few characters', async () => {
      await changeSettings({ confirmAbove: { images: 0, videos: 0, characters: 10 } });
      using dialog = answerDialog('showWarningMessage', () => undefined);
      {
        using _ = answerQuestions({ ...image, 'What happens in the video': 'it runs' });
        assert.equal(await run('generateImage'), undefined);
        assert.equal(await run('generateVideo'), undefined);
      }
      await select('Good morning, all.');
      using _ = answerQuestions({});
      assert.equal(await run('narrateSelection'), undefined);
      assert.deepEqual(dialog.questions, ['Generate 1 image?', 'Generate 1 video?', 'Speak 18 characters?']);
      assert.deepEqual(await readdir(folder), []);
    });
  });

  describe('Generate Image from Selection', () => {
    it('takes the selected words as the prompt', async () => {
      await select('  A lighthouse at dusk ');
      using asked = answerQuestions({});
      const assets = await run('generateImageFromSelection');
      assert.deepEqual(
        assets?.map(({ prompt }) => prompt),
        ['A lighthouse at dusk'],
      );
      assert.deepEqual(asked.questions, []);
    });

    it('says what to do when nothing is selected', async () => {
      await select('');
      using shown = answerDialog('showErrorMessage', () => undefined);
      assert.equal(await run('generateImageFromSelection'), undefined);
      assert.deepEqual(shown.questions, ['Prompt: Select the text that describes the image first.']);
    });
  });

  describe('Transcribe Audio', () => {
    it('leaves out and names what is no recording, opens the first transcript, and asks before it repeats one', async () => {
      await changeSettings({ openAfterSave: true });
      const [notes, ...recordings] = ['notes.md', 'monday.wav', 'tuesday.wav'].map((name) =>
        vscode.Uri.file(join(folder, name)),
      );
      assert(notes);
      await writeFile(notes.fsPath, 'The lamps come on.\n');
      for (const { fsPath } of recordings) await writeFile(fsPath, wavBytes);
      const transcribe = (...uris: readonly vscode.Uri[]) =>
        vscode.commands.executeCommand<Asset[] | undefined>('unifiedMedia.transcribe', uris[0], uris);
      const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs.map(({ label }) => label));
      using told = answerDialog('showInformationMessage', () => undefined);
      using asked = answerDialog('showWarningMessage', (_question, _options, open) => open);
      assert.equal((await transcribe(notes, ...recordings))?.length, 2);
      assert.deepEqual(told.questions, [
        'Left out, because it is not a recording: notes.md',
        'Saved monday.md, tuesday.md.',
      ]);
      assert.deepEqual(asked.questions, []);
      assert.deepEqual(tabs(), ['monday.md']);
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      assert.equal(await transcribe(...recordings.slice(0, 1)), undefined);
      assert.deepEqual(asked.questions, ['Already transcribed: monday.wav']);
      assert.deepEqual(tabs(), ['monday.md']);
      const transcripts = await readdir(join(folder, 'media/transcripts'));
      assert.deepEqual(transcripts.toSorted(), ['monday.md', 'monday.vtt', 'tuesday.md', 'tuesday.vtt']);
    });
  });

  describe('Add Video by ID', () => {
    it('asks for the id and a description, and records the video', async () => {
      using asked = answerQuestions({ Video: 'video-7', 'What the video shows': 'a fox' });
      assert.deepEqual(await run('addVideo'), []);
      assert.deepEqual(asked.questions, [
        'The ID that the service gave the video Video',
        'What the video shows Prompt',
      ]);
      const [{ createdAt, jobId, ...record } = {}, ...others] = await library();
      assert(typeof createdAt === 'string' && typeof jobId === 'string');
      assert.deepEqual(others, []);
      const facts = {
        kind: 'videos',
        operation: 'generateVideo',
        model,
        prompt: 'a fox',
        videoId: 'video-7',
      };
      assert.deepEqual(record, { ...facts, sandbox: true });
    });

    it('takes everything by argument, and offers the video for remixes', async () => {
      await run('addVideo', { video_id: 'video-7', model, prompt: 'a fox at night' });
      using asked = answerQuestions({ 'Choose a video': 'a fox at night', 'What to change': undefined });
      assert.equal(await run('remixVideo'), undefined);
      assert.equal(asked.questions.length, 2);
    });

    const wrong: readonly (readonly [unknown, RegExp])[] = [
      ['video-7', /takes an object with the fields video_id, model, prompt\. \[invalidInput\]$/],
      [{ video_id: 'video-7', model, size: 1 }, /no field "size".* \[invalidInput\]$/],
      [{ video_id: 7, model }, /\(video_id\) must be text, not 7\. \[invalidInput\]$/],
    ];
    for (const [argument, message] of wrong) {
      it(`refuses ${JSON.stringify(argument)}`, async () => {
        await assert.rejects(run('addVideo', argument), { message });
        assert.deepEqual(await readdir(folder), []);
      });
    }

    it('records nothing when a question is dismissed', async () => {
      using _ = answerQuestions({ Video: 'video-7', 'What the video shows': undefined });
      assert.equal(await run('addVideo'), undefined);
      assert.deepEqual(await readdir(folder), []);
    });
  });

  it('leave no trace of a request whose question is dismissed', async () => {
    using asked = answerQuestions({ 'What the image shows': undefined });
    assert.equal(await run('generateImage'), undefined);
    assert.equal(asked.questions.length, 1);
    assert.deepEqual(await readdir(folder), []);
  });

  it('finds videos in a private library, which adds nothing but the files to the folder', async () => {
    await changeSettings({ 'library.location': 'private' });
    const prompt = `a fox ${Date.now()}`;
    await run('addVideo', { video_id: 'video-7', model, prompt });
    await run('speak', { model, input: prompt });
    assert.deepEqual(await readdir(folder), ['media']);
    using asked = answerQuestions({ 'Choose a video': prompt, 'What to change': undefined });
    assert.equal(await run('remixVideo'), undefined);
    assert.equal(asked.questions.length, 2);
  });
});
