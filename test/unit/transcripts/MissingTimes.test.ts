import assert from 'node:assert/strict';
import { MissingTimes } from '../../../src/transcripts/MissingTimes.ts';

describe('MissingTimes', () => {
  const transcript = { kind: 'transcripts', model: 'whisper-1', mediaType: 'text/markdown' } as const;
  const host = 'https://a.example';

  it('says of each service and model once that no times came', () => {
    const missing = new MissingTimes();
    assert.match(
      missing.sentenceFor([transcript, transcript], host) ?? '',
      /^No times came .* If whisper-1 can send them/,
    );
    assert.equal(missing.sentenceFor([transcript], host), undefined);
    assert(missing.sentenceFor([{ ...transcript, model: 'other', mediaType: 'text/plain' }], host));
    assert(missing.sentenceFor([transcript], 'https://b.example'));
  });

  it('says nothing where times came, for subtitles, the sandbox and other results', () => {
    const missing = new MissingTimes();
    for (const result of [
      { ...transcript, times: { name: 'a.vtt' } },
      { ...transcript, mediaType: 'text/vtt' },
      { ...transcript, mediaType: 'application/x-subrip' },
      { ...transcript, sandbox: true as const },
      { ...transcript, kind: 'images' },
    ]) {
      assert.equal(missing.sentenceFor([result], host), undefined, JSON.stringify(result));
    }
    assert(missing.sentenceFor([transcript], host));
  });
});
