import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../../operations/MediaError.ts';
import type { MediaRequest } from '../../operations/operations.ts';
import type { JobInput } from '../JobRunner.ts';
import type { PartOptions } from '../runPart.ts';
import { runPart } from '../runPart.ts';

export type SpeechRequest = MediaRequest<'speak'>;
export type SpeechInput = JobInput & { readonly request: SpeechRequest };

/** Hashes what determines a recording: text, model, voice, format, and whether the sandbox speaks it. */
export function speechKey({ sandbox, request }: Pick<SpeechInput, 'sandbox' | 'request'>): string {
  const { model, input, voice, response_format } = request;
  return createHash('sha256')
    .update(JSON.stringify([sandbox, { model, input, voice, response_format }]))
    .digest('hex');
}

/** Speaks one part of a longer text, unless its file is left over from an earlier run; see {@link runPart}. */
export function speakPart(input: SpeechInput, options: PartOptions): Promise<string> {
  return runPart(speechKey(input), input, options);
}

/** Returns the keys of all parts on disk, which are already paid for. */
export async function spokenKeys(partsFolder: string): Promise<readonly { readonly key: string }[]> {
  const names = await readdir(partsFolder).catch(() => []);
  const parts = names.filter((name) => /^[0-9a-f]{64}\./.test(name));
  const sizes = await Promise.all(
    parts.map((name) =>
      stat(join(partsFolder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return parts.filter((_, index) => sizes[index] !== 0).map((name) => ({ key: name.slice(0, 64) }));
}

/** Removes parts after they were joined. */
export async function removeParts(files: readonly string[]): Promise<void> {
  await Promise.all(files.map((file) => rm(file, { force: true })));
}

/** Returns the failure with a note that the parts paid for so far are kept. */
export function withPartsKept(error: MediaError): MediaError {
  const sentence = l10n.t('{0} The parts already spoken are kept; you will not pay for them again.', error.message);
  return new MediaError(error.kind, sentence, { ...error, cause: error });
}
