import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { importWithEditor, Uri } from '../../support/editorStub.ts';

type Pairs = typeof import('../../../src/editor/timedPair.ts');

describe('the pair of a recording and its times, by name', () => {
  let names: readonly string[] = [];
  let pairBeside: Pairs['pairBeside'];

  before(async () => {
    const workspace = {
      textDocuments: [],
      fs: { readDirectory: async () => names.map((name) => [name, 1]), readFile: async () => new Uint8Array() },
    };
    const module = new URL('../../../src/editor/timedPair.ts', import.meta.url);
    ({ pairBeside } = await importWithEditor<Pairs>(module, { workspace }));
  });

  const rows = [
    // whisper.cpp
    ['talk.wav', 'talk.wav.srt'],
    ['talk.wav', 'talk.wav.json'],
    // yt-dlp
    ['talk.opus', 'talk.en.vtt'],
    ['talk.webm', 'talk.pt-br.vtt'],
    ['talk.mp4', 'talk.en-orig.srt'],
    // Zoom
    ['GMT1_Recording_1920x1080.mp4', 'GMT1_Recording.transcript.vtt'],
    ['My.talk.en.m4a', 'My.talk.en.vtt'],
  ] as const;
  for (const [recording, times] of rows) {
    it(`is found from either: ${recording} and ${times}`, async () => {
      names = ['other.vtt', recording, 'other.wav', times];
      const [from, back] = [await pairBeside(Uri.file(`/a/${recording}`)), await pairBeside(Uri.file(`/a/${times}`))];
      assert.equal(posix.basename(from.times?.path ?? ''), times);
      assert.equal(posix.basename(back.recording?.path ?? ''), recording);
    });
  }

  it('is the nearest name, also from the text of both', async () => {
    names = ['talk.captions.vtt', 'talk.en.vtt', 'talk.md', 'talk.mp4', 'talk.mp4.srt', 'talk.wav'];
    const timesOf = async (name: string) =>
      posix.basename((await pairBeside(Uri.file(`/a/${name}`))).times?.path ?? '');
    assert.deepEqual(await Promise.all(['talk.wav', 'talk.md'].map(timesOf)), ['talk.en.vtt', 'talk.en.vtt']);
    names = [...names, 'talk.srt'];
    assert.equal(await timesOf('talk.wav'), 'talk.srt');
    names = ['talk.mp4', 'talk.mp4.srt', 'talk.wav', 'talk.captions.vtt', 'talk.part.vtt'];
    assert.equal(await timesOf('talk.wav'), '');
  });
});
