import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { applyTitle } from '../../../src/manifest/applyTitle.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { Store } from '../../../src/work/Store.ts';

describe('applyTitle', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'titles-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function titlesOf(assets: Readonly<Record<string, object>>): Promise<Readonly<Record<string, string>>> {
    const file = join(root, 'media.jsonc');
    await writeFile(file, JSON.stringify({ assets }));
    const project = await ManifestProject.open(file, {
      root,
      library: libraryIn(root),
      store: new Store(join(root, 'work')),
    });
    const { evaluated } = await planAssets(project, { sandbox: false, speechMaxCharacters: 10 });
    return Object.fromEntries(evaluated.map((found) => [found.entry.path, applyTitle(found, evaluated)]));
  }

  const picture = { operation: 'generateImage', model: 'm', prompt: 'a harbour' };

  it('says what an entry costs, and what its sources cost', async () => {
    const titles = await titlesOf({
      'hero.png': picture,
      'hero.webp': { from: 'hero.png' },
      'small.webp': { from: 'hero.webp', size: [8, 8] },
      'night.png': { operation: 'editImage', model: 'm', prompt: 'at night', images: ['hero.png'] },
      'both.png': { operation: 'editImage', model: 'm', prompt: 'side by side', images: ['night.png', 'hero.png'] },
      'long.mp3': { operation: 'speak', model: 'm', input: 'First sentence. Second sentence.' },
    });
    assert.deepEqual(titles, {
      'hero.png': 'Generate (1 request)',
      'hero.webp': 'Make (free) with its source (1 request)',
      'small.webp': 'Make (free) with its source (1 request)',
      'night.png': 'Generate (1 request) with its source (1 request)',
      'both.png': 'Generate (1 request) with its sources (2 requests)',
      'long.mp3': titles['long.mp3'],
    });
    assert.match(titles['long.mp3'] ?? '', /^Generate \([2-9] requests\)$/);
  });

  it('names only sources that are made as well', async () => {
    await writeFile(join(root, 'photo.png'), 'kept');
    const titles = await titlesOf({
      'photo.webp': { from: 'photo.png' },
      'photo-small.webp': { from: 'photo.webp', size: [8, 8] },
    });
    assert.deepEqual(titles, {
      'photo.webp': 'Make (free)',
      'photo-small.webp': 'Make (free) with its source (free)',
    });
  });
});
