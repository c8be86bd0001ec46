import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { decodePicture } from '../../../src/images/codecs/decodePicture.ts';
import { encodePng } from '../../../src/images/codecs/encodePicture.ts';
import { marksIn } from '../../../src/marks/readMarks.ts';
import { bodyOf, type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { manifestStore } from '../../support/markedFiles.ts';
import { pngChunk } from '../../support/mediaBytes.ts';
import { jpegFile } from '../../support/pictureFiles.ts';
import { Repository } from '../../support/repository.ts';

const [trained, composite] = ['trainedAlgorithmicMedia', 'compositeWithTrainedAlgorithmicMedia'];

describe('the marks of origin of assets', () => {
  let service: HttpServer;
  let picture: Buffer;
  /** Whether the service's pictures have Content Credentials. */
  let hasCredentials = true;

  before(async () => {
    const png = encodePng(await decodePicture(jpegFile, { maxPixels: 10_000 }));
    picture = Buffer.concat([png.subarray(0, 33), pngChunk('caBX', manifestStore('')), png.subarray(33)]);
    service = await startHttpServer(async (request, response) => {
      await bodyOf(request);
      const b64_json = Buffer.from(hasCredentials ? picture : png).toString('base64');
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: [{ b64_json }] }));
    });
  });
  beforeEach(() => (hasCredentials = true));
  after(() => service[Symbol.asyncDispose]());

  const made = { operation: 'generateImage', prompt: 'a', model: 'm' };
  const edited = { operation: 'editImage', prompt: 'b', model: 'm' };

  async function repositoryOf(assets: Readonly<Record<string, object>>): Promise<Repository> {
    const repository = await Repository.make(service.origin, { 'photograph.jpg': jpegFile });
    await repository.declare(assets);
    const { code, stdout } = await repository.run(['apply', '--yes']);
    assert.equal(code, 0, stdout);
    return repository;
  }

  const marksAt = async ({ root }: Repository, path: string) => marksIn(await readFile(join(root, path)));

  const linesOf = async (repository: Repository, path: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    (await repository.read(path))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

  it('stay in what is saved as it came, and are written where a picture is made anew', async () => {
    await using repository = await repositoryOf({
      'plain.png': made,
      'small.png': { ...made, size: [20, 10] },
      'small.webp': { from: 'plain.png', size: [20, 20] },
      'edit.jpg': { ...edited, images: ['photograph.jpg'] },
      'edit of made.jpg': { ...edited, images: ['plain.png'] },
      'thumb.jpg': { from: 'photograph.jpg', size: [10, 10] },
      'thumb of edit.png': { from: 'edit.jpg' },
    });
    assert.deepEqual(await readFile(join(repository.root, 'plain.png')), picture);
    const found = Object.fromEntries(
      await Promise.all(
        (await linesOf(repository, 'media.lock.jsonl')).map(async ({ path, credentials }) => {
          const { kinds, source } = await marksAt(repository, String(path));
          return [path, [kinds.join(), source, credentials]];
        }),
      ),
    );
    assert.deepEqual(found, {
      'plain.png': ['c2pa', undefined, undefined],
      'small.png': ['iptc', trained, 'lost'],
      'small.webp': ['iptc', trained, 'lost'],
      'edit.jpg': ['iptc', composite, 'lost'],
      'edit of made.jpg': ['iptc', trained, 'lost'],
      'thumb.jpg': ['', undefined, undefined],
      'thumb of edit.png': ['iptc', composite, undefined],
    });
    const library = await linesOf(repository, '.unified-media/library.jsonl');
    assert.deepEqual(
      library.filter(({ jobId }) => jobId !== undefined).map(({ credentials }) => credentials),
      [['c2pa'], ['c2pa'], ['c2pa'], ['c2pa']],
    );
    const marks = library.find(({ file, moved }) => moved !== undefined && file === 'small.png')?.marks;
    assert.deepEqual(marks, { credentials: 'lost', digitalSourceType: trained });
    assert.equal((await repository.run(['check'])).code, 0);
  });

  it('do not make an asset stale that was made before them, also when it is made again', async () => {
    await using repository = await repositoryOf({
      'plain.png': made,
      'small.png': { from: 'plain.png', size: [20, 20] },
    });
    const [plain = {}, small = {}] = await linesOf(repository, 'media.lock.jsonl');
    // As an earlier version made it: the same pixels without a mark.
    const file = await readFile(join(repository.root, 'small.png'));
    const unmarked = Buffer.concat([file.subarray(0, 33), file.subarray(33 + 12 + file.readUInt32BE(33))]);
    assert.deepEqual(marksIn(unmarked).kinds, []);
    const { credentials: _, ...line } = small;
    const output = createHash('sha256').update(unmarked).digest('hex');
    const lock = `${JSON.stringify(plain)}\n${JSON.stringify({ ...line, output })}\n`;
    await repository.write({ 'small.png': unmarked, 'media.lock.jsonl': lock });
    assert.equal((await repository.run(['check'])).code, 0);
    await unlink(join(repository.root, 'small.png'));
    assert.equal((await repository.run(['apply'])).code, 0);
    assert.deepEqual(await readFile(join(repository.root, 'small.png')), unmarked);
    // Without a line nothing holds it.
    await unlink(join(repository.root, 'small.png'));
    await repository.write({ 'media.lock.jsonl': `${JSON.stringify(plain)}\n` });
    assert.equal((await repository.run(['apply'])).code, 0);
    assert.deepEqual(await readFile(join(repository.root, 'small.png')), file);
  });

  it('are missed by check --provenance, which warns only', async () => {
    hasCredentials = false;
    await using repository = await repositoryOf({
      'plain.png': made,
      'small.png': { ...made, size: [20, 10] },
      'thumb.jpg': { from: 'photograph.jpg', size: [10, 10] },
      'own.png': made,
    });
    await repository.write({ 'own.png': jpegFile });
    await repository.run(['accept', 'own.png']);
    const text = await repository.run(['check', '--provenance']);
    assert.equal(text.code, 0);
    assert.match(
      text.stdout,
      /^unmarked plain\.png {2}generated, but the file does not say so\n1 generated asset has no/m,
    );
    assert.equal(text.stdout.split('unmarked ').length, 2);
    const json = await repository.run(['check', '--provenance', '--json']);
    assert.deepEqual((JSON.parse(json.stdout) as { unmarked: unknown }).unmarked, ['plain.png']);
    assert(!('unmarked' in (JSON.parse((await repository.run(['check', '--json'])).stdout) as object)));
    const github = await repository.run(['check', '--provenance', '--format', 'github']);
    assert.match(github.stdout, /^::warning file=\S*media\.jsonc,line=\d+::plain\.png: generated, but/);
    assert.match((await repository.run(['check', '--provenance', '--markdown'])).stdout, /^- `plain\.png`$/m);
    assert.match((await repository.run(['plan', '--provenance'])).stderr, /plan does not take --provenance/);
    await rm(join(repository.root, 'plain.png'));
    assert(!(await repository.run(['check', '--provenance'])).stdout.includes('unmarked'));
  });
});
