import assert from 'node:assert/strict';
import {
  type BodyOf,
  draftShape,
  emptyDraft,
  hostMessage,
  keptState,
  maxDropBytes,
  type RequestName,
  requests,
  start,
} from '../../../src/webview/protocol/messages.ts';
import { envelopeOf, reply } from '../../../src/webview/protocol/requestTable.ts';
import { fc } from '../../support/fastCheck.ts';

const bodies: { readonly [Name in RequestName]: BodyOf<Name> } = {
  ready: {},
  keepDraft: { draft: emptyDraft },
  connect: {
    service: { hosts: { image: 'https://api.example.com', audio: '', video: '' }, scheme: 'Bearer', key: 'key-1' },
    isTried: true,
  },
  stopConnecting: {},
  closeConnecting: {},
  saveModels: { models: { generateImage: 'painter', speak: '' }, preset: 'openai' },
  chooseFile: { field: 'Mask' },
  attach: { tab: 'video', switched: [], source: { from: 'bytes', name: 'a.png', bytes: new Uint8Array(3) } },
  attachItem: { id: 'file:///w#1', as: 'recording' },
  submit: {
    operation: 'editImage',
    values: { prompt: '<b>' },
    files: { image_urls: ['file:///a.png'] },
    fields: { seed: 7, mask: 'file:///m.png' },
    shape: '16:9',
    region: {
      mask: 'file:///m.png',
      area: { x: 1, y: 2, width: 3, height: 4 },
      size: { width: 10, height: 10 },
    },
  },
  keepMask: { bytes: new Uint8Array(3) },
  hearVoice: { model: 'reader', voice: 'nova' },
  keepFavourite: { voice: 'nova', isFavourite: true },
  forgetModel: { operation: 'editImage', model: 'paintre' },
  loadModels: { operation: 'editImage' },
  history: { tab: 'speech' },
  page: {
    filter: { words: 'fox', kind: null, model: null, sandbox: true, starred: false, sort: 'name', group: 'day' },
    since: null,
    from: 48,
    limit: 48,
  },
  details: {
    id: 'file:///w#1',
    filter: { words: '', kind: 'videos', model: null, sandbox: null, starred: false, sort: 'newest', group: 'none' },
    since: '2026-01-01T00:00:00Z',
  },
  items: { ids: ['file:///w#1'] },
  recall: { id: 'job', of: 'job' },
  useInView: { id: 'file:///w#1', of: 'result', action: 'edit' },
  openSource: { id: 'file:///w#1', uri: 'file:///w/hero.png' },
  actOnJob: { id: 'job', action: 'runAgain' },
  actOnItems: { ids: ['file:///w#1'], action: 'insert' },
  keepOnly: { id: 'file:///w#1', others: ['file:///w#2'] },
  copyRefused: { id: 'file:///w#1' },
  chooseVariant: { number: null },
  actOnNotice: { action: 'openFolder' },
  keepPreview: { id: 'file:///w#1', bytes: new Uint8Array(3), seconds: 2.5 },
};

const envelope = envelopeOf(requests);

describe('the protocol of the views', () => {
  for (const name of Object.keys(bodies) as readonly RequestName[]) {
    it(`accepts the body of "${name}" and rejects variations of it`, () => {
      const isBody: (body: unknown) => boolean = requests[name].body;
      const body = bodies[name];
      assert(isBody(body));
      assert.equal(isBody({ ...body, more: 1 }), false, 'an additional name');
      for (const key of Object.keys(body)) {
        const { [key as never]: _, ...less } = body;
        assert.equal(isBody(less), false, `without ${key}`);
        assert.equal(isBody({ ...body, [key]: undefined }), false, `${key} is undefined`);
        assert.equal(isBody({ ...body, [key]: () => undefined }), false, `${key} is a function`);
      }
      assert(envelope({ id: 1, name, body }));
    });
  }

  it('rejects unknown names, including those of Object.prototype', () => {
    for (const name of ['toString', '__proto__', 'submit2', 3])
      assert.equal(envelope({ id: 1, name, body: {} }), false);
    assert.equal(envelope({ id: -1, name: 'ready', body: {} }), false);
    assert.equal(requests.actOnItems.body({ ids: ['a'], action: 'toString' }), false);
    assert.equal(requests.attach.body({ tab: 'image', source: { from: 'uris', uris: [3] } }), false);
  });

  it('rejects bodies that would fill the memory', () => {
    const large = 'a'.repeat(2_000_001);
    assert.equal(requests.submit.body({ operation: 'speak', values: { input: large }, files: {} }), false);
    const bytes = new Uint8Array(maxDropBytes + 1);
    assert.equal(requests.attach.body({ tab: 'image', source: { from: 'bytes', name: 'a', bytes } }), false);
    const uris = Array.from({ length: 101 }, () => 'file:///a.png');
    assert.equal(requests.attach.body({ tab: 'image', source: { from: 'uris', uris } }), false);
  });

  it('accepts only valid replies and host messages', () => {
    assert(requests.submit.reply({ outcome: 'started' }));
    assert.equal(requests.submit.reply({ outcome: 'lost' }), false);
    const problem = { step: 'key', sentence: 'It is wrong.', isProxy: false, canSkip: true };
    assert(requests.connect.reply({}));
    assert(requests.connect.reply({ problem: { ...problem, area: 'audio', suggestion: 'Bearer' } }));
    assert.equal(requests.connect.reply({ problem: { ...problem, step: 'models' } }), false);
    assert.equal(requests.connect.reply({ problem: { ...problem, key: 'key-1' } }), false, 'a reply holds no key');
    assert.equal(requests.connect.reply({ connected: { summary: 'Done.' } }), false);
    assert(reply({ type: 'reply', id: 1, value: null }));
    assert.equal(reply({ type: 'reply', value: null }), false);
    assert(hostMessage({ type: 'parts', parts: {} }));
    assert.equal(hostMessage({ type: 'parts', parts: { jobs: [{}] } }), false);
  });

  it('accepts only valid drafts', () => {
    assert(draftShape(structuredClone(emptyDraft)));
    assert.equal(draftShape({ ...emptyDraft, tab: 'editImage' }), false);
    assert.equal(draftShape({ ...emptyDraft, prompts: { editImage: 'a' } }), false);
    assert.equal(draftShape(undefined), false);
  });

  it('accepts models and options of any length, so that a long one does not empty the view', () => {
    const long = 'a'.repeat(5000);
    const draft = { ...emptyDraft, models: { speak: long }, options: { speech: { voice: long } } };
    assert(draftShape(draft));
    assert(keptState({ draft, scroll: 0 }));
    const setup = {
      notices: [],
      models: { speak: [long] },
      unloaded: [],
      favouriteVoices: [long],
      hosts: {},
      defaults: { speak: { voice: long } },
    };
    const job = {
      ...{
        id: 'j',
        run: 'j',
        kind: 'speech',
        title: 'Speak',
        words: 'Hello.',
        model: long,
        files: 1,
      },
      ...{ createdAt: '2026-01-01T00:00:00Z', state: 'failed', message: 'No.', actions: [], position: 0 },
    };
    const item = {
      ...{ id: 'i', jobId: 'j', kind: 'speech', name: 'a.mp3', isMissing: false, title: 'Speak' },
      ...{ model: long, sandbox: false, createdAt: '2026-01-01T00:00:00Z', canRemix: false, hasVideoId: false },
    };
    const library = { revision: 1, total: 1, models: [long], isRead: true, first: [item] };
    const parts = { setup, jobs: [job], library };
    assert(start({ id: 'a', draft, parts, place: 'view' }));
    assert(hostMessage({ type: 'parts', parts }));
    const older = { ...library, hasSandbox: false, first: [{ ...item, operation: 'speak' }] };
    assert(keptState({ draft, library: older }), 'what another version has kept');
    const filter = { words: '', kind: null, model: long, sandbox: null, starred: true, sort: 'oldest', group: 'none' };
    assert(requests.page.body({ filter, since: null, from: 0, limit: 1 }));
  });

  it('rejects anything else without throwing', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (value) => {
        const shapes = Object.values(requests).map(({ body }): ((body: unknown) => boolean) => body);
        const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
        return !hostMessage(value) && !envelope(value) && (isEmpty || shapes.every((isBody) => !isBody(value)));
      }),
    );
  });
});
