import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { encode } from 'fast-png';
import { operations } from '../../../src/operations/operations.ts';
import { createPicture } from '../../../src/sandbox/picture/Picture.ts';
import { paintFrames } from '../../../src/sandbox/picture/paintPicture.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/startSandbox.ts';
import type { VideoRecord } from '../../../src/sandbox/video/VideoStore.ts';
import { readMp4 } from '../../support/readMp4.ts';
import { assertRefused, get, jsonOf, post, urlOf } from '../../support/sandboxClient.ts';
import { useSandbox } from '../../support/useSandbox.ts';

interface VideoAnswer {
  readonly id: string;
  readonly object: string;
  readonly model: string;
  readonly created: number;
  readonly data: readonly [{ readonly url: string }];
  readonly remixed_from_video_id: string | null;
}

const { path } = operations.generateVideo;
const remixPath = operations.remixVideo.path;
const image_url = `data:image/png;base64,${Buffer.from(
  encode({ width: 4, height: 2, channels: 3, depth: 8, data: new Uint8Array(24).fill(200) }),
).toString('base64')}`;

async function make(sandbox: Sandbox, fields: object, to: string = path): Promise<VideoAnswer> {
  return jsonOf<VideoAnswer>(await post(sandbox, to, { model: 'sandbox-1', prompt: 'A fox runs', ...fields }));
}

/** CPU time of all threads of this process in microseconds, which other processes do not affect. */
async function cpuTimeOf(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

async function bytesOf({ data: [{ url }] }: VideoAnswer): Promise<Buffer> {
  const answer = await get(url);
  assert.equal(answer.headers['content-type'], 'video/mp4');
  return answer.body;
}

describe('sandbox: videos', () => {
  const sandbox = useSandbox({ now: () => 1_700_000_000_000 });

  it('returns an H.264 MP4 of 640 × 360 and 3 seconds, and answers other requests meanwhile', async () => {
    let isMade = false;
    const making = make(sandbox(), {}).finally(() => {
      isMade = true;
    });
    let answered = 0;
    while (!isMade) {
      assert.equal((await get(`${sandbox().videoBaseUrl}/nothing`)).status, 404);
      answered++;
      await setTimeout(10);
    }
    const answer = await making;
    assert(answered > 10, `${answered} other requests were answered`);
    const { id, data, ...rest } = answer;
    assert.match(id, /^video_[0-9a-f]{32}$/);
    assert.equal(data.length, 1);
    assert.deepEqual(rest, {
      object: 'video',
      model: 'sandbox-1',
      created: 1_700_000_000,
      remixed_from_video_id: null,
    });
    const file = await bytesOf(answer);
    const { boxes, ...facts } = readMp4(file);
    assert.equal(boxes[0], 'ftyp');
    assert(boxes.indexOf('moov') < boxes.indexOf('mdat'), boxes.join());
    assert.deepEqual(facts, { codec: 'avc1', width: 640, height: 360, duration: 3, frames: 72 });
    const part = await get(data[0].url, { range: 'bytes=4-7' });
    assert.deepEqual([part.status, part.body.toString()], [206, 'ftyp']);
  });

  const wrong: readonly (readonly [string, object, string, RegExp])[] = [
    [path, { model: '' }, 'model', /missing/],
    [path, { prompt: 7 }, 'prompt', /text/],
    [path, { output_format: 'b64_json' }, 'output_format', /url/],
    [path, { seconds: 5 }, 'seconds', /must be text/],
    [path, { frames: 5 }, 'frames', /no field/],
    [path, { image_url: 'nothing' }, 'image_url', /http/],
    [path, { image_url: null }, 'image_url', /missing/],
    [path, { image_url: 'data:image/png;base64,AAAA' }, 'image_url', /PNG/],
    [remixPath, {}, 'video_id', /missing/],
    [remixPath, { video_id: ['x'] }, 'video_id', /text/],
    [remixPath, { video_id: 'x', image_url }, 'image_url', /no field/],
  ];
  for (const [to, fields, param, message] of wrong) {
    it(`rejects ${JSON.stringify(fields).slice(0, 50)} at ${to}`, async () => {
      assertRefused(await post(sandbox(), to, { model: 'm', prompt: 'p', ...fields }), 400, param, message);
    });
  }

  it('responds with 404 to a remix of an unknown video', async () => {
    for (const video_id of ['video_1', `video_${'0'.repeat(32)}`, '../../etc/passwd']) {
      const answer = await post(sandbox(), remixPath, { model: 'm', prompt: 'p', video_id });
      assertRefused(answer, 404, 'video_id', /not made by this sandbox/);
    }
    assert.equal(sandbox().counts.remixVideo, 0);
  });
});

describe('sandbox: videos whose client disconnects', () => {
  const sandbox = useSandbox({ videoSeconds: 1 });

  it('are not made', async () => {
    const { videoBaseUrl, key, counts } = sandbox();
    const cost = await cpuTimeOf(() => make(sandbox(), {}));
    const before = counts.generateVideo;
    const leaving = new AbortController();
    const answers = Array.from({ length: 20 }, () =>
      fetch(`${videoBaseUrl}${path}`, {
        method: 'POST',
        headers: { authorization: key, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', prompt: 'gone' }),
        signal: leaving.signal,
      }),
    );
    const left = Promise.all(answers.map((answer) => assert.rejects(answer, { name: 'AbortError' })));
    while (counts.generateVideo < before + 20) await new Promise(setImmediate);
    leaving.abort();
    await left;
    const later = await cpuTimeOf(() => make(sandbox(), {}));
    assert(later < 5 * cost, `${later} µs instead of ${cost} µs, while twenty videos take twenty times as long`);
  });
});

describe('sandbox: videoWaitMs', () => {
  it('delays the response', async () => {
    const sandbox = await startSandbox({ videoSeconds: 0.1, videoWaitMs: 600 });
    const started = performance.now();
    await make(sandbox, {});
    assert(performance.now() - started >= 599);
    await sandbox.stop();
  });

  it('stops waiting when the client disconnects', async () => {
    const sandbox = await startSandbox({ videoSeconds: 0.1, videoWaitMs: 3_600_000 });
    const leaving = new AbortController();
    const answer = fetch(urlOf(sandbox, path), {
      method: 'POST',
      headers: { authorization: sandbox.key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', prompt: 'p' }),
      signal: leaving.signal,
    });
    while (sandbox.counts.generateVideo === 0) await new Promise(setImmediate);
    leaving.abort();
    await assert.rejects(answer, { name: 'AbortError' });
    // Resolves once no request is being handled.
    await sandbox.stop();
  });
});

describe('sandbox: videos across a restart', () => {
  let storage = '';
  before(async () => {
    storage = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
  });
  after(() => rm(storage, { recursive: true }));

  it('remixes an animated image and its remix, only with the same model', async () => {
    const first = await startSandbox({ storage, videoSeconds: 0.5, videoWaitMs: 0 });
    const animated = await make(first, { image_url });
    assert.equal(readMp4(await bytesOf(animated)).frames, 12);
    assert.deepEqual([first.counts.animateImage, first.counts.generateVideo], [1, 0]);
    await first.stop();

    const second = await startSandbox({ storage, videoSeconds: 0.5, videoWaitMs: 0 });
    try {
      const remix = await make(second, { video_id: animated.id, prompt: 'At night' }, remixPath);
      assert.equal(remix.remixed_from_video_id, animated.id);
      assert.notEqual(remix.id, animated.id);
      assert.equal(readMp4(await bytesOf(remix)).codec, 'avc1');
      const again = await make(second, { video_id: remix.id, prompt: 'In spring' }, remixPath);
      assert.equal(again.remixed_from_video_id, remix.id);
      const other = await post(second, remixPath, { model: 'sandbox-2', prompt: 'p', video_id: animated.id });
      assertRefused(other, 400, 'video_id', /made by the model "sandbox-1"/);
      assert.equal(second.counts.remixVideo, 2);
    } finally {
      await second.stop();
    }
    assert.deepEqual(await readdir(storage), ['videos']);
  });
});

describe('paintFrames', () => {
  const record: VideoRecord = {
    id: 'video_1',
    model: 'm',
    created: 0,
    prompt: 'A fox runs',
    image: null,
    remixes: [],
    remixedFrom: null,
  };
  const image = createPicture(640, 360);
  for (let at = 0; at < image.data.length; at++) image.data[at] = at % 4 === 3 ? 255 : Math.floor(at / 5120);

  it('moves a landscape', () => {
    const frames = framesOf(record, undefined, 48);
    assert(difference(frames[0], frames[47]) > 1);
  });

  it('moves lights over an image', () => {
    const aboveCaption = framesOf(record, image, 72).map((frame) => frame.subarray(0, 640 * 200 * 4));
    assert.equal(difference(aboveCaption[11], aboveCaption[0]), 0, 'the first half second shows only the image');
    assert(difference(aboveCaption[12], aboveCaption[71]) > 0.5);
  });

  it('begins with the image', () => {
    const [first, last] = [framesOf(record, image, 1)[0], framesOf(record, image, 72)[71]];
    assert(difference(first, image.data) < 1.5);
    assert(difference(last, image.data) > 5);
  });

  it('derives a remix from its parent', () => {
    const [parent] = framesOf(record, undefined, 1);
    const [remix] = framesOf({ ...record, remixes: ['At night'] }, undefined, 1);
    const [stranger] = framesOf({ ...record, prompt: 'Something else' }, undefined, 1);
    assert(difference(parent, remix) > 5);
    assert(edgesInCommon(parent, remix) > 2 * edgesInCommon(parent, stranger));
  });
});

function framesOf(
  record: VideoRecord,
  image: ReturnType<typeof createPicture> | undefined,
  count: number,
): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (const { data } of paintFrames(record, image, 3)) {
    frames.push(data.slice());
    if (frames.length === count) break;
  }
  return frames;
}

/** Mean absolute difference of the bytes. */
function difference(first: Uint8Array | undefined, second: Uint8Array | undefined): number {
  assert(first && second);
  let sum = 0;
  for (let at = 0; at < first.length; at++) sum += Math.abs((first[at] ?? 0) - (second[at] ?? 0));
  return sum / first.length;
}

/** Share of the first picture's horizontal edges above the caption that the second picture has too. */
function edgesInCommon(first: Uint8Array | undefined, second: Uint8Array | undefined): number {
  assert(first && second);
  let [edges, common] = [0, 0];
  for (let at = 0; at < 640 * 230 * 4; at += 4) {
    if (!isEdge(first, at)) continue;
    edges++;
    if (isEdge(second, at)) common++;
  }
  return common / edges;
}

function isEdge(data: Uint8Array, at: number): boolean {
  return Math.abs((data[at] ?? 0) - (data[at + 640 * 4] ?? 0)) > 8;
}
