import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TranscriptFormat } from '../../../src/library/formatTranscript.ts';
import type { HttpServer } from '../../support/httpServer.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt } from '../../support/jobRunner.ts';
import { wavBytes } from '../../support/mediaBytes.ts';

describe('a transcript', () => {
  let parent: string;
  let root: string;
  let server: HttpServer;
  let text: string;
  let notices: string[];

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'transcripts-'));
    root = join(parent, 'workspace');
    await mkdir(join(root, 'talks'), { recursive: true });
    text = 'A fox.';
    notices = [];
    server = await startHttpServer((request, response) => {
      request.resume().on('end', () => response.end(JSON.stringify({ text })));
    });
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await rm(parent, { recursive: true });
  });

  /** @returns the transcript of a recording, by the name of its file */
  async function transcribe(file: string, transcriptFormat: TranscriptFormat): Promise<readonly [string, string]> {
    await writeFile(file, wavBytes);
    await using window = jobRunnerAt(server.origin, { root, journal: join(parent, 'journal') });
    const { place } = imageJob(root);
    await window.runner.run(
      {
        operation: 'transcribe',
        request: { model: 'm', file },
        place: { ...place, path: 'media/transcripts', transcriptFormat },
        sandbox: false,
      },
      {
        signal: new AbortController().signal,
        onProgress: () => undefined,
        onNotice: (sentence) => notices.push(sentence),
      },
    );
    const [name = ''] = await readdir(join(root, 'media/transcripts'));
    return [name, await readFile(join(root, 'media/transcripts', name), 'utf8')];
  }

  it('has the name of its recording, and links to it in the same workspace', async () => {
    const [name, markdown] = await transcribe(join(root, 'talks/Stand up.wav'), 'markdown');
    assert.equal(name, 'stand-up.md');
    assert.match(markdown, /\[Stand up\.wav\]\(\.\.\/\.\.\/talks\/Stand%20up\.wav\)/);
    assert.deepEqual(notices, []);
  });

  it('names a recording outside of the workspace but does not link to it', async () => {
    const [name, markdown] = await transcribe(join(parent, 'secret.wav'), 'markdown');
    assert.equal(name, 'secret.md');
    assert.match(markdown, /secret\.wav/);
    assert.doesNotMatch(markdown, /\]\(/);
    assert.doesNotMatch(markdown, /\.\.\//);
  });

  it('that cannot be subtitles says so', async () => {
    const [name] = await transcribe(join(root, 'talk.wav'), 'srt');
    assert.equal(name, 'talk.md');
    assert.deepEqual(notices, ['The service sent no times, so the transcript is saved as markdown instead of srt.']);
  });

  it('that repeats a line says so', async () => {
    text = 'Thank you. '.repeat(20);
    await transcribe(join(root, 'talk.wav'), 'markdown');
    assert.match(
      notices.join('\n'),
      /^A line repeats \d+ times in a row: “.*Thank you.*”\. Check it against the recording\.$/,
    );
  });
});
