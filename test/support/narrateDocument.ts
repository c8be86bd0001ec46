import { posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Folder } from '../../src/library/Folder.ts';
import { hasFile } from '../../src/library/hasFile.ts';
import { Library } from '../../src/library/Library.ts';
import { LocalFolder } from '../../src/library/LocalFolder.ts';
import { makeNarration } from '../../src/narration/makeNarration.ts';
import { readNarrations } from '../../src/narration/readNarrations.ts';
import type { SavedNarration } from '../../src/narration/saveNarration.ts';
import { jobRunnerAt } from './jobRunner.ts';
import { blocksOf, speakerOf } from './narrations.ts';

export interface DocumentOptions {
  readonly host: string;
  /** The workspace folder. */
  readonly root: string;
  /** The extension's storage folder. */
  readonly storage: string;
  readonly texts: readonly string[];
  readonly kind?: string;
  /** Path relative to the root; `docs/guide.md` unless set. */
  readonly document?: string;
  /** Called before each block is spoken. */
  onBlock?(index: number): void;
  folderAt?(path: string, root: string): Folder;
}

/** Narrates a document into `media`, as a newly opened window does. */
export async function narrateDocument({
  host,
  root,
  storage,
  texts,
  kind = 'mp3',
  document = 'docs/guide.md',
  onBlock = () => undefined,
  folderAt = (path, top) => new LocalFolder(path, top),
}: DocumentOptions): Promise<SavedNarration> {
  await using jobs = jobRunnerAt(host, { root, journal: posix.join(storage, 'jobs') });
  await jobs.recover();
  const folder = folderAt(posix.join(root, 'media'), root);
  const library = new Library(new LocalFolder(posix.join(root, '.unified-media'), root));
  const all = await readNarrations(library);
  const own = all.filter((narration) => narration.document === document).toReversed();
  const isTrue = await Promise.all(own.map(({ file, ...content }) => hasFile(folder, posix.basename(file), content)));
  const reference = {
    root: pathToFileURL(root).href,
    path: 'media',
    fileName: '${prompt}',
    transcriptFormat: 'markdown',
  } as const;
  const nothing = () => undefined;
  return await makeNarration(
    {
      uri: pathToFileURL(posix.join(root, document)).href,
      document,
      name: posix.basename(document, '.md'),
      speaker: speakerOf(kind),
      sandbox: false,
      blocks: blocksOf(texts, kind),
      own,
      current: own.find((_, index) => isTrue[index]),
      reference,
      place: { folder, library, recordedName: (name) => `media/${name}` },
    },
    {
      runner: jobs.runner,
      jobs: jobs.jobs,
      partsFolder: posix.join(storage, 'speech'),
      signal: new AbortController().signal,
      onProgress: nothing,
      onNotice: nothing,
      onBlock,
    },
  );
}
