// A window of the editor on the project of a schedule: recovers, runs its own works and the manifest's, prints what
// became of them, and ends: node editorProcess.mjs '<EditorTask as JSON>'
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import { Library } from '../../src/library/Library.ts';
import { applyAssets, type EntryReport } from '../../src/manifest/applyAssets.ts';
import { ManifestProject } from '../../src/manifest/ManifestProject.ts';
import { MediaError } from '../../src/operations/MediaError.ts';
import type { PlaceReference } from '../../src/work/Job.ts';
import { narrateWith } from '../support/narrateDocument.ts';
import { type EditorOptions, openEditor, type ShownJob } from './paidWork.ts';
import { notes } from './works.ts';

export interface EditorTask extends EditorOptions {
  /** Prompt of a picture to make; each is asked for once. */
  readonly prompt: string | undefined;
  readonly narrates: boolean;
  readonly transcribes: boolean;
  readonly applies: boolean;
  /** Whether the person agrees to pay again for what is unknown. */
  readonly again: boolean;
  /** Whether the person clears the list at the end. */
  readonly tidies: boolean;
}

export interface EditorResult {
  readonly reports: readonly Omit<EntryReport, 'error'>[];
  readonly shown: readonly ShownJob[];
  /** Works of the editor's own that are complete. */
  readonly done: readonly string[];
  readonly failures: readonly string[];
}

const task = JSON.parse(process.argv[2] ?? '{}') as EditorTask;
const { root, rootUri, again } = task;
const abort = new AbortController();
// A person cancels what runs. SIGTERM ends a window without a word.
process.once('SIGINT', () => abort.abort());
await using editor = await openEditor(task);
const running = { signal: abort.signal, onNotice: () => undefined, onProgress: () => undefined };
const done: string[] = [];
const failures: string[] = [];
const reports: Omit<EntryReport, 'error'>[] = [];

await Promise.all([
  attempt('plain', makePicture),
  attempt('notes', narrate),
  attempt('call', transcribe),
  attempt('apply', apply),
]);
if (task.tidies) {
  await editor.saveWaiting();
  await editor.tidy();
}
process.stdout.write(JSON.stringify({ reports, shown: editor.shown(), done, failures } satisfies EditorResult));

async function attempt(name: string, work: () => Promise<boolean>): Promise<void> {
  try {
    if (await work()) done.push(name);
  } catch (error) {
    const isExpected = error instanceof MediaError || abort.signal.aborted;
    failures.push(`${name}: ${isExpected ? String(error) : (error as Error).stack}`);
  }
}

function placeAt(path: string, transcriptFormat: PlaceReference['transcriptFormat'] = 'markdown'): PlaceReference {
  return { root: rootUri, path, fileName: '${prompt}', transcriptFormat };
}

async function makePicture(): Promise<boolean> {
  const { prompt } = task;
  if (prompt === undefined) return false;
  const request = { model: 'm', prompt, n: 1, output_format: 'url' } as const;
  await editor.run({ operation: 'generateImage', request, place: placeAt('media/images'), sandbox: false }, running);
  return true;
}

async function narrate(): Promise<boolean> {
  const document = 'notes.md';
  if (!task.narrates) return false;
  await narrateWith(editor, { root, rootUri, texts: notes, document, signal: abort.signal, again });
  return true;
}

async function transcribe(): Promise<boolean> {
  const file = join(root, 'call.wav');
  if (!task.transcribes) return false;
  const transcripts = await readdir(join(root, 'media/transcripts')).catch(() => []);
  if (transcripts.some((name) => name.endsWith('.md'))) return true;
  await editor.run(
    { operation: 'transcribe', request: { model: 'm', file }, place: placeAt('media/transcripts'), sandbox: false },
    { ...running, again },
  );
  return true;
}

async function apply(): Promise<boolean> {
  if (!task.applies) return false;
  const library = new Library(new LocalFolder(join(root, '.unified-media'), root));
  const project = await ManifestProject.open(join(root, 'media.jsonc'), { root, library, store: editor.runner.store });
  await applyAssets(project, {
    ...editor.forManifests,
    again: false,
    sandbox: false,
    speechMaxCharacters: editor.forManifests.limits.speechMaxCharacters,
    ...running,
    checkReady: async () => undefined,
    confirm: async () => true,
    onReport: ({ error: _, ...report }) => reports.push(report),
  });
  return true;
}
