import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import { hashOf } from '../../src/files/sha256.ts';
import { Library } from '../../src/library/Library.ts';
import { narrationBlocks } from '../../src/wholes/NarrationBlock.ts';
import { recordNarration } from '../../src/wholes/recordNarration.ts';

/** Writes `guide.mp3`, which is no sound, and records it as the narration of these texts in `guide.md`. */
export async function recordAsNarration(
  root: string,
  texts: readonly string[],
  { sandbox = false, content = texts.join('') } = {},
): Promise<void> {
  await writeFile(join(root, 'guide.mp3'), content);
  const speaker = { model: 'm', voice: 'nova', response_format: 'mp3' };
  const written = texts.map((text) => ({ text }));
  const blocks = narrationBlocks(written, speaker, { sandbox, maxCharacters: 4096 });
  await recordNarration(
    {
      ...{ document: 'guide.md', documentHash: undefined, speaker, fields: undefined, sandbox, kind: 'mp3', marks: {} },
      ...{ bytes: content.length, sha256: hashOf(content), transcript: 'WEBVTT\n' },
      blocks: blocks.map(({ key }, index) => ({ key, start: index, end: index + 1 })),
    },
    {
      folder: new LocalFolder(root, root),
      library: new Library(new LocalFolder(join(root, '.unified-media'), root)),
      recordedName: (name) => name,
    },
    { name: 'guide.mp3', cues: 'guide', states: [], replaced: undefined },
  );
}
