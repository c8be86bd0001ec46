import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { convertPicture } from '../../../src/images/transformImage.ts';
import { Library } from '../../../src/library/Library.ts';
import { inOnePiece } from '../../../src/library/saveMedia.ts';
import { saveAsset } from '../../../src/work/saveAsset.ts';
import { credentialFiles, manifestStore } from '../../support/markedFiles.ts';
import { pngBytes } from '../../support/mediaBytes.ts';

const composite = 'compositeWithTrainedAlgorithmicMedia';

describe('saveAsset, of marks of origin', () => {
  let root: string;
  let library: Library;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'save-asset-'));
    library = new Library(new LocalFolder(join(root, '.unified-media'), root));
    await library.check();
  });
  afterEach(() => rm(root, { recursive: true }));

  const place = () => ({ folder: new LocalFolder(root, root), library, recordedName: (name: string) => name });
  const job = (exactName?: string) => ({
    id: 'job-1',
    key: 'job-1',
    operation: 'editImage' as const,
    request: { model: 'm', prompt: 'p', image_urls: ['x'], n: 1, output_format: 'url' },
    inputs: [{ field: 'image_urls', sha256: 'photograph' }],
    place: { root, path: '', fileName: 'a', transcriptFormat: 'markdown' as const, exactName },
    sandbox: false,
    createdAt: new Date(0).toISOString(),
  });
  const none = { id: undefined, usage: undefined };
  const picture = credentialFiles(manifestStore(''))['PNG caBX'] ?? Buffer.alloc(0);

  async function marksOf(asset: object): Promise<readonly unknown[]> {
    assert(!('marks' in asset || 'credentials' in asset), 'the asset of a command is as it was');
    const [entry] = await library.entries();
    return [entry?.credentials, entry?.digitalSourceType];
  }

  it('records what arrived', async () => {
    const asset = await saveAsset({ index: 0, open: () => inOnePiece(picture) }, job(), none, { place: place() });
    assert.deepEqual(await marksOf(asset), [['c2pa'], undefined]);
  });

  it('records what a conversion to the name that was asked for lost, and marks the edit of a photograph', async () => {
    const target = { place: place(), convert: convertPicture };
    const asset = await saveAsset({ index: 0, open: () => inOnePiece(picture) }, job('hero.jpg'), none, target);
    assert.match(asset.uri, /hero\.jpg$/);
    assert.deepEqual(await marksOf(asset), ['lost', composite]);
  });

  it('records it, too, after a crash between the name and the record', async () => {
    await writeFile(join(root, 'hero.png'), pngBytes);
    const sha256 = createHash('sha256').update(pngBytes).digest('hex');
    const facts = { name: 'hero.png', bytes: pngBytes.length, sha256, mediaType: 'image/png' };
    const begun = { ...facts, marks: { credentials: 'lost', digitalSourceType: composite } as const };
    const asset = await saveAsset({ index: 0, open: () => inOnePiece(picture) }, job(), none, {
      place: place(),
      begun,
    });
    assert.deepEqual(await marksOf(asset), ['lost', composite]);
  });
});
