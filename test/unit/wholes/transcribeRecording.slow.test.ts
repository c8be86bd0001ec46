import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, renameSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readAgreed } from '../../../src/files/AgreedFile.ts';
import { sha256OfFile } from '../../../src/files/readBytes.ts';
import { MediaError } from '../../../src/operations/MediaError.ts';
import type { CutQuestion } from '../../../src/wholes/transcribeRecording.ts';
import { UnknownOutcome } from '../../../src/work/jobErrors.ts';
import { Store } from '../../../src/work/Store.ts';
import { sweep } from '../../../src/work/sweep.ts';
import { failureOf } from '../../support/failureOf.ts';
import { bodyOf, type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { describeWithFfmpeg, makeRecording } from '../../support/makeRecording.ts';
import { skipUnless } from '../../support/skipUnless.ts';
import { kill, startProcess } from '../../support/startProcess.ts';
import { type Transcribing, transcribeAt } from '../../support/transcribeAt.ts';

interface Sent {
  readonly name: string;
  readonly bytes: number;
}

describeWithFfmpeg('transcribeRecording (promise 23)', () => {
  let root: string;
  let storage: string;
  let server: HttpServer;
  let sent: Sent[];
  let answer: (sent: Sent, response: ServerResponse) => unknown;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'transcribe-workspace-'));
    storage = await mkdtemp(join(tmpdir(), 'transcribe-storage-'));
    sent = [];
    answer = ({ name }, response) => response.end(JSON.stringify({ text: `The text of ${name}.` }));
    server = await startHttpServer(async (request, response) => {
      const body = (await bodyOf(request)).toString('latin1');
      const one = { name: /filename="([^"]+)"/.exec(body)?.[1] ?? '', bytes: body.length };
      sent.push(one);
      answer(one, response);
    });
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
    await rm(storage, { recursive: true });
  });

  async function transcribe(file: string, wanted: Partial<Transcribing> = {}) {
    const { assets, jobsFound, jobsLeft, notices } = await transcribeAt({
      host: server.origin,
      root,
      storage,
      file,
      ...wanted,
    });
    const [asset, ...others] = assets;
    assert(asset && others.length === 0);
    return { asset, text: await readFile(new URL(asset.uri), 'utf8'), jobsFound, jobsLeft, notices };
  }

  const names = () => sent.map(({ name }) => name);
  const inOrder = (files: readonly Sent[]) => files.toSorted((a, b) => a.name.localeCompare(b.name));
  const works = () => join(storage, 'work');
  const keptParts = async () => (await filesIn(storage)).filter((path) => path.endsWith('part.json'));
  /** Fails unless nothing is left of the parts, once their leftovers have no owner any more. */
  async function checkNothingLeft(): Promise<void> {
    assert.deepEqual(await keptParts(), []);
    assert.deepEqual(
      (await filesIn(root)).filter((path) => path.includes('jobs')),
      [],
    );
    assert.deepEqual(
      (await filesIn(storage)).filter((path) => !/lease-\d+$/.test(path)),
      [],
    );
    await sweep(new Store(works(), 0), []);
    assert.deepEqual(await readdir(works()), []);
    assert.deepEqual(await readdir(storage), ['work']);
  }
  /** Checks that the library names the recording, not what was sent of it. */
  async function checkInputs(file: string): Promise<void> {
    const records = (await readFile(join(root, '.unified-media/library.jsonl'), 'utf8')).trim().split('\n');
    const inputs = [{ field: 'file', file, sha256: await sha256OfFile(join(root, file)) }];
    assert.deepEqual(
      records.map((record) => JSON.parse(record).inputs),
      [inputs],
    );
  }
  const video = (name = 'call.mp4') =>
    makeRecording(root, name, {
      options: ['-r', '5', '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'],
      seconds: 20,
      hasPicture: true,
    });
  /** 480 kB. */
  const long = (name = 'call.mp3') => makeRecording(root, name, { options: ['-b:a', '128k'], seconds: 30 });

  it('uploads only the sound of a video, and names the transcript and its link after the video', async () => {
    const { asset, text } = await transcribe(await video());
    assert.deepEqual(names(), ['call.m4a']);
    assert((sent[0]?.bytes ?? 0) < 250_000);
    assert.match(asset.uri, /\/call\.md$/);
    assert.match(text, /source: "call\.mp4"/);
    assert.match(text, /\]\(\.\.\/\.\.\/call\.mp4\)/);
    await checkInputs('call.mp4');
    await checkNothingLeft();
  });

  it('uploads a whole video when asked to, but never a container that services reject', async () => {
    await transcribe(await video(), { soundOnly: false });
    await transcribe(await video('call.mov'), { soundOnly: false });
    await transcribe(await video('call.mkv'), { soundOnly: false });
    assert.deepEqual(names(), ['call.mp4', 'call.m4a', 'call.m4a']);
  });

  describe('sends what was agreed to', () => {
    /** Recordings whose sound is extracted, cut, or extracted and cut. */
    const ways = [
      ['a video', video, { maxBytes: 0 }],
      ['a long recording', long, { maxBytes: 200_000 }],
      ['a long video', video, { maxBytes: 100_000 }],
    ] as const;
    for (const [what, make, wanted] of ways) {
      it(`and nothing when ${what} has other content, or is another file`, async () => {
        const file = await make();
        const agreed = [await readAgreed(file)];
        for (const other of [[], [{ path: join(root, 'other.mp3'), sha256: agreed[0]?.sha256 ?? '' }]]) {
          await assert.rejects(transcribe(file, { ...wanted, agreed: other }), { kind: 'invalidInput', field: 'file' });
        }
        await appendFile(file, 'x');
        await assert.rejects(transcribe(file, { ...wanted, agreed }), {
          kind: 'invalidInput',
          message: /has changed since you agreed to send it, so nothing was sent/,
        });
        assert.deepEqual(sent, []);
      });

      it(`and nothing when ${what} is written to while it is read, and its time is set back`, async () => {
        const file = await make();
        const agreed = [await readAgreed(file)];
        const { atime, mtime, size } = await stat(file);
        const onOpened = () => {
          writeFileSync(file, Buffer.alloc(1, 7), { flag: 'r+' });
          truncateSync(file, size);
          utimesSync(file, atime, mtime);
        };
        await assert.rejects(transcribe(file, { ...wanted, agreed, onOpened }), {
          kind: 'invalidInput',
          field: 'file',
        });
        assert.deepEqual(sent, []);
      });

      it(`and not what is at the path of ${what} after it was opened`, async () => {
        const file = await make();
        const folder = join(root, 'talks');
        const talk = join(folder, basename(file));
        await mkdir(folder);
        await rename(file, talk);
        const agreed = [await readAgreed(talk)];
        await transcribe(talk, { ...wanted, agreed });
        const before = sent.splice(0);
        assert(before.length > 0);
        let isSwapped = false;
        const onOpened = () => {
          if (isSwapped) return;
          isSwapped = true;
          renameSync(folder, join(root, 'moved'));
          mkdirSync(folder);
          copyFileSync(join(root, 'moved', basename(file)), talk);
          truncateSync(talk, 60_000);
        };
        await transcribe(talk, { ...wanted, agreed, onOpened });
        assert(isSwapped);
        // The parts after the first are sent at once.
        assert.deepEqual(inOrder(sent), inOrder(before));
      });
    }

    it('and a link only where the caller chose it', async function () {
      skipUnless(this, process.platform !== 'win32', 'symbolic links');
      const file = await long();
      const linked = join(root, 'linked.mp3');
      await symlink(file, linked);
      const agreed = [{ ...(await readAgreed(file)), path: linked }];
      for (const maxBytes of [0, 200_000]) {
        await assert.rejects(transcribe(linked, { maxBytes, agreed }), { kind: 'invalidInput', field: 'file' });
      }
      assert.deepEqual(sent, []);
      await transcribe(linked);
      assert.deepEqual(names(), ['linked.mp3']);
      await checkNothingLeft();
    });
  });

  for (const soundOnly of [true, false]) {
    it(`rejects a video without sound before sending anything (soundOnly: ${soundOnly})`, async () => {
      const options = ['-c:v', 'libx264', '-preset', 'ultrafast'];
      const file = await makeRecording(root, 'mute.mp4', { options, seconds: 2, hasPicture: true, hasSound: false });
      await assert.rejects(transcribe(file, { soundOnly }), (error) => {
        assert(error instanceof MediaError);
        assert.deepEqual([error.kind, error.field], ['invalidInput', 'file']);
        assert.match(error.message, /mute\.mp4 has no sound/);
        return true;
      });
      assert.deepEqual(sent, []);
    });
  }

  for (const [what, make, wanted] of [
    ['the sound of a video is extracted', video, {}],
    ['what was agreed to is read', long, { agreed: [], maxBytes: 200_000 }],
  ] as const) {
    it(`is cancelled while ${what}, and sends nothing`, async () => {
      const cancel = new AbortController();
      const options = { ...wanted, signal: cancel.signal, onOpened: () => cancel.abort() };
      await assert.rejects(transcribe(await make(), options), { name: 'MediaError', kind: 'cancelled' });
      assert.deepEqual(sent, []);
      await checkNothingLeft();
    });
  }

  it('sends a recording above the limit in parts, and shifts their times', async () => {
    answer = ({ name }, response) =>
      response.end(
        JSON.stringify({
          text: `Of ${name}.`,
          language: 'en',
          usage: { seconds: 10, type: 'duration' },
          segments: [{ start: 1, end: 2.5, text: `Of ${name}.`, speaker: 'A' }],
        }),
      );
    const { text } = await transcribe(await long(), { maxBytes: 200_000, transcriptFormat: 'srt' });
    assert.deepEqual(names().sort(), ['call-part-1.mp3', 'call-part-2.mp3', 'call-part-3.mp3']);
    for (const { bytes } of sent) assert(bytes <= 200_000 + 1000);
    const times = [...text.matchAll(/(\d\d):(\d\d):(\d\d),(\d\d\d) -->/g)].map(
      ([, , minutes, seconds, rest]) => Number(minutes) * 60 + Number(seconds) + Number(rest) / 1000,
    );
    assert.equal(times.length, 3);
    assert.equal(times[0], 1);
    // The parts start in the pauses at 9 and 19 s.
    assert(Math.abs((times[1] ?? 0) - 10.5) < 0.7 && Math.abs((times[2] ?? 0) - 20.5) < 0.7, String(times));
    assert.match(text, /A \(part 2\): Of call-part-2\.mp3\./);
    const [record] = (await readFile(join(root, '.unified-media/library.jsonl'), 'utf8')).trim().split('\n');
    assert.deepEqual(JSON.parse(record ?? '').usage, { usage: { seconds: 30, type: 'duration' } });
    await checkInputs('call.mp3');
    await checkNothingLeft();
  });

  it('sends every sound of a chain of videos, each with its own times', async () => {
    const options = ['-s', '64x48', '-c:v', 'libvpx', '-threads', '1', '-deadline', 'realtime', '-cpu-used', '8'];
    const one = await makeRecording(root, 'one.webm', { options, seconds: 4, hasPicture: true });
    const file = join(root, 'talk.webm');
    await writeFile(file, Buffer.concat([await readFile(one), await readFile(one)]));
    answer = ({ name }, response) =>
      response.end(JSON.stringify({ text: name, segments: [{ start: 1, end: 2, text: name }] }));
    const { text } = await transcribe(file, { transcriptFormat: 'srt' });
    assert.deepEqual(names(), ['talk.ogg', 'talk-2.ogg']);
    assert.match(text, /00:00:01,\d+ --> 00:00:02,\d+\ntalk\.ogg\n/);
    assert.match(text, /00:00:0(4,9|5,0)\d+ --> 00:00:0(5,9|6,0)\d+\ntalk-2\.ogg\n/);
  });

  it('sends all parts of an MP3 that changes its form', async () => {
    const mono = await readFile(await makeRecording(root, 'mono.mp3', { options: ['-ac', '1'], seconds: 5 }));
    const stereo = await readFile(await makeRecording(root, 'stereo.mp3', { options: ['-ac', '2'], seconds: 5 }));
    const file = join(root, 'talk.mp3');
    await writeFile(file, Buffer.concat([mono, mono, stereo, mono]));
    answer = ({ name }, response) =>
      response.end(JSON.stringify({ text: name, segments: [{ start: 0, end: 1, text: name }] }));
    const { text } = await transcribe(file, { maxBytes: 200_000, transcriptFormat: 'srt' });
    assert.equal(names().length, 3);
    assert.match(text, /00:00:15,1\d+ --> 00:00:16,1\d+\ntalk-part-3\.mp3\n/);
  });

  it('says that a recording is shorter than it claims', async () => {
    const file = await makeRecording(root, 'talk.flac', { seconds: 20 });
    truncateSync(file, Math.floor((await stat(file)).size / 2));
    const { notices } = await transcribe(file, { maxBytes: 400_000 });
    assert.match(
      notices.join('\n'),
      /^talk\.flac says that it lasts 00:20, but its sound ends at 00:\d\d\. The rest of it is lost\.$/,
    );
  });

  describe('of a video whose sound begins later than its picture', () => {
    const late = () =>
      makeRecording(root, 'call.mkv', {
        options: [
          ...['-r', '5', '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'libmp3lame'],
          '-af',
          'asetpts=PTS+3.5/TB',
        ],
        seconds: 20,
        hasPicture: true,
      });
    const said = ({ name }: Sent) => ({ text: name, segments: [{ start: 1, end: 2, text: name }] });

    it('counts the times from the start of the video', async () => {
      answer = (one, response) => response.end(JSON.stringify(said(one)));
      const { text, jobsLeft } = await transcribe(await late(), { transcriptFormat: 'srt' });
      assert.deepEqual(names(), ['call.mp3']);
      assert.match(text, /^1\n00:00:04,\d+ --> 00:00:05,\d+\ncall\.mp3\n$/);
      assert.deepEqual(jobsLeft, ['done part']);
      await checkInputs('call.mkv');
      await checkNothingLeft();
    });

    it('is not sent again, in halves either, while its outcome is unknown', async () => {
      answer = (_, response) => response.destroy();
      const file = await late();
      await assert.rejects(transcribe(file), { kind: 'network', mayBeBilled: true });
      answer = (one, response) => response.end(JSON.stringify(said(one)));
      assert((await failureOf(transcribe(file))) instanceof UnknownOutcome);
      assert.deepEqual(names(), ['call.mp3']);
      await transcribe(file, { again: true });
      assert.deepEqual(names(), ['call.mp3', 'call.mp3']);
    });

    it('can be sent again after a yes when the service sent no text', async () => {
      answer = (_, response) => response.end('{"text":""}');
      const file = await late();
      for (const again of [false, false]) await assert.rejects(transcribe(file, { again }), { kind: 'noMedia' });
      assert.deepEqual(names(), ['call.mp3']);
      answer = (one, response) => response.end(JSON.stringify(said(one)));
      await transcribe(file, { again: true });
      assert.deepEqual(names(), ['call.mp3', 'call.mp3']);
    });

    it('counts them so in parts, too, for which the person is asked', async () => {
      answer = (one, response) => {
        if (one.name === 'call.mp3') response.writeHead(413).end('{"error":"too large"}');
        else response.end(JSON.stringify(said(one)));
      };
      const questions: CutQuestion[] = [];
      const { text } = await transcribe(await late(), {
        transcriptFormat: 'srt',
        mayCut: async (question) => questions.push(question) > 0,
      });
      assert.equal(questions.length, 1);
      assert(names().includes('call-part-2.mp3'), names().join());
      assert.match(text, /^1\n00:00:04,/);
      const starts = [...text.matchAll(/00:00:(\d\d),\d+ --> /g)].map(([, seconds]) => Number(seconds));
      assert((starts.at(-1) ?? 0) > 12, String(starts));
    });
  });

  it('joins transcripts without times, and subtitles', async () => {
    const file = await long();
    const { text } = await transcribe(file, { maxBytes: 200_000, transcriptFormat: 'text' });
    assert.equal(text, [1, 2, 3].map((part) => `The text of call-part-${part}.mp3.\n`).join('\n'));
    answer = ({ name }, response) => response.end(`1\n00:00:01,000 --> 00:00:02,000\nOf ${name}.\n`);
    const subtitles = await transcribe(file, { maxBytes: 200_000, transcriptFormat: 'srt' });
    assert.match(subtitles.text, /1\n00:00:01,000 --> [\s\S]*2\n00:00:1\d,\d\d\d --> [\s\S]*3\n00:00:2\d,\d\d\d -->/);
  });

  /** Refuses a part for certain, or with a status after which it may be billed. */
  function failPart(part: string, status = 400): void {
    answer = ({ name }, response) => {
      if (name === part) response.writeHead(status).end('{"error":"no"}');
      else response.end(JSON.stringify({ text: `Of ${name}.` }));
    };
  }

  function answerAll(): void {
    sent.length = 0;
    answer = ({ name }, response) => response.end(JSON.stringify({ text: `Of ${name}.` }));
  }

  it('requests only the missing parts when called again', async () => {
    failPart('call-part-2.mp3');
    const file = await long();
    await assert.rejects(transcribe(file, { maxBytes: 200_000 }), /kept; you will not pay for them again/);
    assert.equal((await keptParts()).length, 2);
    assert((await filesIn(storage)).every((path) => path.startsWith('work')));
    answerAll();
    // Also without the limit, because the started parts are found.
    const { text } = await transcribe(file);
    assert.deepEqual(names(), ['call-part-2.mp3']);
    assert.match(text, /Of call-part-1\.mp3\.\n\nOf call-part-2\.mp3\.\n\nOf call-part-3\.mp3\./);
    await checkNothingLeft();
  });

  it('requests only the missing part of a recording whose name and time have changed', async () => {
    failPart('call-part-3.mp3');
    const file = await long();
    await assert.rejects(transcribe(file, { maxBytes: 200_000 }), { kind: 'badRequest' });
    answerAll();
    const copy = join(root, 'copy.mp3');
    await copyFile(file, copy);
    const then = new Date(Date.now() - 3_600_000);
    await utimes(copy, then, then);
    const { text } = await transcribe(copy, { maxBytes: 200_000 });
    assert.deepEqual(names(), ['copy-part-3.mp3']);
    assert.match(text, /Of call-part-1\.mp3\.\n\nOf call-part-2\.mp3\.\n\nOf copy-part-3\.mp3\./);
    await checkNothingLeft();
  });

  it('neither takes nor removes the parts of a recording that differs only in the middle', async () => {
    failPart('call-part-3.mp3');
    const file = await long();
    await assert.rejects(transcribe(file, { maxBytes: 200_000 }), { kind: 'badRequest' });
    answerAll();
    const take = join(root, 'take.mp3');
    const bytes = await readFile(file);
    // Within a frame, far from both ends.
    bytes[200_000] = (bytes[200_000] ?? 0) ^ 1;
    await writeFile(take, bytes);
    const { atime, mtime } = await stat(file);
    await utimes(take, atime, mtime);
    const { text } = await transcribe(take, { maxBytes: 200_000 });
    assert.deepEqual(names().sort(), ['take-part-1.mp3', 'take-part-2.mp3', 'take-part-3.mp3']);
    assert.doesNotMatch(text, /Of call/);
    sent.length = 0;
    await transcribe(file, { maxBytes: 200_000 });
    assert.deepEqual(names(), ['call-part-3.mp3']);
    await checkNothingLeft();
  });

  it('sends a part that may be billed again only after a yes, and none of the others before', async () => {
    const file = await long();
    failPart('call-part-2.mp3', 500);
    await assert.rejects(transcribe(file, { maxBytes: 200_000 }), { kind: 'server', mayBeBilled: true });
    answerAll();
    const error = await failureOf(transcribe(file, { maxBytes: 200_000 }));
    assert(error instanceof UnknownOutcome, error.message);
    assert.match(error.message, /^Nothing was sent, because the same request was sent before\. Its outcome is unknown/);
    assert.deepEqual(sent, []);
    await transcribe(file, { maxBytes: 200_000, again: true });
    assert.deepEqual(names(), ['call-part-2.mp3']);
    await checkNothingLeft();
  });

  it('finds the parts of a sound whether or not only the sound of videos is sent', async () => {
    const file = await long();
    failPart('call-part-2.mp3', 500);
    await assert.rejects(transcribe(file, { maxBytes: 200_000, soundOnly: false }), { kind: 'server' });
    answerAll();
    await assert.rejects(transcribe(file, { soundOnly: true }), UnknownOutcome);
    assert.deepEqual(sent, []);
    await transcribe(file, { soundOnly: true, again: true });
    assert.deepEqual(names(), ['call-part-2.mp3']);
    await checkNothingLeft();
  });

  for (const soundOnly of [false, true]) {
    it(`finishes a video in the parts that are paid for when soundOnly is no longer ${soundOnly}`, async () => {
      const file = await video();
      failPart('call-part-2.m4a', 402);
      await assert.rejects(transcribe(file, { maxBytes: 60_000, soundOnly }), { kind: 'quota' });
      answerAll();
      await transcribe(file, { soundOnly: !soundOnly });
      assert.deepEqual(names(), ['call-part-2.m4a']);
      await checkNothingLeft();
    });
  }

  it('accepts a part without speech, and does not pay for it again', async () => {
    let fails = true;
    answer = ({ name }, response) => {
      if (name === 'call-part-3.mp3' && fails) response.writeHead(400).end();
      else response.end(JSON.stringify({ text: name === 'call-part-2.mp3' ? '' : `Of ${name}.` }));
    };
    const file = await long();
    await assert.rejects(transcribe(file, { maxBytes: 200_000 }));
    const states = await new Store(works()).statesOf(await readdir(works()), { root: pathToFileURL(root).href });
    assert.deepEqual([...states.values()], ['finished', 'finished']);
    fails = false;
    sent.length = 0;
    const { text } = await transcribe(file, { maxBytes: 200_000 });
    assert.deepEqual(names(), ['call-part-3.mp3']);
    assert.match(text, /Of call-part-1\.mp3\.\n\nOf call-part-3\.mp3\./);
  });

  it('keeps the answer for a part that cannot be read, and sends the part again only after a yes', async () => {
    const paid = '{"output_text":"Every word."}';
    answer = ({ name }, response) =>
      response.end(name === 'call-part-2.mp3' ? paid : JSON.stringify({ text: `Of ${name}.` }));
    const file = await long();
    for (const _ of ['sent', 'read again']) {
      await assert.rejects(transcribe(file, { maxBytes: 200_000 }), { kind: 'unreadableAnswer', hasRawAnswer: true });
      const answers = (await filesIn(storage)).filter((path) => basename(path).startsWith('answer-'));
      assert.deepEqual(await Promise.all(answers.map((path) => readFile(join(storage, path), 'utf8'))), [paid]);
      assert.equal(sent.length, 3);
    }
    answerAll();
    const { text } = await transcribe(file, { maxBytes: 200_000, again: true });
    assert.deepEqual(names(), ['call-part-2.mp3']);
    assert.match(text, /Of call-part-1\.mp3\.\n\nOf call-part-2\.mp3\.\n\nOf call-part-3\.mp3\./);
  });

  it('says once what the service reported beside the text of a part, also of one that an earlier call paid for', async () => {
    let fails = true;
    answer = ({ name }, response) => {
      if (name === 'call-part-3.mp3' && fails) response.writeHead(400).end('no');
      else response.end(JSON.stringify({ text: 'Text.', ...(name === 'call-part-2.mp3' ? { error: 'cut' } : {}) }));
    };
    const file = await long();
    await assert.rejects(transcribe(file, { maxBytes: 200_000 }));
    fails = false;
    for (const again of [false, true]) {
      const { notices } = await transcribe(file, { maxBytes: 200_000, again });
      assert.equal(notices.length, 1);
      assert.match(notices[0] ?? '', /may be incomplete\. .*“cut”/);
    }
  });

  it('says which parts of the recording the service sent no text for', async () => {
    answer = ({ name }, response) => response.end(name === 'call-part-2.mp3' ? '' : JSON.stringify({ text: 'Text.' }));
    const { notices } = await transcribe(await long(), { maxBytes: 200_000 });
    assert.equal(notices.length, 1);
    assert.match(notices[0] ?? '', /no text for 00:\d\d – 00:\d\d\. Check it against the recording\./);
  });

  describe('after the service rejected the recording as too large', () => {
    beforeEach(() => {
      answer = ({ name, bytes }, response) => {
        if (bytes > 100_000) response.writeHead(413).end('{"error":{"message":"Maximum content size limit"}}');
        else response.end(JSON.stringify({ text: `Of ${name}.` }));
      };
    });

    it('asks the person, and halves the parts after another rejection', async () => {
      const asked: CutQuestion[] = [];
      const mayCut = async (question: CutQuestion) => Boolean(asked.push(question));
      const { text, jobsLeft } = await transcribe(await long(), { mayCut });
      assert.equal(asked.length, 1);
      assert(asked[0] && asked[0].parts >= 2 && asked[0].bytes > 470_000 && asked[0].partBytes < 245_000);
      const taken = sent.filter(({ bytes }) => bytes <= 100_000);
      assert.equal(text.match(/Of call-part-/g)?.length, taken.length);
      assert.deepEqual([...new Set(jobsLeft)], ['done part'], 'answered rejections are off the list');
    });

    it('halves only the parts that were rejected, because the others are paid for, also when it is run again', async () => {
      const paid: string[] = [];
      let fails = true;
      answer = ({ name, bytes }, response) => {
        const isTaken = bytes <= 100_000 || name === 'call-part-1.mp3' || name === 'call-part-3.mp3';
        if (!isTaken) return response.writeHead(413).end();
        if (fails && name === 'call-part-2-part-2.mp3') return response.writeHead(400).end();
        paid.push(name);
        return response.end(JSON.stringify({ text: `Of ${name}.` }));
      };
      const file = await long();
      await assert.rejects(transcribe(file, { maxBytes: 200_000 }), { kind: 'badRequest' });
      fails = false;
      const { text, jobsLeft } = await transcribe(file, { maxBytes: 200_000 });
      const parts = text.match(/(?<=Of )call-.+?\.mp3/g) ?? [];
      assert.match(parts.join(' '), /^call-part-1\.mp3 call-part-2-part-1\.mp3 (.+ )?call-part-3\.mp3$/);
      assert.deepEqual(paid.toSorted(), parts.toSorted(), 'each is paid for once');
      assert.deepEqual([...new Set(jobsLeft)], ['done part'], 'answered rejections are off the list');
      await checkNothingLeft();
    });

    it('halves none that may be billed, because an earlier attempt of it had been sent', async () => {
      let isBusy = true;
      answer = ({ bytes }, response) => {
        if (bytes <= 100_000) response.end(JSON.stringify({ text: 'Text.' }));
        else if (isBusy) response.writeHead(503, { 'retry-after': '0' }).end();
        else response.writeHead(413).end();
        isBusy = false;
      };
      const file = await long();
      const error = await failureOf(transcribe(file, { maxBytes: 200_000 }));
      assert(error instanceof MediaError && error.kind === 'tooLarge' && error.mayBeBilled, error.message);
      assert.deepEqual(names(), ['call-part-1.mp3', 'call-part-1.mp3']);
      await assert.rejects(transcribe(file, { maxBytes: 200_000 }), UnknownOutcome);
      assert.equal(sent.length, 2);
      await transcribe(file, { maxBytes: 200_000, again: true });
      isBusy = true;
      const asked: CutQuestion[] = [];
      await transcribe(await long('other.mp3'), { mayCut: async (question) => asked.push(question) > 0 });
      assert.deepEqual(
        asked.map(({ mayBeBilled }) => mayBeBilled),
        [true],
      );
    });

    it('rejects when nobody can be asked or the person declines', async () => {
      const file = await long();
      await assert.rejects(transcribe(file), { kind: 'tooLarge' });
      await assert.rejects(transcribe(file, { mayCut: async () => false }), { kind: 'tooLarge' });
      assert.equal(sent.length, 2);
    });

    it('uses the part size of the earlier run when a job runs again', async () => {
      const file = await long();
      answer = ({ name, bytes }, response) => {
        if (bytes > 100_000 || name === 'call-part-2.mp3') response.writeHead(bytes > 100_000 ? 413 : 400).end();
        else response.end(JSON.stringify({ text: `Of ${name}.` }));
      };
      await assert.rejects(transcribe(file, { maxBytes: 180_000 }), { kind: 'badRequest' });
      answerAll();
      await transcribe(file, { maxBytes: 180_000 });
      assert.deepEqual(names(), ['call-part-2.mp3']);
      await checkNothingLeft();
    });
  });

  it('sends a recording that cannot be cut as a whole', async () => {
    const file = join(root, 'call.m4a');
    await writeFile(file, Buffer.alloc(100_000, 0xa5));
    await transcribe(file, { maxBytes: 20_000 });
    assert.deepEqual(names(), ['call.m4a']);
  });

  it('requests only the unanswered parts after a crash', async () => {
    const file = await long();
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    // The second part is being sent when the editor dies.
    answer = ({ name }, response) => {
      if (name === 'call-part-2.mp3') asked();
      else response.end(JSON.stringify({ text: `Of ${name}.` }));
    };
    const options = { host: server.origin, root, storage, file, maxBytes: 200_000 };
    const child = startProcess('transcribe', options);
    await isAsked;
    while ((await keptParts()).length < 2) await new Promise(setImmediate);
    await kill(child);
    answerAll();
    await assert.rejects(transcribe(file, { maxBytes: 200_000 }), UnknownOutcome);
    assert.deepEqual(sent, []);
    const { text, jobsFound } = await transcribe(file, { maxBytes: 200_000, again: true });
    assert.deepEqual(names(), ['call-part-2.mp3']);
    assert.match(text, /Of call-part-1\.mp3\.\n\nOf call-part-2\.mp3\.\n\nOf call-part-3\.mp3\./);
    assert(jobsFound.includes('unknown part'), 'the part being sent is shown, and may have been billed');
  });

  it('rejects a second call while the first runs', async () => {
    const file = await long();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    answer = async ({ name }, response) => {
      await held;
      response.end(JSON.stringify({ text: `Of ${name}.` }));
    };
    const first = transcribe(file, { maxBytes: 200_000 });
    await server.next();
    await assert.rejects(transcribe(file, { maxBytes: 200_000 }), /already being transcribed/);
    release();
    await first;
    assert.equal(sent.length, 3);
  });

  it('requests no more parts once another window has taken the recording over', async () => {
    answer = async ({ name }, response) => {
      const [part = ''] = (await filesIn(storage)).filter((path) => path.endsWith('call-part-1.mp3'));
      await writeFile(join(storage, dirname(part), 'lease-99'), '{}');
      response.end(JSON.stringify({ text: `Of ${name}.` }));
    };
    await assert.rejects(transcribe(await long(), { maxBytes: 200_000 }), /already being transcribed/);
    assert.deepEqual(names(), ['call-part-1.mp3']);
  });
});

/** Returns the paths of the files below a folder. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
