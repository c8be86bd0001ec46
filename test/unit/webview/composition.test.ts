import assert from 'node:assert/strict';
import { type Operation, operationIds, operations, wordsOf } from '../../../src/operations/operations.ts';
import {
  canSelectRegion,
  compose,
  modelKey,
  problemsOf,
  spendingOf,
  submissionOf,
  submitName,
  withAttachments,
  withInput,
  withMoved,
  withoutSent,
  withRecalled,
  withRegion,
} from '../../../src/webview/composer/composition.ts';
import { type Attachment, type Draft, emptyDraft, type Setup } from '../../../src/webview/protocol/messages.ts';
import { maxAttachments, switchedTo, tabOf } from '../../../src/webview/protocol/tabs.ts';

const image: Attachment = { kind: 'image', uri: 'file:///w/a.png', name: 'a.png' };
const recording: Attachment = { kind: 'recording', uri: 'file:///w/a.mp3', name: 'a.mp3' };
const region = {
  mask: 'file:///w/mask.png',
  area: { x: 1, y: 2, width: 30, height: 40 },
  size: { width: 100, height: 100 },
};
const video: Attachment = { kind: 'video', uri: '', name: 'rain', videoId: 'v', model: 'maker' };

const setup: Setup = {
  notices: [],
  models: {},
  unloaded: [],
  favouriteVoices: [],
  hosts: {},
  defaults: {
    generateImage: { model: 'm', n: '1', output_format: 'url' },
    editImage: { model: 'e', n: '1', output_format: 'url' },
    speak: { model: 's', voice: 'alloy', response_format: 'mp3' },
    transcribe: { model: 't' },
    translate: { model: 't' },
    generateVideo: { model: 'v', output_format: 'url' },
    animateImage: { model: 'v', output_format: 'url' },
    remixVideo: { model: 'v', output_format: 'url' },
  },
};

const of = (changes: Partial<Draft>) => compose({ ...emptyDraft, ...changes }, setup);

describe('composition', () => {
  it('clears what was sent when it is sent, though another tab was edited meanwhile', () => {
    const other = { ...image, uri: 'file:///w/b.png' };
    const sent: Draft = {
      ...emptyDraft,
      prompts: { image: 'a fox', speech: 'hello' },
      attachments: { image: [image] },
    };
    const elsewhere: Draft = { ...sent, revision: 7, tab: 'speech', prompts: { image: 'a fox', speech: 'bye' } };
    const cleared = { prompts: { image: '', speech: 'bye' }, attachments: { image: [] } };
    assert.deepEqual(withoutSent(elsewhere, sent), cleared);
    const unmoved = withMoved(elsewhere, [
      { from: 'file:///q', to: 'file:///r', name: 'r', shownFrom: '', shownTo: '' },
    ]);
    assert.deepEqual(withoutSent({ ...elsewhere, ...unmoved }, sent), cleared);
    assert.deepEqual(withoutSent({ ...sent, prompts: { image: 'a fox in the snow' } }, sent), {});
    assert.deepEqual(withoutSent({ ...sent, attachments: { image: [image, other] } }, sent), {});
  });

  it('derives the operation and the button label from the tab and the attachments', () => {
    const ways = [
      [{}, 'generateImage', 'Generate Image'],
      [{ options: { image: { n: '3' } } }, 'generateImage', 'Generate 3 Images'],
      [{ attachments: { image: [image] } }, 'editImage', 'Edit Image'],
      [{ attachments: { image: [image] }, options: { image: { n: '2' } } }, 'editImage', 'Edit Image 2 Times'],
      [{ tab: 'speech' }, 'speak', 'Speak'],
      [{ tab: 'transcript' }, 'transcribe', 'Transcribe'],
      [{ tab: 'transcript', switched: ['translate'] }, 'translate', 'Translate to English'],
      [{ tab: 'video' }, 'generateVideo', 'Generate Video'],
      [{ tab: 'video', attachments: { video: [image] } }, 'animateImage', 'Animate Image'],
      [{ tab: 'video', attachments: { video: [video] } }, 'remixVideo', 'Remix Video'],
    ] as const satisfies readonly (readonly [Partial<Draft>, string, string])[];
    for (const [draft, operation, name] of ways) {
      assert.equal(of(draft).operation, operation);
      assert.equal(submitName(of(draft)), name);
    }
  });

  it('sends what was typed in the text field of every operation, whatever its name is', () => {
    const attachments = new Map([
      ['image', image],
      ['images', image],
      ['audioFile', recording],
      ['video', video],
    ]);
    for (const id of operationIds) {
      const { fields, result }: Operation = operations[id];
      const tab = tabOf(id);
      const attached = fields.flatMap(({ type }) => attachments.get(type) ?? []);
      const composition = of({
        tab,
        switched: switchedTo(id, []),
        prompts: { [tab]: 'words' },
        attachments: { [tab]: attached },
      });
      assert.equal(composition.operation, id);
      const texts = fields.filter(({ type }) => type === 'text');
      assert.equal(texts.length > 0, result !== 'transcripts');
      for (const { name } of texts) assert.equal(submissionOf(composition).values[name], 'words', id);
      assert.equal(wordsOf(id, composition.values), texts.length > 0 ? 'words' : undefined);
    }
  });

  it('runs the operation of a failed job again, and that of an action, whatever the switch was', () => {
    const job = { prompt: '', model: 'gone', host: '', values: {}, attachments: [recording] };
    for (const operation of ['translate', 'transcribe'] as const) {
      for (const switched of [[], ['translate']] as const) {
        const draft: Draft = { ...emptyDraft, switched };
        const composition = of({ ...draft, ...withRecalled(draft, { ...job, operation }) });
        assert.equal(composition.operation, operation);
        assert.equal(composition.values.model, 'gone');
        assert.equal(of({ ...draft, ...withInput(draft, operation, [recording]) }).operation, operation);
      }
    }
  });

  it('submits each field of the operation once, with the values that the user changed', () => {
    const edited = of({
      prompts: { image: 'at night', speech: 'not this' },
      attachments: { image: [image], video: [video] },
      models: { [modelKey('editImage')]: 'mine', [modelKey('generateImage')]: 'other' },
      options: { image: { n: '4' } },
    });
    assert.deepEqual(submissionOf(edited), {
      operation: 'editImage',
      values: { model: 'mine', prompt: 'at night', n: '4', output_format: 'url' },
      files: { image_urls: ['file:///w/a.png'] },
      fields: {},
      shape: null,
      region: null,
    });
    assert.deepEqual(submissionOf(of({ tab: 'transcript', attachments: { transcript: [recording] } })), {
      operation: 'transcribe',
      values: { model: 't' },
      files: { file: ['file:///w/a.mp3'] },
      fields: {},
      shape: null,
      region: null,
    });
  });

  it('crops results here only where the service has no shapes, and whole pictures only', () => {
    const sized = { generateImage: { size: { type: 'string', values: ['1024x1024'] } } };
    const cropped = of({ shapes: { image: '16:9' } });
    assert.equal(submissionOf(cropped).shape, '16:9');
    assert.match(spendingOf(cropped, setup), /cropped to 16:9$/);
    const declared = compose({ ...emptyDraft, shapes: { image: '16:9' } }, { ...setup, declared: sized });
    assert.equal(declared.canCrop, false);
    assert.equal(submissionOf(declared).shape, null);
    const withRegion = of({ shapes: { image: '1:1' }, attachments: { image: [{ ...image, region }] } });
    assert.equal(submissionOf(withRegion).shape, null);
  });

  it('crops no video, whatever a draft says', () => {
    const composition = of({ tab: 'video', shapes: { video: '1:1' } });
    assert.equal(composition.canCrop, false);
    assert.equal(submissionOf(composition).shape, null);
  });

  it('sends a mask to a service that takes one, and else only the region', () => {
    const attachments = { image: [{ ...image, thumbnail: 'vscode:a.png', region }] };
    const plain = of({ attachments });
    assert(canSelectRegion(plain));
    assert.deepEqual(submissionOf(plain).region, region);
    assert.deepEqual(submissionOf(plain).fields, {});
    const masked = compose(
      { ...emptyDraft, attachments },
      { ...setup, declared: { editImage: { mask: { type: 'file' } } } },
    );
    assert.equal(submissionOf(masked).region, null);
    assert.deepEqual(submissionOf(masked).fields, { mask: 'file:///w/mask.png' });
    const two = of({ attachments: { image: [...attachments.image, { ...image, uri: 'file:///w/b.png' }] } });
    assert(!canSelectRegion(two));
    assert.equal(submissionOf(two).region, null, 'the region is of the only picture');
  });

  it('remixes with the model that made the video, whatever was chosen', () => {
    const remix = of({ tab: 'video', attachments: { video: [video] }, models: { [modelKey('remixVideo')]: 'other' } });
    assert.deepEqual([remix.values.model, remix.values.video_id], ['maker', 'v']);
  });

  it('takes a typed model for the service that it was typed for only', () => {
    const models = { [modelKey('generateImage')]: 'sandbox-1' };
    const connected = { ...setup, hosts: { generateImage: 'https://a.example' }, defaults: {} };
    assert.equal(of({ models }).values.model, 'sandbox-1');
    assert.equal(compose({ ...emptyDraft, models }, connected).values.model, '');
  });

  it('says where a request goes, how much it is and what it costs', () => {
    const host = 'https://a.example:8080/v1';
    const prices = { currency: '$', models: { m: { image: 0.04 }, s: { character: 0.000_015 }, t: { minute: 0.006 } } };
    const hosts = { generateImage: host, speak: host, transcribe: host, generateVideo: host };
    const words = (draft: Partial<Draft>, service: Partial<Setup> = { hosts, prices }) =>
      spendingOf(of(draft), { ...setup, ...service });
    assert.equal(words({ options: { image: { n: '3' } } }), 'a.example:8080 · m · about 0.12 $');
    const text = { tab: 'speech', prompts: { speech: 'a'.repeat(24_700) } } as const;
    assert.equal(words(text), 'a.example:8080 · s · 24,700 characters · about 27 min · about 0.37 $');
    const attached = { tab: 'transcript', attachments: { transcript: [{ ...recording, minutes: 11.2 }] } } as const;
    assert.equal(words(attached), 'a.example:8080 · t · 11 min · about 0.067 $');
    const bounded = { transcript: [{ ...recording, minutes: 11.2, minutesAtMost: true }] } as const;
    assert.equal(
      words({ tab: 'transcript', attachments: bounded }),
      'a.example:8080 · t · at most 12 min · at most 0.067 $',
    );
    assert.equal(words({ tab: 'transcript', attachments: { transcript: [recording] } }), 'a.example:8080 · t');
    assert.equal(words({ tab: 'video' }), 'a.example:8080 · v');
    assert.equal(words({}, { prices }), 'sandbox, free · m');
    const lengths = { generateVideo: { seconds: { type: 'string', values: ['4', '8'], default: '4' } } };
    const perSecond = { currency: '$', models: { v: { second: 0.1 } } };
    const video = (draft: Partial<Draft> = {}) =>
      spendingOf(compose({ ...emptyDraft, tab: 'video', ...draft }, { ...setup, hosts, declared: lengths }), {
        ...setup,
        hosts,
        prices: perSecond,
      });
    assert.equal(video(), 'a.example:8080 · v · about 0.4 $');
    assert.equal(video({ options: { video: { seconds: '8' } } }), 'a.example:8080 · v · about 0.8 $');
    const perRequest = { hosts, prices: { currency: '$', models: { s: { request: 1 } } } };
    assert.equal(words(text, perRequest), 'a.example:8080 · s · 24,700 characters · about 27 min');
    assert.match(spendingOf(of(text), { ...setup, hosts, prices }, 'de'), /24\.700 .* 0,37 \$$/);
    const ending = { ...setup, hosts, declared: { preset: 'openai' }, defaults: { speak: { model: 'tts-1' } } };
    const speech = compose({ ...emptyDraft, tab: 'speech' }, ending);
    assert.equal(spendingOf(speech, ending), 'a.example:8080 · tts-1 · announced to end on 2027-01-06');
    assert.equal(spendingOf(speech, { ...ending, hosts: {} }), 'sandbox, free · tts-1');
  });

  it('takes a list of texts, and of data: URLs with their commas', () => {
    const listed = (known_speaker_references: string) => {
      const draft: Draft = {
        ...emptyDraft,
        tab: 'transcript',
        options: { transcript: { known_speaker_references } },
        attachments: { transcript: [recording] },
      };
      const defaults = { transcribe: { model: 'gpt-4o-transcribe-diarize' } };
      return submissionOf(compose(draft, { ...setup, declared: { preset: 'openai' }, defaults })).fields;
    };
    const [one, other] = ['data:audio/wav;base64,QUJD', 'data:audio/mp3;base64,REVG'];
    assert.deepEqual(listed(`${one}, ${other},`), { known_speaker_references: [one, other] });
    assert.deepEqual(listed(' a,, b '), { known_speaker_references: ['a', 'b'] });
  });

  it('takes as many attachments as the operation sends', () => {
    const images = Array.from({ length: 20 }, (_, index) => ({ ...image, uri: `file:///w/${index}.png` }));
    const attached = (draft: Partial<Draft>, tab: 'image' | 'transcript' | 'video', added: readonly Attachment[]) =>
      withAttachments({ ...emptyDraft, ...draft }, tab, added).attachments?.[tab];
    assert.deepEqual(attached({}, 'image', images), images.slice(0, 16));
    assert.deepEqual(attached({ attachments: { image: [image] } }, 'image', [image, ...images.slice(0, 2)]), [
      image,
      ...images.slice(0, 2),
    ]);
    assert.deepEqual(attached({ attachments: { video: [video] } }, 'video', images), images.slice(-1));
    assert.deepEqual(attached({ attachments: { transcript: [recording] } }, 'transcript', [recording]), [recording]);
    const { editImage, animateImage, transcribe, remixVideo, generateImage } = operations;
    const limits = [editImage, animateImage, transcribe, remixVideo, generateImage].map(maxAttachments);
    assert.deepEqual(limits, [16, 1, 1, 1, 0]);
  });

  it('keeps the attachments when there is nothing to add', () => {
    const before = { image: [image], transcript: [recording], video: [video] };
    for (const tab of ['image', 'transcript', 'video'] as const) {
      const draft: Draft = { ...emptyDraft, attachments: before };
      assert.deepEqual({ ...draft, ...withAttachments(draft, tab, []) }.attachments, before, tab);
    }
  });

  it('reports attachments that the operation would not send', () => {
    const [problem] = problemsOf(of({ tab: 'transcript', attachments: { transcript: [recording, recording] } }));
    assert.deepEqual(problem, {
      field: 'file',
      message: 'The maximum number of files for “Transcribe” is 1. Remove the others.',
    });
  });

  it('reports missing fields, the prompt first', () => {
    const empty = compose(emptyDraft, undefined);
    assert.deepEqual(
      problemsOf(empty).map(({ field }) => field),
      ['prompt', 'model', 'n', 'output_format'],
    );
    assert.deepEqual(problemsOf(of({ tab: 'transcript' })), [{ field: 'file', message: 'Attach a recording first.' }]);
    const [count] = problemsOf(of({ prompts: { image: 'a' }, options: { image: { n: '0' } } }));
    assert.match(count?.message ?? '', /^Count must be a whole number of 1 or more/);
    assert.deepEqual(problemsOf(of({ prompts: { image: 'a' } })), []);
  });

  it('lets attachments follow their files and the folders above', () => {
    const shown = (path: string) => `https://view${path}`;
    const move = (from: string, to: string) => ({
      ...{ from: `file://${from}`, to: `file://${to}`, name: to.replace(/.*\//, '') },
      ...{ shownFrom: shown(from), shownTo: shown(to) },
    });
    const picture = { ...image, thumbnail: shown('/w/a.png'), region };
    const remixed = { ...video, uri: 'file:///w/v.mp4', thumbnail: shown('/previews/v.webp') };
    const draft: Draft = {
      ...emptyDraft,
      attachments: { image: [picture], video: [remixed], transcript: [recording] },
    };
    const moves = [move('/w/a.png', '/w/b.png'), move('/w/v.mp4', '/w/x.mp4'), move('/w', '/z'), move('/z/a', '/y')];
    assert.deepEqual(withMoved(draft, moves).attachments, {
      image: [{ ...picture, uri: 'file:///z/b.png', name: 'b.png', thumbnail: shown('/z/b.png') }],
      video: [{ ...remixed, uri: 'file:///z/x.mp4' }],
      transcript: [{ ...recording, uri: 'file:///z/a.mp3', thumbnail: undefined }],
    });
  });

  it('limits the edit of a picture to a region only while that picture is attached', () => {
    const other = { ...image, uri: 'file:///other.png' };
    const draft: Draft = { ...emptyDraft, attachments: { image: [image], video: [image] } };
    assert.deepEqual(withRegion(draft, 'image', image.uri, region).attachments, {
      image: [{ ...image, region }],
      video: [image],
    });
    const replaced = { ...draft, attachments: { image: [other] } };
    assert.deepEqual(withRegion(replaced, 'image', image.uri, region).attachments, { image: [other] });
    assert.deepEqual(withRegion(emptyDraft, 'image', image.uri, region).attachments, { image: undefined });
  });
});
