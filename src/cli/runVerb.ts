import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import { settingDefaults } from '../editor/settingDefaults.ts';
import type { Quantities } from '../manifest/Evaluated.ts';
import { lockName } from '../manifest/Lock.ts';
import { ManifestProject, rootOf } from '../manifest/ManifestProject.ts';
import type { Planned, PlanOptions } from '../manifest/plan.ts';
import { checkProblems, hasWork, planAssets } from '../manifest/plan.ts';
import { inOneLine, planAnnotations, planMarkdown, planText, prunedText, reportText } from '../manifest/printPlan.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { CommandLine } from './commandLine.ts';
import type { Environment } from './environment.ts';
import { JobsInShell, libraryIn } from './JobsInShell.ts';
import { knownHashes } from './knownHashes.ts';

export interface Shell {
  readonly environment: Environment;
  /** Absolute path of the folder of the journal. */
  readonly state: string;
  readonly signal: AbortSignal;
  /** Prints the result, to standard output. */
  print(text: string): void;
  /** Prints a note, to standard error. */
  note(text: string): void;
}

/** Above the quantities of `confirmAbove`, apply sends nothing without `--yes`. */
const { confirmAbove, 'speech.maxCharacters': speechMaxCharacters } = settingDefaults;

/** Runs a verb that works on a manifest. @returns the exit code @throws MediaError with the message to print */
export async function runVerb(line: CommandLine, shell: Shell): Promise<number> {
  const { verb, manifest, sandbox, words } = line;
  const root = rootOf(manifest);
  const options: PlanOptions = { sandbox, speechMaxCharacters };
  const hashes = verb === 'check' ? undefined : await knownHashes(shell.state, manifest);
  const project = await ManifestProject.open(manifest, {
    root,
    library: libraryIn(root),
    ...(hashes ? { known: hashes.known } : {}),
  });
  switch (verb) {
    case 'check':
      return check(line, shell, await planAssets(project, options));
    case 'plan': {
      const runner = new JobsInShell({ ...shell, sandbox });
      const { partsFolder, journal } = runner;
      const jobs = await runner.left(root);
      const planned = await planAssets(project, { ...options, partsFolder, journal, jobs });
      await hashes?.keep();
      return plan(line, shell, planned);
    }
    case 'apply':
      return apply(line, shell, project, options);
    case 'accept': {
      const { acceptAssets } = await import('../manifest/acceptAssets.ts');
      for (const path of await acceptAssets(project, words, options)) shell.print(`${path}  ${l10n.t('accepted')}`);
      return 0;
    }
    case 'choose': {
      const { chooseVariant } = await import('../manifest/acceptAssets.ts');
      const [path = '', number] = words;
      await chooseVariant(project, path, Number(number), { ...options, signal: shell.signal });
      shell.print(l10n.t('{0} is now variant {1}.', path, Number(number)));
      return 0;
    }
    case 'prune': {
      const { pruneAssets } = await import('../manifest/pruneAssets.ts');
      const pruned = await pruneAssets(project, { ...options, removes: line.apply });
      if (line.json) shell.print(JSON.stringify(pruned));
      else for (const one of pruned) shell.print(prunedText(one, line.apply));
      return 0;
    }
    case 'mcp':
    case 'sandbox':
      throw new Error(`${verb} has no manifest`);
  }
}

function check(line: CommandLine, { print }: Shell, planned: Planned): number {
  const { plan: found, evaluated } = planned;
  show(line, print, planned);
  return found.entries.every(({ state }) => state === 'fresh') && evaluated.every(({ problem }) => !problem) ? 0 : 1;
}

function plan(line: CommandLine, { print }: Shell, planned: Planned): number {
  checkProblems(planned.evaluated);
  show(line, print, planned);
  return hasWork(planned.evaluated) ? 2 : 0;
}

function show(line: CommandLine, print: Shell['print'], { plan: found, evaluated }: Planned): void {
  const { json, markdown, github, manifest } = line;
  if (json) print(JSON.stringify(found));
  else if (markdown) print(planMarkdown(found));
  else if (github) {
    const file = relative(process.cwd(), manifest).split(sep).join('/');
    for (const annotation of planAnnotations(found, evaluated, file)) print(annotation);
  } else print(planText(found, evaluated));
}

async function apply(
  { yes, json, maxRequests, sandbox }: CommandLine,
  shell: Shell,
  project: ManifestProject,
  options: PlanOptions,
): Promise<number> {
  const { applyAssets } = await import('../manifest/applyAssets.ts');
  await using runner = new JobsInShell({ ...shell, sandbox });
  await runner.recover(project.root, shell.signal);
  const reports = await applyAssets(project, {
    ...options,
    partsFolder: runner.partsFolder,
    yes,
    maxRequests,
    jobs: runner.jobs,
    signal: shell.signal,
    checkReady: (id) => runner.checkReady(id),
    confirm: async (total) => yes || needsNoConfirmation(total),
    onProgress: () => undefined,
    onNotice: (path, sentence) => shell.note(`${path}: ${inOneLine(sentence)}`),
    onReport: (report) => (json ? undefined : shell.print(reportText(report))),
  });
  if (json) shell.print(JSON.stringify({ entries: reports?.map(({ error: _, ...report }) => report) }));
  else if (reports?.length === 0) shell.print(l10n.t('All assets are fresh.'));
  await suggestMerge(project, shell);
  return reports?.every(({ outcome }) => outcome === 'made') ? 0 : 1;
}

/** Whether apply may send this without `--yes`. @throws MediaError `invalidInput` if not */
function needsNoConfirmation({ images, videos, characters }: Quantities): boolean {
  const isTooMuch =
    images > confirmAbove.images || videos > confirmAbove.videos || characters > confirmAbove.characters;
  if (!isTooMuch) return true;
  const sentence = l10n.t(
    'Nothing was sent, because {0} images, {1} videos and {2} characters of speech need your confirmation. Run “apply --yes” to send them; add --max-requests to limit the run.',
    images,
    videos,
    characters,
  );
  throw new MediaError('invalidInput', sentence);
}

/** Suggests a merge driver for the lock until `.gitattributes` names one. */
async function suggestMerge({ manifest, lock, root }: ManifestProject, { note }: Shell): Promise<void> {
  if (lock.size === 0) return;
  const texts = await Promise.all(
    [...new Set([manifest.folder, root])].map((folder) =>
      readFile(join(folder, '.gitattributes'), 'utf8').catch(() => ''),
    ),
  );
  if (texts.some((text) => text.includes(lockName))) return;
  note(
    l10n.t(
      'To merge branches without conflicts in the lock, add this line to .gitattributes: {0}',
      `${lockName} merge=union`,
    ),
  );
}
