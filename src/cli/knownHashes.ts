import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KnownHash } from '../manifest/FileHashes.ts';
import { parseJson } from '../operations/parseJson.ts';

/** Loads the file hashes of earlier runs, and returns a function that saves those of this run. */
export async function knownHashes(state: string, manifest: string) {
  const folder = join(state, 'hashes');
  const file = join(folder, `${createHash('sha256').update(manifest).digest('hex').slice(0, 16)}.json`);
  const text = await readFile(file, 'utf8').catch(() => '');
  const known = new Map(entriesIn(text));
  return {
    known,
    /** Saves the hashes. Failures are ignored: the next run computes the hashes again. */
    keep: async (): Promise<void> => {
      const now = JSON.stringify([...known]);
      if (now === text) return;
      const temporary = `${file}.${process.pid}`;
      await mkdir(folder, { recursive: true, mode: 0o700 })
        .then(() => writeFile(temporary, now, { mode: 0o600 }))
        .then(() => rename(temporary, file))
        .catch(() => undefined);
    },
  };
}

function entriesIn(text: string): readonly (readonly [string, KnownHash])[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value.filter(isEntry) : [];
}

function isEntry(value: unknown): value is readonly [string, KnownHash] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [file, known] = value as readonly unknown[];
  if (typeof file !== 'string' || typeof known !== 'object' || known === null) return false;
  const { stamp, sha256 } = known as Readonly<Record<string, unknown>>;
  return typeof stamp === 'string' && typeof sha256 === 'string';
}
