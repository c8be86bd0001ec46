import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { bytesOf, type JoinedSpeech, type JoinOptions, joinSpeech } from '../../src/sound/joinSpeech.ts';

const folder = mkdtempSync(join(tmpdir(), 'speech-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Returns the path of a file in a folder that is removed when the process exits. */
export function pathOf(name: string): string {
  return join(folder, name);
}

export function joinParts(kind: string, ...parts: readonly Uint8Array[]): Promise<JoinedSpeech> {
  return joinFiles(kind, {}, parts);
}

async function joinFiles(kind: string, options: JoinOptions, parts: readonly Uint8Array[]): Promise<JoinedSpeech> {
  const files = parts.map((_, index) => pathOf(`${index}.part`));
  await Promise.all(files.map((file, index) => writeFile(file, parts[index] ?? '')));
  return joinSpeech(kind, files, options);
}

/** Joins the parts and returns the file. */
export function joined(kind: string, ...parts: readonly Uint8Array[]): Promise<Buffer> {
  return joinWith(kind, {}, ...parts);
}

export async function joinWith(kind: string, options: JoinOptions, ...parts: readonly Uint8Array[]): Promise<Buffer> {
  const result = await joinFiles(kind, options, parts);
  assert(result.joined, JSON.stringify(result));
  return buffer(bytesOf(result.data));
}

/** Returns the duration of each part in the joined file, from its reported pieces. */
export async function secondsByPart(kind: string, ...parts: readonly Uint8Array[]): Promise<readonly number[]> {
  const result = await joinParts(kind, ...parts);
  assert(result.joined, JSON.stringify(result));
  const sums = parts.map(() => 0);
  for await (const { part, seconds } of result.data) {
    if (part === undefined) assert.equal(seconds, 0);
    else sums[part] = (sums[part] ?? 0) + seconds;
  }
  return sums;
}
