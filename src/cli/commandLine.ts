import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as l10n from '@vscode/l10n';
import { manifestName } from '../manifest/Manifest.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';

const verbs = ['plan', 'apply', 'check', 'accept', 'choose', 'prune', 'mcp', 'sandbox'] as const;
type Verb = (typeof verbs)[number];

export interface CommandLine {
  readonly verb: Verb;
  /** What stands after it. */
  readonly words: readonly string[];
  /** Absolute path of the manifest. */
  readonly manifest: string;
  readonly json: boolean;
  readonly markdown: boolean;
  readonly github: boolean;
  readonly yes: boolean;
  readonly apply: boolean;
  readonly sandbox: boolean;
  readonly maxRequests: number | undefined;
}

export const usage = `Usage: unified-media VERB [options]

  plan             what apply would do: exit 0 nothing, 2 something, 1 error
  apply            makes what is missing or stale: exit 1 if anything failed or was left
  check            whether all is fresh; offline, without a key, read-only: exit 0 or 1
  accept PATH…     locks files as they are, without a request
  choose PATH N    puts another variant in place, without a request
  prune            lists assets that no entry makes any more; --apply removes them
  mcp              serves agents over stdio: their tools work in the window of VS Code that shows this folder
  sandbox          serves a free stand-in for the service and prints its addresses

  --manifest FILE      default: ${manifestName} in this folder
  --json, --markdown   how plan prints
  --format github      annotations for a pull request (plan, check)
  --yes                apply sends also what is much or was in doubt
  --max-requests N     apply stops after N requests
  --sandbox            the sandbox makes it, for free

Environment: UNIFIED_MEDIA_API_KEY, UNIFIED_MEDIA_IMAGE_BASE_URL, UNIFIED_MEDIA_AUDIO_BASE_URL,
UNIFIED_MEDIA_VIDEO_BASE_URL, UNIFIED_MEDIA_AUTHORIZATION_SCHEME, UNIFIED_MEDIA_VIDEO_STATUS_PATH,
UNIFIED_MEDIA_TRANSCRIPTION_PATH, UNIFIED_MEDIA_TRANSLATION_PATH
`;

const options = {
  manifest: { type: 'string', default: manifestName },
  json: { type: 'boolean', default: false },
  markdown: { type: 'boolean', default: false },
  format: { type: 'string' },
  yes: { type: 'boolean', default: false },
  apply: { type: 'boolean', default: false },
  sandbox: { type: 'boolean', default: false },
  'max-requests': { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/**
 * @returns undefined when help is asked for
 * @throws MediaError `invalidInput` that names what is wrong
 */
export function readCommandLine(args: readonly string[]): CommandLine | undefined {
  // It has options of its own.
  if (args[0] === 'sandbox') return { ...readOptions(['sandbox']), words: args.slice(1) };
  if (args.length === 0 || args.includes('--help')) return undefined;
  return readOptions(args);
}

function readOptions(args: readonly string[]): CommandLine {
  const { values, positionals } = parsed(args);
  const [word = '', ...words] = positionals;
  const verb = verbs.find((known) => known === word);
  if (!verb) throw wrong(l10n.t('There is no verb "{0}"; there are {1}.', word, verbs.join(', ')));
  const { format, 'max-requests': most, manifest, ...flags } = values;
  if (format !== undefined && format !== 'github') throw wrong(l10n.t('--format takes github, not "{0}".', format));
  if (most !== undefined && !/^\d{1,6}$/.test(most)) {
    throw wrong(l10n.t('--max-requests takes a whole number, not "{0}".', most));
  }
  if (verb === 'accept' && words.length === 0) throw wrong(l10n.t('accept takes the paths of entries.'));
  if (verb === 'choose' && !(words.length === 2 && /^[1-9]\d{0,3}$/.test(words[1] ?? ''))) {
    throw wrong(l10n.t('choose takes the path of an entry and the number of a variant, from 1.'));
  }
  if (verb !== 'accept' && verb !== 'choose' && words.length > 0) {
    throw wrong(l10n.t('{0} takes no "{1}".', verb, words.join(' ')));
  }
  return {
    ...flags,
    verb,
    words,
    manifest: resolve(manifest),
    github: format === 'github',
    maxRequests: most === undefined ? undefined : Number(most),
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw wrong(reasonOf(error));
  }
}

function wrong(sentence: string): MediaError {
  return new MediaError('invalidInput', sentence);
}
