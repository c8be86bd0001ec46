import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { askedTable } from '../../../src/manifest/askedTable.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { Store } from '../../../src/work/Store.ts';
import { pngBytes } from '../../support/mediaBytes.ts';

describe('the table of what apply asks about', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'asked-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function tableOf(assets: Readonly<Record<string, object>>, more: object = {}): Promise<readonly string[]> {
    await writeFile(join(root, 'media.jsonc'), JSON.stringify({ ...more, assets }));
    const project = await ManifestProject.open(join(root, 'media.jsonc'), {
      root,
      library: libraryIn(root),
      store: new Store(join(root, 'work')),
    });
    const { evaluated } = await planAssets(project, { sandbox: false, speechMaxCharacters: 4096 });
    const asked = evaluated.flatMap((found) => {
      const { entry, quantities } = found;
      const isSent = entry.type === 'request' && quantities.requests > 0;
      return isSent ? [{ path: entry.path, operation: entry.operation, found, facts: [] }] : [];
    });
    return askedTable(asked, 'en');
  }

  const picture = { operation: 'generateImage', model: 'm', prompt: 'a harbour '.repeat(99) };

  it('says of each file why, how much, and which file is sent or how many (promise 33)', async () => {
    await writeFile(join(root, 'in.png'), pngBytes);
    await writeFile(join(root, 'stale.png'), 'made');
    await writeFile(join(root, 'guide.md'), 'One.\n\nTwo two.');
    const output = createHash('sha256').update('made').digest('hex');
    const lock = ['stale.png', 'gone.png'].map((path) => ({ path, request: '0'.repeat(64), output, inputs: {} }));
    await writeFile(join(root, 'media.lock.jsonl'), lock.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const edit = { operation: 'editImage', model: 'm', prompt: 'e' };
    const rows = await tableOf(
      {
        'new.png': { ...picture, variants: 3 },
        'stale.png': picture,
        'gone.png': picture,
        'one.png': { ...edit, images: ['in.png'] },
        'two.png': { ...edit, images: ['in.png', 'new.png'], fields: { background: 'opaque' } },
        'copy.webp': { from: 'in.png' },
        'guide.mp3': { operation: 'speak', model: 'm', voice: 'nova', document: 'guide.md' },
      },
      { accepts: { preset: 'openai' } },
    );
    assert.deepEqual(rows, [
      'new.png · new · 1 request, 3 images',
      'stale.png · model changed, prompt changed, variants changed, output_form… · 1 request, 1 image',
      'gone.png · missing · 1 request, 1 image',
      'one.png · new · 1 request, 1 image · sends in.png',
      'two.png · new · 1 request, 1 image · sends 2 files, 1 further field',
      'guide.mp3 · new · 2 requests, 12 characters · sends guide.md',
    ]);
  });

  it('has at most ten lines, the last of which counts the others and what they send (promise 33)', async () => {
    await writeFile(join(root, 'in.png'), pngBytes);
    const pictures = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}.png`, picture]));
    assert.equal((await tableOf(pictures(10))).length, 10);
    const edit = { operation: 'editImage', model: 'm', prompt: 'e', images: ['in.png'] };
    const rows = await tableOf({ ...pictures(21), 'night.png': edit, 'day.png': edit });
    assert.equal(rows.length, 10);
    assert.equal(rows[8], '8.png · new · 1 request, 1 image');
    assert.equal(rows[9], 'and 14 more · 14 requests, 14 images · sends 2 files');
  });

  it('shows the end of a long path', async () => {
    const folder = 'a-long-name-of-a-folder/'.repeat(4);
    await mkdir(join(root, folder), { recursive: true });
    await writeFile(join(root, folder, 'in.png'), pngBytes);
    const edit = { operation: 'editImage', model: 'm', prompt: 'e', images: [`${folder}in.png`] };
    const [row = ''] = await tableOf({ [`${folder}out.png`]: edit });
    assert.match(row, /^….{52}out\.png · new · 1 request, 1 image · sends ….{53}in\.png$/);
  });
});
