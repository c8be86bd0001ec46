import assert from 'node:assert/strict';
import {
  runningJobs,
  shownFailures,
  shownFiles,
  shownResult,
  startingTexts,
  usedModels,
  videoChoices,
} from '../../../../src/features/create/makeSnapshot.ts';
import type { Job } from '../../../../src/jobs/JobList.ts';
import type { LibraryEntry } from '../../../../src/library/LibraryRecord.ts';
import { MediaError } from '../../../../src/operations/MediaError.ts';

const wording = {
  titleOf: (id: string) => `<${id}>`,
  stageOf: ({ state }: Pick<Job, 'state'>) => `is ${state}`,
  buttonOf: (action: string) => `Do ${action}`,
  dismiss: 'Dismiss',
};

function job(facts: Partial<Job>): Job {
  return {
    id: 'job',
    operation: 'generateImage',
    request: { model: 'm', prompt: 'a fox', n: 1, output_format: 'url' },
    createdAt: '2026-01-02T03:04:05Z',
    place: { root: 'file:///w', path: 'media', fileName: '', transcriptFormat: 'markdown' },
    sandbox: false,
    state: 'waiting',
    assets: {},
    hasAnswer: false,
    ...facts,
  };
}

function entry(facts: Partial<LibraryEntry>): LibraryEntry {
  return {
    id: 'entry',
    kind: 'videos',
    operation: 'generateVideo',
    model: 'm',
    createdAt: '2026-01-02T03:04:05Z',
    jobId: 'job',
    file: 'media/a.mp4',
    ...facts,
  };
}

describe('the snapshot of the Create view', () => {
  it('shows running jobs alone, with how far they are where that is known', () => {
    const jobs = [
      job({ id: '1', state: 'sending', progress: { stage: 'sending', bytes: 25, total: 100 } }),
      job({ id: '2', state: 'waiting', progress: { stage: 'waiting', progress: 40 } }),
      job({ id: '3', state: 'downloading', progress: { stage: 'downloading', bytes: 25, total: undefined } }),
      job({ id: '4', state: 'queued', operation: 'transcribe', request: { model: 'm', file: '/a/stand up.m4a' } }),
      job({ id: '5', state: 'done' }),
      job({ id: '6', state: 'unknown' }),
    ];
    const shown = runningJobs(jobs, wording);
    assert.deepEqual(
      shown.map(({ id, part, stage, words }) => [id, part, stage, words]),
      [
        ['1', 0.25, 'is sending', 'a fox'],
        ['2', 0.4, 'is waiting', 'a fox'],
        ['3', undefined, 'is downloading', 'a fox'],
        ['4', undefined, 'is queued', 'stand up.m4a'],
      ],
    );
  });

  it('sends the beginning of a long prompt, and cuts no character through', () => {
    const prompt = `${'a'.repeat(299)}🦊${'b'.repeat(100_000)}`;
    const [shown] = runningJobs([job({ request: { model: 'm', prompt, output_format: 'url' } })], wording);
    assert.equal(shown?.words, `${'a'.repeat(299)}…`);
  });

  it('shows failures with what they offer, and lets each be dismissed', () => {
    const error = new MediaError('network', 'Cut off.', { jobId: 'job', mayBeBilled: true });
    assert.deepEqual(shownFailures([['job', { operation: 'speak', error }]], wording), [
      {
        id: 'job',
        text: '<speak>: Cut off.',
        actions: [
          { id: 'runAgain', title: 'Do runAgain' },
          { id: 'showLog', title: 'Do showLog' },
          { id: 'dismiss', title: 'Dismiss' },
        ],
      },
    ]);
  });

  it('shows a result under its name, loaded from an address of the view', () => {
    const uri = 'file:///w/media/a%20fox.mp4';
    const load = (address: string) => `view:${address}`;
    const shown = shownResult({ uri, entry: entry({ videoId: 'v', sandbox: true }), isSilent: true }, load, wording);
    assert.deepEqual(shown, {
      uri,
      source: `view:${uri}`,
      name: 'a fox.mp4',
      kind: 'videos',
      title: '<generateVideo>',
      model: 'm',
      sandbox: true,
      canRemix: true,
      isSilent: true,
    });
  });

  it('names files as a person would, and gives a thumbnail to those that the view may load', () => {
    const files = ['file:///w/a%20b.png', 'https://example.com/c.png?secret=1', 'file:///w/%E0%A4%A'];
    const shown = shownFiles([['editImage', { image_urls: files }]], (uri) =>
      uri.startsWith('https:') ? undefined : 'view',
    );
    assert.deepEqual(shown.editImage?.image_urls, [
      { uri: files[0], name: 'a b.png', thumbnail: 'view' },
      { uri: files[1], name: 'c.png' },
      { uri: files[2], name: '%E0%A4%A', thumbnail: 'view' },
    ]);
  });

  it('offers the videos and models of the service that is used', () => {
    const entries = [
      entry({ videoId: 'new', prompt: 'rain', model: 'b' }),
      entry({ videoId: 'sandy', model: 's', sandbox: true }),
      entry({ model: 'c' }),
      entry({ videoId: 'old', model: 'b', operation: 'remixVideo' }),
    ];
    assert.deepEqual(videoChoices(entries, false), [
      { id: 'new', label: 'rain', model: 'b' },
      { id: 'old', label: 'old', model: 'b' },
    ]);
    assert.deepEqual(usedModels('generateVideo', entries, false), ['b', 'c']);
    assert.deepEqual(usedModels('generateVideo', entries, true), ['s']);
  });

  it('starts with the last values, then the settings, then what the description says; words start empty', () => {
    const settings: Readonly<Record<string, unknown>> = { n: 3, output_format: 'b64_json' };
    const texts = startingTexts('generateImage', { n: 2, prompt: 'old' }, (name) => settings[name], ['listed']);
    assert.deepEqual(texts, { model: 'listed', n: '2', output_format: 'b64_json' });
    assert.deepEqual(
      startingTexts('speak', {}, () => undefined, []),
      { voice: 'alloy', response_format: 'mp3' },
    );
  });
});
