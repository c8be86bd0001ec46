import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { hashOf } from '../../../src/files/sha256.ts';
import { Agreement, NotAgreed } from '../../../src/manifest/Agreement.ts';
import { Evaluation, type PlanOptions } from '../../../src/manifest/Evaluation.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { Store } from '../../../src/work/Store.ts';
import { pngBytes, wavBytes } from '../../support/mediaBytes.ts';

const changed = /^Not sent: it has changed since you agreed\. Apply again/;
const sendsMore = /^Not sent: it has changed since you agreed, and would now send more\./;
const limited = 'Not sent: this run is limited to 2 requests.';
/** Another picture or recording of the same length. */
const another = (bytes: Uint8Array) => Buffer.concat([bytes.subarray(0, -1), Buffer.of(7)]);

const picture = { operation: 'generateImage', model: 'm', prompt: 'a' };
const edit = { operation: 'editImage', model: 'm', prompt: 'e', images: ['in.png'] };
const speaker = { operation: 'speak', model: 'm', voice: 'nova' };

describe('Agreement (promise 35)', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'agreement-'));
    await write('in.png', pngBytes);
  });
  afterEach(() => rm(root, { recursive: true }));

  const write = (name: string, content: string | Uint8Array) => writeFile(join(root, name), content);

  /** Agrees to everything that a manifest would send. */
  async function agree(manifest: object, options: Partial<PlanOptions> & { readonly maxRequests?: number } = {}) {
    const all = { sandbox: false, speechMaxCharacters: 4096, ...options };
    await write('media.jsonc', JSON.stringify(manifest));
    const store = new Store(join(root, 'work'));
    const project = await ManifestProject.open(join(root, 'media.jsonc'), { root, library: libraryIn(root), store });
    const { evaluated } = await planAssets(project, all);
    const made = new Set<string>();
    const agreement = new Agreement(project, evaluated, all, (path) => made.has(path));
    const found = async (path: string) => {
      const entry = project.manifest.entries.find((one) => one.path === path);
      assert(entry);
      return new Evaluation(project, all).of(entry);
    };
    return {
      refusal: async (path: string) => agreement.refusal(await found(path)),
      send: async (path: string, job: Parameters<Agreement['send']>[1]) => agreement.send(await found(path), job),
      /** Writes a file, as a person does. */
      write: async (path: string, content: string | Uint8Array) => {
        await write(path, content);
        project.hashes.changed(path);
      },
      /** Makes and locks the file of an entry. */
      make: async (path: string, content: Uint8Array) => {
        await write(path, content);
        project.hashes.changed(path);
        const { origin, local } = await found(path);
        await project.changeLock(path, { path, ...origin, local, output: hashOf(content) });
        made.add(path);
      },
    };
  }

  for (const [what, entry, file, before, after] of [
    ['a picture', edit, 'in.png', pngBytes, another(pngBytes)],
    ['a further field', { ...edit, fields: { mask: 'mask.png' } }, 'mask.png', pngBytes, another(pngBytes)],
    ['a document', { ...speaker, document: 'd.md' }, 'd.md', 'A public old text.', 'A secret new text.'],
    ['a recording', { operation: 'transcribe', model: 'm', file: 'in.wav' }, 'in.wav', wavBytes, another(wavBytes)],
  ] as const) {
    it(`refuses an entry once ${what} was replaced by another one of the same size`, async () => {
      await write(file, before);
      const accepts = { editImage: { mask: { type: 'file' } } };
      const path = { editImage: 'out.png', speak: 'out.mp3', transcribe: 'out.md' }[entry.operation as 'speak'];
      const { refusal, ...agreed } = await agree({ accepts, assets: { [path]: entry } });
      assert.equal(await refusal(path), undefined);
      await agreed.write(file, after);
      assert.match((await refusal(path)) ?? '', changed);
      await agreed.write(file, before);
      assert.equal(await refusal(path), undefined);
    });
  }

  it('refuses an entry whose model comes from a setting that has changed', async () => {
    let model = 'm';
    const { model: _, ...entry } = picture;
    const { refusal } = await agree({ assets: { 'a.png': entry } }, { modelFor: () => model });
    assert.equal(await refusal('a.png'), undefined);
    model = 'n';
    assert.match((await refusal('a.png')) ?? '', changed);
  });

  it('refuses an entry that would send more', async () => {
    await write('d.md', 'A text.');
    const { refusal, ...agreed } = await agree({ assets: { 'd.mp3': { ...speaker, document: 'd.md' } } });
    await agreed.write('d.md', 'A longer text.');
    assert.match((await refusal('d.mp3')) ?? '', sendsMore);
  });

  const chain = {
    'a.png': picture,
    'a.webp': { from: 'a.png', size: [8, 8] },
    'e.png': { ...edit, images: ['a.webp'] },
  };

  it('agrees to what this run makes on the way, and to nothing that somebody puts in its place', async () => {
    const { refusal, make, ...agreed } = await agree({ assets: chain });
    await agreed.write('a.webp', another(pngBytes));
    assert.match((await refusal('e.png')) ?? '', changed, 'put there before it was made');
    await make('a.png', pngBytes);
    await make('a.webp', pngBytes);
    assert.equal(await refusal('e.png'), undefined);
    await agreed.write('a.webp', another(pngBytes));
    assert.match((await refusal('e.png')) ?? '', changed, 'replaced after it was made');
  });

  it('does not agree to an input that was to be made anew, and that somebody put back instead', async () => {
    const manifest = { assets: { 'a.png': picture, 'e.png': { ...edit, images: ['a.png'] } } };
    await (await agree(manifest)).make('a.png', pngBytes);
    await rm(join(root, 'a.png'));
    const { refusal, ...agreed } = await agree(manifest);
    await agreed.write('a.png', pngBytes);
    assert.match((await refusal('e.png')) ?? '', changed);
  });

  const further = { generateImage: { seed: { type: 'integer' } } };
  const manifest = {
    defaults: { generateImage: { model: 'm', fields: { seed: 1 } } },
    style: 'flat',
    accepts: further,
    assets: chain,
  };
  const of = (assets: object) => ({ ...manifest, assets: { ...chain, ...assets } });
  const { model: _, ...noModel } = picture;
  const withDefault = { ...manifest, assets: { ...chain, 'a.png': noModel } };

  for (const [what, from, to, paths] of [
    ['the prompt of an entry', manifest, of({ 'a.png': { ...picture, prompt: 'b' } }), ['a.png', 'e.png']],
    ['the count of an entry', manifest, of({ 'a.png': { ...picture, variants: 2 } }), ['a.png', 'e.png']],
    ['the inputs of an entry', manifest, of({ 'e.png': edit }), ['e.png']],
    ['the style', manifest, { ...manifest, style: 'round' }, ['a.png', 'e.png']],
    ['a default', withDefault, { ...withDefault, defaults: { generateImage: { model: 'n' } } }, ['a.png', 'e.png']],
    [
      'the default of a further field',
      manifest,
      { ...manifest, defaults: { generateImage: { model: 'm', fields: { seed: 2 } } } },
      ['a.png', 'e.png'],
    ],
    ['how an input is cropped', manifest, of({ 'a.webp': { from: 'a.png', size: [9, 9] } }), ['e.png']],
    ['how an entry itself is cropped', manifest, of({ 'e.png': { ...chain['e.png'], size: [9, 9] } }), []],
    [
      'a default that no entry has',
      manifest,
      { ...manifest, defaults: { ...manifest.defaults, speak: { model: 'n' } } },
      [],
    ],
    ['another entry', manifest, { ...manifest, assets: { 'z.png': picture, ...chain } }, []],
    ['another entry, which has a mistake', manifest, { ...manifest, assets: { 'z.png': {}, ...chain } }, []],
  ] as const) {
    const refused = paths.length === 0 ? 'nothing' : paths.join(' and ');
    it(`refuses ${refused} after the manifest was saved with a change of ${what}`, async () => {
      const { refusal, make } = await agree(from);
      for (const path of ['a.png', 'a.webp']) await make(path, pngBytes);
      await write('media.jsonc', `// A comment moves the lines.\n${JSON.stringify(to)}`);
      for (const path of ['a.png', 'e.png']) {
        const isRefused = paths.some((one) => one === path);
        const sentence = await refusal(path);
        assert.match(sentence ?? '-', isRefused ? changed : /^-$/, path);
      }
    });
  }

  it('says so when an entry was removed, or the manifest can no longer be read', async () => {
    const { refusal } = await agree({ assets: { 'a.png': picture } });
    await write('media.jsonc', JSON.stringify({ assets: { 'b.png': picture } }));
    assert.equal(await refusal('a.png'), 'Not sent: its entry was removed from media.jsonc since you agreed.');
    await write('media.jsonc', '{"assets": {"a.p');
    assert.match((await refusal('a.png')) ?? '', /media\.jsonc has changed since you agreed, and there is a mistake/);
    await rm(join(root, 'media.jsonc'));
    assert.match((await refusal('a.png')) ?? '', /media\.jsonc is no longer there/);
  });

  const request = { model: 'm', prompt: 'a', n: 1, output_format: 'url' } as const;
  const sending = { operation: 'generateImage', request } as const;

  it('counts each request, and refuses the first one that nobody agreed to', async () => {
    const { send } = await agree({ assets: { 'a.png': { ...picture, variants: 2 }, 'b.png': picture } });
    await assert.rejects(send('a.png', { ...sending, request: { ...request, n: 3 } }), sendsMoreError);
    await send('a.png', { ...sending, request: { ...request, n: 2 } });
    await assert.rejects(send('a.png', sending), sendsMoreError);
    await send('b.png', sending);
  });

  it('counts the requests of a run, also those of a recording in parts, whose minutes count once', async () => {
    await write('in.wav', wavBytes);
    const transcribe = { operation: 'transcribe', model: 'm', file: 'in.wav' } as const;
    const { send } = await agree({ assets: { 'out.md': transcribe } }, { maxRequests: 2 });
    const part = { operation: 'transcribe', request: { model: 'm', file: join(root, 'part.wav') } } as const;
    await send('out.md', part);
    await send('out.md', part);
    await assert.rejects(send('out.md', part), { message: limited });
  });

  it('compares the manifest at each request', async () => {
    const { send } = await agree({ assets: { 'a.png': picture } });
    await write('media.jsonc', JSON.stringify({ assets: { 'a.png': { ...picture, prompt: 'b' } } }));
    await assert.rejects(send('a.png', sending), (error) => error instanceof NotAgreed && changed.test(error.message));
  });
});

function sendsMoreError(error: unknown): boolean {
  return error instanceof NotAgreed && sendsMore.test(error.message);
}
