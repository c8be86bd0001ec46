import { sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import { extensionOf, outputExtensions } from '../operations/operations.ts';
import { holdManifest } from './applyAssets.ts';
import { type Evaluated, Evaluation, type PlanOptions } from './Evaluation.ts';
import { type FinishOptions, finishAsset } from './finishAsset.ts';
import type { LockLine } from './Lock.ts';
import { type Entry, keyOf } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import { isSameButText } from './spokenLines.ts';
import { takeOver } from './takeOver.ts';

/**
 * Locks files as they are, so that each counts as fresh for its current entry. They are marked as accepted, because they
 * may be a person's own work. Of a narration, what was spoken is locked: paragraphs that have changed since stay out of
 * date. Nothing is sent.
 *
 * @throws MediaError `invalidInput` before anything is locked, for a path without an entry or a missing file
 */
export async function acceptAssets(
  project: ManifestProject,
  paths: readonly string[],
  options: PlanOptions,
): Promise<readonly string[]> {
  await using _ = await holdManifest(project);
  await settle(project);
  const found = await Promise.all(paths.map((path) => evaluatedAt(project, path, { ...options, seesWork: true })));
  const lines = await Promise.all(found.map((one) => acceptedLine(project, one, options)));
  for (const line of lines) await project.changeLock(line.path, line);
  return lines.map(({ path }) => path);
}

/**
 * Locks the narration that the editor has just made of an entry's document. Nothing is sent.
 *
 * @returns whether that was done; not if the entry has another voice, model or document, or the file was changed by hand
 * @throws MediaError as {@link acceptAssets}
 */
export async function lockNarration(project: ManifestProject, path: string, options: PlanOptions): Promise<boolean> {
  await using _ = await holdManifest(project);
  await settle(project);
  const { entry, line, output } = await evaluatedAt(project, path, { ...options, seesWork: true });
  if (!line?.blocks || line.output !== output) return false;
  if (project.lock.get(keyOf(entry.path)) !== line) await project.changeLock(entry.path, line);
  return true;
}

async function acceptedLine(
  project: ManifestProject,
  found: Evaluated,
  options: Pick<PlanOptions, 'sandbox'>,
): Promise<LockLine> {
  const { entry, output, line, origin, local, problem, pending, narration } = found;
  if (output === undefined) {
    throw new MediaError('invalidInput', l10n.t('{0} does not exist, so it cannot be accepted.', entry.path));
  }
  if (problem) throw new MediaError('invalidInput', `${entry.path}: ${problem.sentence}`, { field: problem.field });
  const [input] = pending;
  if (input !== undefined) {
    const sentence = l10n.t('{0} cannot be accepted yet. Make or accept its input {1} first.', entry.path, input);
    throw new MediaError('invalidInput', sentence);
  }
  const records = await project.library.entriesAt([project.recorded(entry.path)]);
  const made = records.findLast(({ sha256 }) => sha256 === output);
  const isSample = line?.output === output ? line.sandbox : made?.sandbox;
  if (isSample && !options.sandbox) {
    const sentence = l10n.t('{0} is a sample of the sandbox. Apply makes it with your service.', entry.path);
    throw new MediaError('invalidInput', sentence);
  }
  const isSpoken = line?.blocks && line.output === output;
  if (isSpoken && narration && isSameButText(narration, line, origin)) return { ...line, accepted: true };
  const isVideo =
    entry.type === 'request' &&
    (line?.videoId !== undefined || outputExtensions.videos.includes(extensionOf(entry.path)));
  const known = isVideo ? records.at(-1) : undefined;
  const videoId = line?.videoId ?? known?.videoId;
  // Only the sandbox can remix videos that it made.
  const isOfSandbox = videoId !== undefined && (line?.videoId === undefined ? known?.sandbox : line.sandbox) === true;
  const sandbox = isOfSandbox || isSample;
  const { request } = origin;
  return {
    path: entry.path,
    request,
    inputs: origin.inputs,
    local,
    output,
    videoId,
    sandbox: sandbox || undefined,
    credentials: line?.output === output ? line.credentials : undefined,
    accepted: true,
  };
}

/**
 * Replaces an asset by another variant. Nothing is sent.
 *
 * @param number starts at 1
 * @throws MediaError `invalidInput` if the variant is not on this computer, or the file was changed by hand
 */
export async function chooseVariant(
  project: ManifestProject,
  path: string,
  number: number,
  options: PlanOptions & FinishOptions,
): Promise<void> {
  await using _ = await holdManifest(project);
  await settle(project);
  let found = await evaluatedAt(project, path, options);
  if (found.renamedFrom && !found.absence) {
    await takeOver(project, found, found.renamedFrom);
    found = await evaluatedAt(project, path, options);
  }
  const { entry, state } = found;
  if (state === 'changed' || state === 'unlocked') {
    throw new MediaError('invalidInput', l10n.t('{0} was changed by hand, so it was not replaced.', entry.path));
  }
  const { key, sandbox, all } = await variantsOf(project, found, options);
  if (!all.some((variant) => variant.number === number)) {
    const sentence = l10n.t(
      '{0} has no variant {2}. Its variants are: {1}.',
      entry.path,
      all.map((one) => one.number).join(', '),
      number,
    );
    throw new MediaError('invalidInput', sentence);
  }
  await finishAsset(project, found, key, number, { ...options, sandbox });
}

/** Locks files that a process placed before it was killed. Otherwise they look as if a person had changed them. */
async function settle(project: ManifestProject): Promise<void> {
  await project.settle();
  await project.keepSettled();
}

/** A variant of an asset. */
export interface VariantFile {
  /** Starts at 1. */
  readonly number: number;
  /** Absolute path. */
  readonly file: string;
  /** Whether it is the current one. */
  readonly isChosen: boolean;
}

/** @throws MediaError `invalidInput` if no entry has the path, or none of its variants is on this computer */
export async function listVariants(
  project: ManifestProject,
  path: string,
  options: PlanOptions,
): Promise<readonly VariantFile[]> {
  const found = await evaluatedAt(project, path, options);
  const { key, all } = await variantsOf(project, found, options);
  // An accepted file may be none of them.
  const chosen = found.line?.accepted ? undefined : (found.line?.variant ?? 1);
  return all.map((variant) => ({
    number: variant.number,
    file: project.variants.fileOf(key, variant),
    isChosen: variant.number === chosen,
  }));
}

async function variantsOf(project: ManifestProject, { entry, line, origin }: Evaluated, options: PlanOptions) {
  const sandbox = line && !line.accepted ? line.sandbox === true : options.sandbox;
  const key = project.variants.keyFor(entry.path, origin.request ?? '', sandbox);
  await project.variants.takeBack(key, line);
  const all = await project.variants.list(key);
  if (all.length === 0) {
    throw new MediaError('invalidInput', l10n.t('The variants of {0} are not on this computer.', entry.path));
  }
  return { key, sandbox, all };
}

async function evaluatedAt(project: ManifestProject, path: string, options: PlanOptions): Promise<Evaluated> {
  return new Evaluation(project, options).of(entryAt(project, path, 'path'));
}

function entryAt(project: ManifestProject, path: string, field: string): Entry {
  const entry = project.entryAt(typedPath(path));
  if (entry) return entry;
  throw new MediaError('invalidInput', l10n.t('The manifest has no entry {0}.', path), { field });
}

/**
 * Returns the paths of entries that a person typed, as the manifest has them.
 *
 * @param field of the argument that holds them
 * @throws MediaError `invalidInput` for a path without an entry
 */
export function entryPaths(project: ManifestProject, typed: readonly string[], field: string): readonly string[] {
  return typed.map((path) => entryAt(project, path, field).path);
}

/** Returns a path as the manifest writes it. Shells complete it with the separators of the system. */
export function typedPath(path: string, separator: string = sep): string {
  return path.split(separator).join('/').replace(/^\.\//, '');
}
