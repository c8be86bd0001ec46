import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import { contributedSettings } from '../contributions.ts';
import { spelledOnDisk } from '../files/canonicalRoot.ts';
import { hasCode } from '../files/FileCalls.ts';
import { replaceText, unreadable } from '../files/readText.ts';
import { hashOf } from '../files/sha256.ts';
import { type Printable, printableJson, printableText } from '../foreign/escape.ts';
import { plainLine } from '../foreign/plainText.ts';
import { number, objectWith, optional, pair, text, that, yes } from '../foreign/shape.ts';
import type { Total } from '../manifest/applyAssets.ts';
import type { PlanOptions } from '../manifest/Evaluation.ts';
import type { KnownHash } from '../manifest/FileHashes.ts';
import { lockEnding, mergeLocks, readDeclared } from '../manifest/Lock.ts';
import { type Entry, shardOf } from '../manifest/Manifest.ts';
import { ManifestProject, rootOf } from '../manifest/ManifestProject.ts';
import { exitCodeOf, type Planned, planAssets } from '../manifest/plan.ts';
import {
  describeTotal,
  planAnnotations,
  planMarkdown,
  planText,
  prunedText,
  reportText,
  unmarkedAnnotations,
  unmarkedMarkdown,
  unmarkedText,
} from '../manifest/printPlan.ts';
import { fits, noAmounts } from '../operations/amounts.ts';
import { MediaError } from '../operations/MediaError.ts';
import { operations, sandboxModel } from '../operations/operations.ts';
import { parseJson } from '../operations/parseJson.ts';
import { RetiredModels } from '../service/RetiredModels.ts';
import { Store } from '../work/Store.ts';
import { retiredModelsFile } from '../work/stateFolder.ts';
import type { CommandLine } from './commandLine.ts';
import { keyOriginIn, pricesIn, serviceIn } from './environment.ts';
import { libraryIn } from './libraryIn.ts';

export interface Shell {
  readonly environment: NodeJS.ProcessEnv;
  /** Absolute path of the person's state folder. */
  readonly state: string;
  readonly signal: AbortSignal;
  /** Prints the result, to standard output. */
  print(text: Printable): void;
  /** Prints a note, to standard error. */
  note(text: Printable): void;
}

/** Above the quantities of `confirmAbove`, apply sends nothing without `--yes`. */
const { default: confirmAbove } = contributedSettings.confirmAbove;
const { default: speechMaxCharacters } = contributedSettings['speech.maxCharacters'];

/** Runs a verb that works on a manifest. @returns the exit code @throws MediaError with the message to print */
export async function runVerb(written: CommandLine, shell: Shell): Promise<number> {
  const { verb, sandbox, words, shard } = written;
  if (verb === 'merge-lock') return mergeLock(words, shell);
  const manifest = await spelledOnDisk(written.manifest);
  const line = { ...written, manifest };
  const root = rootOf(manifest);
  const store = new Store(join(shell.state, 'work'), undefined, true);
  const hashes = verb === 'check' ? undefined : await knownHashes(shell.state, manifest);
  const project = await ManifestProject.open(manifest, {
    root,
    library: libraryIn(root),
    store,
    ...(hashes ? { known: hashes.known } : {}),
  }).catch((error: unknown) => {
    throw withManifestOption(error, manifest);
  });
  const includes = shard && shardOf(project.manifest, shard);
  const prices = verb === 'plan' || verb === 'apply' ? pricesIn(shell.environment) : undefined;
  const keyOrigin = sandbox ? undefined : keyOriginIn(shell.environment);
  const modelFor = () => (sandbox ? sandboxModel : undefined);
  const options: PlanOptions = {
    sandbox,
    speechMaxCharacters,
    prices,
    keyOrigin,
    modelFor,
    ...(includes && { includes }),
  };
  switch (verb) {
    case 'check': {
      const planned = await planAssets(project, { ...options, warns: await warningsIn(shell) });
      const provenance = line.provenance ? await import('../manifest/provenance.ts') : undefined;
      show(line, shell.print, planned, await provenance?.unmarkedAssets(project, planned.evaluated));
      return exitCodeOf(verb, planned, manifest);
    }
    case 'plan': {
      const planned = await planAssets(project, { ...options, seesWork: true });
      await hashes?.keep();
      const code = exitCodeOf(verb, planned, manifest);
      show(line, shell.print, planned);
      nameUnreadable(store, shell);
      return code;
    }
    case 'apply':
      return apply(line, shell, project, options);
    case 'accept': {
      const { acceptAssets } = await import('../manifest/acceptAssets.ts');
      for (const path of await acceptAssets(project, words, options))
        shell.print(printableText(`${plainLine(path)}  ${l10n.t('accepted')}`));
      return 0;
    }
    case 'choose': {
      const { chooseVariant } = await import('../manifest/acceptAssets.ts');
      const [path = '', number] = words;
      await chooseVariant(project, path, Number(number), { ...options, signal: shell.signal });
      shell.print(printableText(l10n.t('{0} is now variant {1}.', path, Number(number))));
      return 0;
    }
    case 'prune': {
      const { pruneAssets } = await import('../manifest/pruneAssets.ts');
      const { pruneRequests } = await import('../manifest/leftRequests.ts');
      const removal = { ...options, removes: line.apply };
      const pruned = [...(await pruneAssets(project, removal)), ...(await pruneRequests(project, removal))];
      if (line.json) shell.print(printableJson(pruned));
      else for (const one of pruned) shell.print(printableText(prunedText(one, line.apply)));
      return pruned.some(({ state }) => state === 'failed') ? 1 : 0;
    }
    case 'mcp':
    case 'sandbox':
      throw new Error(`${verb} has no manifest`);
  }
}

/** Returns the error for a manifest that cannot be opened; of one that does not exist it says how to name another. */
function withManifestOption(error: unknown, manifest: string): unknown {
  if (!(error instanceof MediaError && hasCode(error.cause, 'ENOENT', 'ENOTDIR'))) return error;
  const sentence = l10n.t('There is no {0}. Go to the folder of the manifest, or name it with --manifest.', manifest);
  return new MediaError(error.kind, sentence, { cause: error });
}

/** What the editor and this shell know of models that the service no longer has. */
async function warningsIn({ environment, state }: Shell): Promise<PlanOptions['warns']> {
  const retired = new RetiredModels(retiredModelsFile(state));
  await retired.read();
  const { hosts } = serviceIn(environment).configuration;
  return { isGone: (id, model) => retired.has(hosts[operations[id].area], id, model) };
}

/** @param unmarked generated assets without a mark of origin, if that was asked */
function show(
  line: CommandLine,
  print: Shell['print'],
  { plan: found, evaluated }: Planned,
  unmarked?: readonly Entry[],
): void {
  const { json, markdown, github, manifest } = line;
  if (json) print(printableJson({ ...found, ...(unmarked && { unmarked: unmarked.map(({ path }) => path) }) }));
  else if (markdown)
    print(printableText([planMarkdown(found), ...(unmarked ? [unmarkedMarkdown(unmarked)] : [])].join('\n')));
  else if (github) {
    const file = relative(rootOf(manifest), manifest).split(sep).join('/');
    for (const annotation of planAnnotations(found, evaluated, file)) print(annotation);
    for (const annotation of unmarkedAnnotations(unmarked ?? [], file)) print(annotation);
  } else print(printableText([planText(found, evaluated), ...(unmarked ? [unmarkedText(unmarked)] : [])].join('\n')));
}

async function apply(
  { yes, again, anew, json, maxRequests, jobs: atOnce, sandbox }: CommandLine,
  shell: Shell,
  project: ManifestProject,
  options: PlanOptions,
): Promise<number> {
  const { applyAssets } = await import('../manifest/applyAssets.ts');
  const { JobsInShell } = await import('./JobsInShell.ts');
  const { sweep } = await import('../work/sweep.ts');
  const { entryPaths } = await import('../manifest/acceptAssets.ts');
  const { store } = project;
  await using jobs = new JobsInShell({ ...shell, store, sandbox, jobs: atOnce });
  const { includes } = options;
  const named = entryPaths(project, anew, 'anew');
  const all = includes && project.manifest.entries.map(({ path }) => path);
  const wanted = named.length > 0 ? named : all;
  const reports = await applyAssets(project, {
    ...options,
    only: includes ? wanted?.filter((path) => includes(path)) : wanted,
    anew: named,
    again,
    maxRequests,
    runner: jobs.runner,
    limits: jobs.limits,
    signal: shell.signal,
    checkReady: (id) => jobs.checkReady(id),
    explain: (error) => jobs.explain(error),
    confirm: async (total) => yes || needsNoConfirmation(total),
    onProgress: () => undefined,
    onNotice: (path, sentence) => shell.note(printableText(`${plainLine(path)}: ${plainLine(sentence)}`)),
    onReport: (report) => (json ? undefined : shell.print(printableText(reportText(report)))),
  });
  if (json) shell.print(printableJson({ entries: reports?.map(({ error: _, ...report }) => report) }));
  else if (reports?.length === 0) shell.print(printableText(l10n.t('All assets are fresh.')));
  nameUnreadable(store, shell);
  await sweep(store, [project.rootUri, pathToFileURL(project.manifest.folder).href]);
  await suggestMerge(project, shell);
  return reports?.every(({ outcome }) => outcome === 'made') ? 0 : 1;
}

/** Names the journals of works that cannot be read. A request that one of them is about counts as unknown. */
function nameUnreadable({ unreadable }: Store, { note }: Shell): void {
  for (const [path, reason] of unreadable) {
    const sentence = l10n.t(
      '{0} cannot be read ({1}). If its request is one of this manifest, it may be billed, and only “apply --again” sends it.',
      path,
      reason,
    );
    note(printableText(plainLine(sentence)));
  }
}

/** Whether apply may send this without `--yes`. @throws MediaError `invalidInput` if not */
function needsNoConfirmation(total: Total): boolean {
  if (fits(confirmAbove, noAmounts, total)) return true;
  const { requests, ...others } = total;
  const sentence = l10n.t(
    'Nothing was sent, because this needs your confirmation: {0}. Run “apply --yes” to send it; add --max-requests to limit the run.',
    describeTotal({ requests: { generateImage: requests }, ...others }),
  );
  throw new MediaError('invalidInput', sentence);
}

/** Merges versions of a lock for git, which gives the names of three files and takes the second for the result. */
async function mergeLock([base = '', ours = '', theirs = '']: readonly string[], { note }: Shell): Promise<number> {
  const read = (file: string) =>
    readDeclared(file).catch((error: unknown) => {
      throw unreadable(file, error);
    });
  const [before, our, their] = await Promise.all([read(base), read(ours), read(theirs)]);
  const { text, conflicts } = mergeLocks(before, our, their);
  await writeFile(ours, text);
  if (conflicts?.length === 0) return 0;
  const sentence = conflicts
    ? l10n.t(
        'Both sides changed these assets: {0}. Take the file and the entry of one side; the line that describes the file counts.',
        conflicts.join(', '),
      )
    : l10n.t('One of the versions is not a valid lock, so it cannot be merged asset by asset.');
  note(printableText(plainLine(sentence)));
  return 1;
}

/** Suggests a merge driver for the lock of a repository until `.gitattributes` names one. */
async function suggestMerge({ manifest, lock, root }: ManifestProject, { note }: Shell): Promise<void> {
  if (lock.size === 0 || !existsSync(join(root, '.git'))) return;
  const texts = await Promise.all(
    [...new Set([manifest.folder, root])].map((folder) =>
      readFile(join(folder, '.gitattributes'), 'utf8').catch(() => ''),
    ),
  );
  if (texts.some((text) => text.includes(lockEnding))) return;
  const subtitles = [...lock.values()].some(({ path }) => path.endsWith('.vtt'));
  const lines = [
    l10n.t('To merge branches without conflicts in the lock, add this to .gitattributes:'),
    `  *${lockEnding} merge=unified-media`,
    ...(subtitles ? ['  *.vtt text eol=lf'] : []),
    l10n.t('Then run this once in each clone:'),
    '  git config merge.unified-media.driver "unified-media merge-lock %O %A %B"',
  ];
  note(printableText(lines.join('\n')));
}

/** Loads the file hashes of earlier runs, and returns a function that saves those of this run. */
async function knownHashes(state: string, manifest: string) {
  const folder = join(state, 'hashes');
  const file = join(folder, `${hashOf(manifest).slice(0, 16)}.json`);
  const text = await readFile(file, 'utf8').catch(() => '');
  const known = new Map(entriesIn(text));
  return {
    known,
    /** Saves the hashes. Failures are ignored: the next run computes the hashes again. */
    keep: async (): Promise<void> => {
      const now = JSON.stringify([...known]);
      if (now === text) return;
      await mkdir(folder, { recursive: true, mode: 0o700 })
        .then(() => replaceText(file, now, { mode: 0o600 }))
        .catch(() => undefined);
    },
  };
}

const isEntry = pair(
  text(),
  objectWith({
    stamp: text(),
    sha256: text(),
    minutes: optional(that(number, (minutes) => minutes > 0)),
    minutesAtMost: optional(yes),
  }),
);

function entriesIn(written: string): readonly (readonly [string, KnownHash])[] {
  const value = parseJson(written);
  return Array.isArray(value) ? value.filter(isEntry) : [];
}
