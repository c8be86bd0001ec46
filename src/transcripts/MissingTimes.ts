import * as l10n from '@vscode/l10n';

/** What the library records of a result. */
interface MadeTranscript {
  readonly kind: string;
  readonly model: string;
  readonly mediaType?: string;
  readonly sandbox?: true;
  /** The file with the times of a transcript, if the service sent any. */
  readonly times?: unknown;
}

/** Says of each service and model once that its transcripts come without times, so that the next can be sent with them. */
export class MissingTimes {
  readonly #told = new Set<string>();

  /** @returns a sentence the first time that a host sent a transcript of a model without times */
  sentenceFor(results: readonly MadeTranscript[], host: string): string | undefined {
    const untimed = results.find(({ kind, sandbox, times, mediaType }) => {
      return (
        kind === 'transcripts' && !sandbox && times === undefined && /^text\/(markdown|plain)$/.test(mediaType ?? '')
      );
    });
    if (!untimed) return undefined;
    const key = JSON.stringify([host, untimed.model]);
    if (this.#told.has(key)) return undefined;
    this.#told.add(key);
    return l10n.t(
      'No times came with the transcript, so it has no subtitles and cannot be played along. If {0} can send them, choose the fields of the service before you send the next recording.',
      untimed.model,
    );
  }
}
