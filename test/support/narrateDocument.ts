import { posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Folder, hasFile } from '../../src/files/Folder.ts';
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import { hashOf } from '../../src/files/sha256.ts';
import { Library } from '../../src/library/Library.ts';
import { makeNarration, type SavedNarration } from '../../src/wholes/makeNarration.ts';
import { readNarrations } from '../../src/wholes/planNarration.ts';
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
  /** Whether a person has agreed to send again what may be billed. */
  readonly again?: boolean;
  readonly sandbox?: boolean;
  /** How many blocks are spoken at a time. Default: one, so that a test knows their order. */
  readonly atOnce?: number;
  /** Called after the narration is planned. */
  readonly beforeRun?: () => Promise<unknown>;
  /** Called before each block is spoken. */
  onBlock?(index: number): void;
  folderAt?(path: string, root: string): Folder;
}

/** Narrates a document into `media`, as a newly opened window does. */
export async function narrateDocument({ host, atOnce = 1, ...options }: DocumentOptions): Promise<SavedNarration> {
  const { root, storage } = options;
  await using jobs = jobRunnerAt(host, { root, journal: posix.join(storage, 'work') }, atOnce);
  await jobs.recover();
  return await narrateWith(jobs, { ...options, rootUri: pathToFileURL(root).href });
}

interface NarrateOptions extends Omit<DocumentOptions, 'host' | 'storage' | 'atOnce'> {
  /** The workspace folder, spelled as the window does. */
  readonly rootUri: string;
  readonly signal?: AbortSignal;
}

/** Narrates a document into `media`, as a window does. */
export async function narrateWith(
  jobs: Pick<ReturnType<typeof jobRunnerAt>, 'runner'>,
  {
    root,
    rootUri,
    texts,
    kind = 'mp3',
    document = 'docs/guide.md',
    again = false,
    sandbox = false,
    beforeRun = async () => undefined,
    onBlock = () => undefined,
    folderAt = (path, top) => new LocalFolder(path, top),
    signal = new AbortController().signal,
  }: NarrateOptions,
): Promise<SavedNarration> {
  const folder = folderAt(posix.join(root, 'media'), root);
  const library = new Library(new LocalFolder(posix.join(root, '.unified-media'), root));
  const all = await readNarrations(library);
  const own = all.filter((narration) => narration.document === document).toReversed();
  const isTrue = await Promise.all(own.map(({ file, ...content }) => hasFile(folder, posix.basename(file), content)));
  const reference = {
    root: rootUri,
    path: 'media',
    fileName: '${prompt}',
    transcriptFormat: 'markdown',
  } as const;
  await beforeRun();
  return await makeNarration(
    {
      uri: `${rootUri}/${document}`,
      document,
      documentHash: hashOf(texts),
      name: posix.basename(document, '.md'),
      speaker: speakerOf(kind),
      sandbox,
      blocks: blocksOf(texts, kind),
      own,
      current: own.find((_, index) => isTrue[index]),
      reference,
      place: { folder, library, recordedName: (name) => `media/${name}` },
    },
    jobs.runner,
    {
      signal,
      onProgress: (progress) => {
        if (progress.stage === 'speaking') onBlock(progress.paragraph - 1);
      },
      onNotice: () => undefined,
      again,
    },
  );
}
