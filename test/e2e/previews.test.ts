import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Sandbox } from '../../src/sandbox/startSandbox.ts';
import { startSandbox } from '../../src/sandbox/startSandbox.ts';
import { createDispatcher } from '../../src/service/createDispatcher.ts';
import { MediaClient } from '../../src/service/MediaClient.ts';
import { eventually } from './eventually.ts';
import { Workbench } from './workbench.ts';

describe("sandbox media in VS Code's previews", () => {
  let workbench: Workbench;

  before(async () => {
    const sandbox = await startSandbox();
    try {
      workbench = await Workbench.start({ files: await makeMedia(sandbox) });
    } finally {
      await sandbox.stop();
    }
  });

  after(() => workbench?.stop());

  afterEach(() => workbench.runCommand('View: Close All Editors'));

  it('plays speech', async () => {
    await workbench.openFile('speech.mp3');
    const audio = (await workbench.webview('audio')).locator('audio');
    const { duration } = await playedFor(audio, 0.3);
    assert(duration > 1 && duration < 20, String(duration));
    await workbench.screenshot('preview - speech');
  });

  it('plays a video that moves', async () => {
    await workbench.openFile('video.mp4');
    const video = (await workbench.webview('video')).locator('video');
    const { duration, width, height, moves } = await playedFor(video, 1);
    assert.deepEqual([width, height], [640, 360]);
    assert(Math.abs(duration - 3) < 0.2, String(duration));
    assert(moves, 'two frames of it are the same');
    await workbench.screenshot('preview - video');
  });
});

async function makeMedia(sandbox: Sandbox): Promise<Record<string, Uint8Array>> {
  const dispatcher = createDispatcher();
  const { imageBaseUrl, audioBaseUrl, videoBaseUrl, key } = sandbox;
  const client = new MediaClient({
    configuration: {
      hosts: { image: imageBaseUrl, audio: audioBaseUrl, video: videoBaseUrl },
      timeoutSeconds: { image: 60, audio: 60, video: 60 },
    },
    key: () => key,
    dispatcher,
  });
  const model = 'sandbox-1';
  const input = 'The lamps along the quay come on one by one.';
  const prompt = 'The lighthouse at the end of the pier';
  try {
    return {
      'speech.mp3': await fileOf(client, await client.send('speak', { model, input, response_format: 'mp3' })),
      'video.mp4': await fileOf(client, await client.send('generateVideo', { model, prompt })),
    };
  } finally {
    await dispatcher.destroy();
  }
}

async function fileOf(client: MediaClient, answer: Awaited<ReturnType<MediaClient['send']>>): Promise<Uint8Array> {
  assert(answer.type === 'media');
  const [item] = answer.media;
  if ('bytes' in item) return item.bytes;
  assert('url' in item);
  const chunks: Uint8Array[] = [];
  // Each host serves its own results without a key, so any operation's host will do.
  for await (const chunk of (await client.download('generateImage', item.url, { base: new URL(item.url).origin })).data)
    chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The parts of a media element that the tests use; the DOM types are not available here. */
interface Player {
  muted: boolean;
  readonly duration: number;
  readonly currentTime: number;
  readonly videoWidth?: number;
  readonly videoHeight?: number;
  play(): Promise<void>;
}

/** Plays a sound or video muted for some seconds. */
async function playedFor(element: Locator, seconds: number) {
  const picture = () => element.screenshot();
  await element.waitFor({ state: 'attached' });
  await eventually('it can be played', () => element.evaluate((player: Player) => player.duration > 0));
  const isVideo = await element.evaluate((player: Player) => player.videoWidth !== undefined);
  const first = isVideo ? await picture() : undefined;
  await element.evaluate(async (player: Player) => {
    player.muted = true;
    await player.play();
  });
  await eventually(`it has played ${seconds} s`, () =>
    element.evaluate((player: Player, enough) => player.currentTime > enough, seconds),
  );
  const moves = first !== undefined && !first.equals(await picture());
  return element.evaluate(
    ({ duration, videoWidth, videoHeight }: Player, moved) => ({
      duration,
      width: videoWidth,
      height: videoHeight,
      moves: moved,
    }),
    moves,
  );
}
