import * as vscode from 'vscode';
import type { Memory } from '../../editor/Memory.ts';
import { assetsOf } from '../../editor/requests/requests.ts';
import type { Window } from '../../editor/Window.ts';
import { fieldTable } from '../../operations/declarations.ts';
import { field } from '../../operations/operations.ts';
import { wholeKey } from '../../wholes/wholeKey.ts';

/** Formats that a view can play, the smallest first. */
const playable = ['mp3', 'opus', 'flac', 'wav'] as const;

/**
 * Lets voices be heard before they are used. A sample is a paid request like any other. It is saved in the extension's
 * own storage, with a library that says what it is, so that each voice of a model is paid for once.
 */
export class Voices {
  readonly folder: vscode.Uri;
  readonly #dependencies: Pick<Window, 'settings' | 'places' | 'runs'>;
  /** Samples that are being made: a second click waits for the first. */
  readonly #making = new Map<string, Promise<vscode.Uri | undefined>>();

  /** @param folder the extension's own folder for samples */
  constructor(folder: vscode.Uri, dependencies: Pick<Window, 'settings' | 'places' | 'runs'>) {
    this.folder = folder;
    this.#dependencies = dependencies;
  }

  /** Whether a folder is that of the samples, which are no results. */
  owns(root: string): boolean {
    return root === this.folder.toString();
  }

  /**
   * Returns the sample of a voice. Where there is none yet, asks the person and makes it; in the sandbox, which is free,
   * without a question.
   *
   * @returns undefined when the person declined
   * @throws MediaError
   */
  hear(model: string, voice: string): Promise<vscode.Uri | undefined> {
    const { settings } = this.#dependencies;
    const host = settings.usesSandbox ? '' : settings.hosts.audio;
    const key = wholeKey('voice', host, model, voice, sentence());
    const making = this.#making.get(key) ?? this.#sample(key, host, { model, voice });
    this.#making.set(key, making);
    return making.finally(() => this.#making.delete(key));
  }

  async #sample(
    key: string,
    host: string,
    chosen: { readonly model: string; readonly voice: string },
  ): Promise<vscode.Uri | undefined> {
    const { places, runs, settings } = this.#dependencies;
    await vscode.workspace.fs.createDirectory(this.folder);
    const known = await this.#known(key);
    if (known) return known;
    const input = sentence();
    const fields = { ...chosen, input, response_format: formatFor(chosen.model, settings.declaredFields) };
    const place = { ...places.referenceIn(this.folder, ''), exactName: `${key}.mp3` };
    const title = vscode.l10n.t('Hear the voice {0}?', chosen.voice);
    const billing = vscode.l10n.t(
      'The service may bill {0} characters once. The sample is kept, so playing it again is free.',
      input.length,
    );
    const outcomes = await runs.run([{ operation: 'speak', fields, place, key }], 'view', {
      title: vscode.l10n.t('Sample of the voice {0}', chosen.voice),
      ...(host === '' ? { isAgreed: true } : { question: title, billing }),
    });
    if (!outcomes) return undefined;
    const [asset] = assetsOf(outcomes);
    return asset ? vscode.Uri.parse(asset.uri, true) : this.#known(key);
  }

  /** Returns a sample that was made before. The extension follows the type of its bytes. */
  async #known(key: string): Promise<vscode.Uri | undefined> {
    const names = await vscode.workspace.fs.readDirectory(this.folder);
    const [name] = names.find(([file]) => file.startsWith(`${key}.`)) ?? [];
    return name === undefined ? undefined : vscode.Uri.joinPath(this.folder, name);
  }
}

function sentence(): string {
  return vscode.l10n.t('Hello, this is how I sound.');
}

/** Returns a format that the service has and a view can play; the usual one if there is none. */
function formatFor(model: string, declared: unknown): string {
  const standard = field('speak', 'response_format');
  const format = fieldTable('speak', declared, model).own.find(({ name }) => name === standard.name);
  if (format?.type !== 'choice') return standard.default;
  return playable.find((one) => format.options.includes(one)) ?? format.default;
}

export async function keepFavouriteVoice(memory: Memory, voice: string, isFavourite: boolean): Promise<void> {
  const others = (memory.get('favouriteVoices') ?? []).filter((one) => one !== voice);
  await memory.set('favouriteVoices', isFavourite ? [...others, voice] : others);
}
