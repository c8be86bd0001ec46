import { existsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { pathOfRoot } from '../files/canonicalRoot.ts';
import { LocalFolder } from '../files/LocalFolder.ts';
import { replaceText } from '../files/readText.ts';
import { inOnePiece } from '../library/saveMedia.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { JobFacts, Whole } from './Job.ts';
import { isKey } from './Journals.ts';
import type { SentKey } from './repeatable.ts';
import { isSentKey } from './repeatable.ts';

/** A note, and where it lies. */
export interface Noted {
  readonly key: string;
  readonly notes: Notes;
}

/** Returns the notes in a folder. */
export async function notedIn(root: string): Promise<readonly Noted[]> {
  const notes = notesOf(root);
  return notes ? (await notes.list()).map((key) => ({ key, notes })) : [];
}

/** Notes beside a project of what was sent for it; undefined for a folder that is not on this computer's disks. */
export function notesOf(root: string): Notes | undefined {
  const path = pathOfRoot(root);
  return path === undefined ? undefined : new Notes(path);
}

/**
 * Notes in `.unified-media/jobs/<key>` of a project, which say that a request was sent, and from where. They are never
 * taken for a work: they come with the folder, perhaps from someone else. They only make us ask first, where the store
 * of another computer or container has the work. VS Code starts the extension in a folder that has them.
 */
class Notes {
  readonly #parent: string;
  readonly #path: string;
  readonly #folder: LocalFolder;

  constructor(root: string) {
    this.#parent = join(root, '.unified-media');
    this.#path = join(this.#parent, 'jobs');
    this.#folder = new LocalFolder(this.#path, root);
  }

  async has(key: string): Promise<boolean> {
    return (await this.#folder.size(key)) !== undefined;
  }

  async list(): Promise<readonly string[]> {
    if (!existsSync(this.#path)) return [];
    return (await this.#folder.list().catch(() => [])).filter(isKey);
  }

  /** Returns the id of the work that a note is of; undefined if it cannot be read. */
  async workOf(key: string): Promise<unknown> {
    return (await this.#read(key))?.work;
  }

  /** Returns the idempotency key that the request was sent under, as the note says. */
  async keyOf(key: string): Promise<SentKey | undefined> {
    const sent = (await this.#read(key))?.idempotencyKey;
    return isSentKey(sent) ? sent : undefined;
  }

  /** Returns the manifest and the entry that the request is for, as the note says; earlier versions did not note them. */
  async placeOf(key: string): Promise<{ readonly manifest?: unknown; readonly entry?: unknown }> {
    return (await this.#read(key)) ?? {};
  }

  async #read(key: string) {
    const text = await this.#folder.read(key).catch(() => undefined);
    return parseJson<Readonly<Partial<Record<keyof ReturnType<typeof contentOf>, unknown>>>>(
      String(Buffer.from(text ?? '')),
    );
  }

  /** @returns false if there is a note already, which another process has made */
  async put(job: NoteFacts): Promise<boolean> {
    const { key } = job;
    for (let attempt = 0; ; attempt++) {
      if ((await this.#folder.size('.gitignore')) === undefined) await this.#folder.append('.gitignore', '*\n');
      try {
        await this.#folder.create(key, inOnePiece(Buffer.from(textOf(job))));
        return true;
      } catch (error) {
        if (await this.has(key)) return false;
        // Another process has just removed the folder with its last note.
        if (attempt > 2) throw error;
      }
    }
  }

  /** Puts a note, or replaces the one that is there in one step. @throws MediaError `save` with its path */
  async replace(job: NoteFacts): Promise<void> {
    const path = join(this.#path, job.key);
    try {
      if (await this.put(job)) return;
      // Only a file: `put` refuses to follow a link to another folder.
      await replaceText(path, textOf(job));
    } catch (error) {
      const sentence = l10n.t(
        'Nothing was sent, because the note {0} cannot be replaced ({1}).',
        path,
        reasonOf(error),
      );
      throw new MediaError('save', sentence, { cause: error });
    }
  }

  /**
   * Removes a note. The last one removes the folder.
   *
   * @param work id of the work that must have made it; any if absent
   */
  async remove(key: string, work?: string): Promise<void> {
    if (work === undefined || (await this.workOf(key)) === work) await this.#folder.remove(key);
    if ((await this.#folder.list()).some((name) => name !== '.gitignore')) return;
    await this.#folder.remove('.gitignore');
    for (const empty of [this.#path, this.#parent]) await rmdir(empty).catch(() => undefined);
  }
}

/** The note on a whole has the length of its parts. */
type NoteFacts = Pick<JobFacts, 'key' | 'id' | 'idempotencyKey'> &
  Partial<Pick<JobFacts, 'place'>> &
  Pick<Whole, 'maxCharacters' | 'partBytes'>;

function contentOf({ key, id, place, idempotencyKey, maxCharacters, partBytes }: NoteFacts) {
  const { manifest, entry } = place ?? {};
  const sent = { key, work: id, machine: hostname(), time: new Date().toISOString() };
  return { ...sent, manifest, entry, idempotencyKey, maxCharacters, partBytes };
}

function textOf(job: NoteFacts): string {
  return `${JSON.stringify(contentOf(job))}\n`;
}
