import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TranscriptFormat } from '../../../src/transcripts/formatTranscript.ts';
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

  /** Transcribes a recording. @returns the name and the text of the transcript */
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

  it('is named after its recording and links to it within the workspace', async () => {
    const [name, markdown] = await transcribe(join(root, 'talks/Stand up.wav'), 'markdown');
    assert.equal(name, 'stand-up.md');
    assert.match(markdown, /\[Stand up\.wav\]\(\.\.\/\.\.\/talks\/Stand%20up\.wav\)/);
    assert.deepEqual(notices, []);
  });

  it('names a recording outside the workspace without linking to it', async () => {
    const [name, markdown] = await transcribe(join(parent, 'secret.wav'), 'markdown');
    assert.equal(name, 'secret.md');
    assert.match(markdown, /secret\.wav/);
    assert.doesNotMatch(markdown, /\]\(/);
    assert.doesNotMatch(markdown, /\.\.\//);
  });

  it('falls back to Markdown without times, and reports it', async () => {
    const [name] = await transcribe(join(root, 'talk.wav'), 'srt');
    assert.equal(name, 'talk.md');
    assert.deepEqual(notices, [
      'The service sent no timestamps, so the transcript is saved as markdown instead of srt.',
    ]);
  });

  it('reports a line that repeats', async () => {
    text = 'Thank you. '.repeat(20);
    await transcribe(join(root, 'talk.wav'), 'markdown');
    assert.match(
      notices.join('\n'),
      /^A line repeats \d+ times in a row: “.*Thank you.*”\. Check it against the recording\.$/,
    );
  });
});
