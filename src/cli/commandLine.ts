import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as l10n from '@vscode/l10n';
import { manifestName, type Shard } from '../manifest/Manifest.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';

export const verbs = ['plan', 'apply', 'check', 'accept', 'choose', 'prune', 'merge-lock', 'mcp', 'sandbox'] as const;
type Verb = (typeof verbs)[number];

export interface CommandLine {
  readonly verb: Verb;
  /** The arguments after the verb. */
  readonly words: readonly string[];
  /** Absolute path of the manifest. */
  readonly manifest: string;
  readonly json: boolean;
  readonly markdown: boolean;
  readonly github: boolean;
  readonly yes: boolean;
  readonly again: boolean;
  readonly apply: boolean;
  readonly sandbox: boolean;
  readonly provenance: boolean;
  /** Paths of entries, as they were typed. */
  readonly anew: readonly string[];
  readonly maxRequests: number | undefined;
  /** How many requests are out at a time. */
  readonly jobs: number;
  readonly shard: Shard | undefined;
}

export const usage = `Usage: unified-media VERB [options]

  plan             Show what apply would do. Exit code: 0 nothing, 2 something, 1 error
                   or only requests whose outcome is unknown
  apply            Make missing and stale assets. Exit code: 0, or 1 if any failed or was left
  check            Check that all assets are fresh, offline and read-only. Exit code: 0 if all are, else 1
  accept PATH…     Lock files as they are, without a request. Such files are never deleted, and never replaced
                   without a copy
  choose PATH N    Replace an asset by its variant N, without a request
  prune            List assets that are no longer in the manifest, and requests that may have been billed for
                   earlier versions of entries; --apply removes them. Exit code: 1 if any failed
  merge-lock BASE OURS THEIRS
                   Merge two versions of a lock into OURS, as a merge driver of git. Exit code: 1 for a conflict
  mcp              Serve agents over stdio, with the tools of the VS Code window that has this folder open
  sandbox          Serve the sandbox, a free stand-in for the service, and print its addresses. It takes
                   --port N, --storage FOLDER, --key KEY, and --openai for OpenAI's SDKs

  --manifest FILE      The manifest; default: ${manifestName} in the current folder
  --json               Print the result as JSON (plan, apply, check, prune)
  --markdown           Print the plan as Markdown (plan, check)
  --format github      Print annotations for a pull request (plan, check)
  --yes                Send without confirmation, however much it is (apply)
  --again              Send again requests whose outcome is unknown and which may be billed, and stop using paid
                       answers that are of no use; what the service sent is kept (apply)
  --anew PATH          Make only this entry, though it is fresh, or though git has its file, which was deleted; can be
                       repeated (apply)
  --max-requests N     Stop after N requests (apply)
  --jobs N             Have up to N requests out at a time, 1 to 16; default: 3 (apply)
  --shard I/N          Take care of the I-th of N parts of the assets, such as 1/3 (plan, apply, check)
  --provenance         Also list generated assets whose files do not say that they are (check)
  --sandbox            Use the sandbox, for free
  --version            Print the version
  --help               Print this text

Environment: UNIFIED_MEDIA_API_KEY, UNIFIED_MEDIA_IMAGE_BASE_URL, UNIFIED_MEDIA_AUDIO_BASE_URL,
UNIFIED_MEDIA_VIDEO_BASE_URL, UNIFIED_MEDIA_AUTHORIZATION_SCHEME, UNIFIED_MEDIA_VIDEO_STATUS_PATH,
UNIFIED_MEDIA_IMAGE_STATUS_PATH, UNIFIED_MEDIA_TRANSCRIPTION_PATH, UNIFIED_MEDIA_TRANSLATION_PATH,
UNIFIED_MEDIA_HEADERS (further headers as a JSON object),
UNIFIED_MEDIA_INSECURE_HOSTS (host:port in your own network that plain http is allowed to),
UNIFIED_MEDIA_IDEMPOTENCY_HEADER (where the service honours idempotency keys, such as Idempotency-Key),
UNIFIED_MEDIA_PRICES (your own prices as a JSON object, as in the setting “unifiedMedia.prices”)
`;

const options = {
  manifest: { type: 'string', default: manifestName },
  json: { type: 'boolean', default: false },
  markdown: { type: 'boolean', default: false },
  format: { type: 'string' },
  yes: { type: 'boolean', default: false },
  again: { type: 'boolean', default: false },
  apply: { type: 'boolean', default: false },
  sandbox: { type: 'boolean', default: false },
  provenance: { type: 'boolean', default: false },
  anew: { type: 'string', multiple: true, default: [] as string[] },
  'max-requests': { type: 'string' },
  jobs: { type: 'string', default: '3' },
  shard: { type: 'string' },
  version: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

export const optionNames = Object.keys(options);

const ofManifests: readonly Verb[] = ['plan', 'apply', 'check', 'accept', 'choose', 'prune'];

/** The verbs that take each option. */
const takenBy: Readonly<Partial<Record<string, readonly Verb[]>>> = {
  manifest: ofManifests,
  json: ['plan', 'apply', 'check', 'prune'],
  markdown: ['plan', 'check'],
  format: ['plan', 'check'],
  yes: ['apply'],
  again: ['apply'],
  apply: ['prune'],
  sandbox: ofManifests,
  provenance: ['check'],
  anew: ['apply'],
  'max-requests': ['apply'],
  jobs: ['apply'],
  shard: ['plan', 'apply', 'check'],
};

/**
 * Parses the command line.
 *
 * @returns undefined if the user asks for help, and `version` if for the version
 * @throws MediaError `invalidInput` that names the invalid argument
 */
export function readCommandLine(args: readonly string[]): CommandLine | 'version' | undefined {
  if (args.length === 0 || args.includes('--help')) return undefined;
  // The sandbox has its own options.
  if (args[0] === 'sandbox') return { ...readOptions(['sandbox']), words: args.slice(1) };
  if (args.includes('--version')) return 'version';
  return readOptions(args);
}

function readOptions(args: readonly string[]): CommandLine {
  const { values, positionals, tokens } = parsed(args);
  const [word = '', ...words] = positionals;
  const verb = verbs.find((known) => known === word);
  if (!verb) throw wrong(l10n.t('There is no verb "{0}". The verbs are: {1}.', word, verbs.join(', ')));
  for (const token of tokens) {
    if (token.kind === 'option' && !takenBy[token.name]?.includes(verb))
      throw wrong(l10n.t('{0} does not take {1}.', verb, `--${token.name}`));
  }
  const { format, 'max-requests': maxRequests, manifest, jobs, shard, ...flags } = values;
  if (format !== undefined && format !== 'github') throw wrong(l10n.t('--format must be github, not "{0}".', format));
  if (maxRequests !== undefined && !/^\d{1,6}$/.test(maxRequests)) {
    throw wrong(l10n.t('--max-requests must be a whole number, not "{0}".', maxRequests));
  }
  if (!/^([1-9]|1[0-6])$/.test(jobs))
    throw wrong(l10n.t('--jobs must be a whole number from 1 to 16, not "{0}".', jobs));
  if (verb === 'accept' && words.length === 0) throw wrong(l10n.t('accept needs the path of at least one entry.'));
  if (verb === 'choose' && !(words.length === 2 && /^[1-9]\d{0,3}$/.test(words[1] ?? ''))) {
    throw wrong(l10n.t('choose needs the path of an entry and the number of a variant, starting at 1.'));
  }
  if (verb === 'merge-lock' && words.length !== 3) {
    throw wrong(l10n.t('merge-lock needs three files: the common version, ours and theirs.'));
  }
  if (!['accept', 'choose', 'merge-lock'].includes(verb) && words.length > 0) {
    throw wrong(l10n.t('{0} takes no arguments, but got "{1}".', verb, words.join(' ')));
  }
  return {
    ...flags,
    verb,
    words,
    manifest: resolve(manifest),
    github: format === 'github',
    maxRequests: maxRequests === undefined ? undefined : Number(maxRequests),
    jobs: Number(jobs),
    shard: shard === undefined ? undefined : shardIn(shard),
  };
}

/** Reads the value of `--shard`. */
function shardIn(text: string): Shard {
  const [number = 0, count = 0] = /^\d{1,4}\/\d{1,4}$/.test(text) ? text.split('/').map(Number) : [];
  if (number >= 1 && number <= count) return { number, count };
  throw wrong(l10n.t('--shard must be I/N, such as 1/3, with I from 1 to N, not "{0}".', text));
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, tokens: true });
  } catch (error) {
    throw wrong(reasonOf(error));
  }
}

function wrong(sentence: string): MediaError {
  return new MediaError('invalidInput', sentence);
}
