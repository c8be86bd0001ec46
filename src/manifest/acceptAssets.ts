import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import { takeLease } from './applyAssets.ts';
import type { Evaluated } from './Evaluated.ts';
import type { ChosenVariant } from './finishAsset.ts';
import { finishAsset } from './finishAsset.ts';
import type { LockLine } from './Lock.ts';
import { keyOf } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import type { PlanOptions } from './plan.ts';
import { evaluationOf } from './plan.ts';

/**
 * Locks files as they are: each fits its entry as that is. Nothing is sent.
 *
 * @throws MediaError `invalidInput` before anything is locked, for a path that is no entry's or whose file is missing
 */
export async function acceptAssets(
  project: ManifestProject,
  paths: readonly string[],
  options: PlanOptions,
): Promise<readonly string[]> {
  const lease = await takeLease(project);
  try {
    const found = await Promise.all(paths.map((path) => evaluatedAt(project, path, options)));
    const lines = await Promise.all(found.map((one) => acceptedLine(project, one)));
    for (const line of lines) await project.changeLock(line.path, line);
    return lines.map(({ path }) => path);
  } finally {
    await lease.release();
  }
}

async function acceptedLine(project: ManifestProject, found: Evaluated): Promise<LockLine> {
  const { entry, output, line, origin, local, problem, pending } = found;
  if (output === undefined) {
    throw new MediaError('invalidInput', l10n.t('{0} is not there, so it cannot be accepted.', entry.path));
  }
  if (problem) throw new MediaError('invalidInput', `${entry.path}: ${problem.sentence}`, { field: problem.field });
  const [input] = pending;
  if (input !== undefined) {
    const sentence = l10n.t('{0} cannot be accepted before its input {1} is made or accepted.', entry.path, input);
    throw new MediaError('invalidInput', sentence);
  }
  const isVideo =
    entry.type === 'request' && (line?.videoId !== undefined || /\.(mp4|m4v|webm|mov)$/i.test(entry.path));
  const known = isVideo ? (await project.library.entriesAt([project.recorded(entry.path)])).at(-1) : undefined;
  const videoId = line?.videoId ?? known?.videoId;
  // The sandbox alone can remix what it made.
  const sandbox = videoId !== undefined && (line?.videoId === undefined ? known?.sandbox : line.sandbox) === true;
  const { request } = origin;
  return { path: entry.path, request, inputs: origin.inputs, local, output, videoId, ...(sandbox ? { sandbox } : {}) };
}

/**
 * Puts another variant in an asset's place. Nothing is sent.
 *
 * @param number from 1
 * @throws MediaError `invalidInput` when it is not on this machine, or the file was changed by hand
 */
export async function chooseVariant(
  project: ManifestProject,
  path: string,
  number: number,
  options: PlanOptions & Omit<ChosenVariant, 'key' | 'number'>,
): Promise<void> {
  const lease = await takeLease(project);
  try {
    const found = await evaluatedAt(project, path, options);
    const { entry, state } = found;
    if (state === 'changed' || state === 'unlocked') {
      throw new MediaError('invalidInput', l10n.t('{0} was changed by hand, so it is left as it is.', entry.path));
    }
    const { key, sandbox, all } = await variantsOf(project, found, options);
    if (!all.some((variant) => variant.number === number)) {
      const sentence = l10n.t(
        '{0} has the variants {1}, not {2}.',
        entry.path,
        all.map((one) => one.number).join(', '),
        number,
      );
      throw new MediaError('invalidInput', sentence);
    }
    await finishAsset(project, found, { ...options, sandbox, key, number });
  } finally {
    await lease.release();
  }
}

/** A variant that can be put in an asset's place. */
export interface VariantFile {
  /** From 1. */
  readonly number: number;
  /** Absolute. */
  readonly file: string;
  /** Whether it is the one in place. */
  readonly isChosen: boolean;
}

/** @throws MediaError `invalidInput` where no entry has the path, or no variants of it are on this machine */
export async function listVariants(
  project: ManifestProject,
  path: string,
  options: PlanOptions,
): Promise<readonly VariantFile[]> {
  const found = await evaluatedAt(project, path, options);
  const { key, all } = await variantsOf(project, found, options);
  const chosen = found.line?.variant ?? 1;
  return all.map((variant) => ({
    number: variant.number,
    file: project.variants.fileOf(key, variant),
    isChosen: variant.number === chosen,
  }));
}

async function variantsOf(project: ManifestProject, { entry, line, origin }: Evaluated, options: PlanOptions) {
  const sandbox = line ? line.sandbox === true : options.sandbox;
  const key = project.variants.keyFor(entry.path, origin.request ?? '', sandbox);
  const all = await project.variants.list(key);
  if (all.length === 0) {
    throw new MediaError('invalidInput', l10n.t('The variants of {0} are not on this machine.', entry.path));
  }
  return { key, sandbox, all };
}

async function evaluatedAt(project: ManifestProject, path: string, options: PlanOptions): Promise<Evaluated> {
  const wanted = keyOf(path.replace(/^\.\//, ''));
  const entry = project.manifest.entries.find((one) => keyOf(one.path) === wanted);
  if (!entry) throw new MediaError('invalidInput', l10n.t('The manifest has no entry {0}.', path), { field: 'path' });
  return evaluationOf(project, options).of(entry);
}
