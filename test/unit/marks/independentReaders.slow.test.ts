import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markPicture } from '../../../src/images/markPicture.ts';
import { transformImage } from '../../../src/images/transformImage.ts';
import { digitalSources } from '../../../src/marks/DigitalSource.ts';
import { marksOf } from '../../../src/marks/readMarks.ts';
import { findProgram, itWith } from '../../support/findProgram.ts';
import { joinWith } from '../../support/joinParts.ts';
import { composite, trained } from '../../support/markedFiles.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { samplesOf, soundOf } from '../../support/narrations.ts';
import { jpegFile, transparentWebpFile, webpFile } from '../../support/pictureFiles.ts';

const addresses = { trainedAlgorithmicMedia: trained, compositeWithTrainedAlgorithmicMedia: composite };

describe('what we write is read by others', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'readers-'))));
  after(() => rm(folder, { recursive: true }));

  async function saved(name: string, bytes: Uint8Array): Promise<string> {
    await writeFile(join(folder, name), bytes);
    return join(folder, name);
  }

  itWith('exiftool', 'in pictures', async (exiftool) => {
    const expected = [];
    for (const [index, from] of [jpegFile, transparentWebpFile].entries()) {
      for (const format of ['png', 'jpeg', 'webp'] as const) {
        const file = await transformImage(from, { format, width: 40 });
        for (const mark of digitalSources) {
          const SourceFile = await saved(`${index} ${mark}.${format}`, markPicture(file, mark).bytes);
          expected.push({ SourceFile, DigitalSourceType: addresses[mark], ImageWidth: 40, Validate: 'OK' });
        }
      }
    }
    const paths = expected.map(({ SourceFile }) => SourceFile);
    const tags = ['-XMP-iptcExt:DigitalSourceType#', '-ImageWidth', '-validate', '-warning', '-error'];
    assert.deepEqual(JSON.parse(execFileSync(exiftool, ['-json', ...tags, ...paths], { encoding: 'utf8' })), expected);
  });

  itWith('ffprobe', 'in sound, and in pictures without harm', async (ffprobe) => {
    const probe = (path: string) =>
      JSON.parse(
        execFileSync(ffprobe, ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', path], {
          encoding: 'utf8',
        }),
      ) as { format: { tags?: Readonly<Record<string, string>>; duration: string }; streams: { width?: number }[] };
    const mark = 'trainedAlgorithmicMedia';
    for (const kind of ['mp3', 'wav'] as const) {
      const parts = [soundOf(kind, 'One, two, three.'), soundOf(kind, 'Four.')];
      const [plain, marked] = [await joinWith(kind, {}, ...parts), await joinWith(kind, { mark }, ...parts)];
      const [before, after] = [
        probe(await saved(`plain.${kind}`, plain)),
        probe(await saved(`marked.${kind}`, marked)),
      ];
      assert(
        Object.values(after.format.tags ?? {}).some((value) => value.includes(trained)),
        JSON.stringify(after),
      );
      assert.equal(after.format.duration, before.format.duration);
      assert(marked.includes(samplesOf(kind, 'Four.')));
    }
    const picture = markPicture(await transformImage(transparentWebpFile, { format: 'webp', width: 30 }), mark);
    assert.equal(probe(await saved('marked.webp', picture.bytes)).streams[0]?.width, 30);
    const exiftool = findProgram('exiftool');
    if (!exiftool) return;
    const tags = execFileSync(exiftool, ['-s', join(folder, 'marked.mp3')], { encoding: 'utf8' });
    assert(tags.includes(trained), tags);
    assert(
      execFileSync(exiftool, ['-s3', '-Comment', join(folder, 'marked.wav')], { encoding: 'utf8' }).includes(trained),
    );
  });

  itWith('exiftool', 'and what others write in pictures and videos is read by us', async (exiftool) => {
    const video = await readFile('test/support/credentials/video.mp4');
    const sources = { 'b.png': pngBytes, 'b.jpg': jpegFile, 'b.webp': webpFile, 'b.mp4': video };
    for (const [name, bytes] of Object.entries(sources)) {
      const path = await saved(name, bytes);
      execFileSync(exiftool, ['-q', '-overwrite_original', `-XMP-iptcExt:DigitalSourceType=${trained}`, path]);
      const { kinds, source } = await marksOf(path);
      assert(kinds.includes('iptc'), name);
      assert.equal(source, 'trainedAlgorithmicMedia', name);
    }
  });
});
