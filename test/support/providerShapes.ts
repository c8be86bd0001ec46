import { readdirSync, readFileSync } from 'node:fs';
import type { OperationId } from '../../src/operations/operations.ts';
import { mp3Bytes, mp4Bytes, pngBytes } from './mediaBytes.ts';

/** What providers send, a file each: made by hand after the sources that it names. */
interface Provider {
  readonly source: string;
  readonly date: string;
  readonly answers: readonly Shape[];
}

interface Shape {
  readonly title: string;
  readonly operation: OperationId;
  readonly status?: number;
  readonly contentType?: string;
  /** Number of results that were asked for. */
  readonly count?: number;
  /** JSON, or a body as it is. In texts, `<png>` stands for the base64 of a picture, `<storage>` for another host. */
  readonly answer: unknown;
  readonly expected: Expected;
}

export type Expected =
  | { readonly saved: readonly string[]; readonly words?: string }
  | { readonly text: string; readonly segments?: readonly object[]; readonly failure?: true; readonly words?: string }
  | { readonly job: string }
  | { readonly kind: string; readonly words: string; readonly billed: boolean };

const folder = new URL('./shapes/', import.meta.url);
export const providers = readdirSync(folder).map((file) => {
  const provider = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Provider;
  return { ...provider, name: file.replace('.json', '') };
});

/** A third of a sound, as it comes in a stream. */
function thirdOf(index: number): Buffer {
  const length = Math.ceil(mp3Bytes.length / 3);
  return mp3Bytes.subarray(index * length, (index + 1) * length);
}

/** What the host of the results has. */
export const storedFiles: Readonly<Record<string, Buffer>> = {
  '/x.png': pngBytes,
  '/y.png': pngBytes,
  '/image': pngBytes,
  '/cover': pngBytes,
  '/frame.png': pngBytes,
  '/x.mp4': mp4Bytes,
  '/video': mp4Bytes,
  '/page': Buffer.from('<!doctype html><title>Share</title>'),
};

/** Returns the body of an answer. @param storage origin of the host of the results */
export function shapeBody(answer: unknown, storage: string): string {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  return text
    .replaceAll('<storage>', storage)
    .replaceAll('<png>', pngBytes.toString('base64'))
    .replaceAll('<mp3>', mp3Bytes.toString('base64'))
    .replaceAll('<jpg>', '/9j/4AAQSkZJRgABAQAAAQABAAD/')
    .replaceAll('<mp3 hex>', mp3Bytes.toString('hex'))
    .replaceAll(/<mp3 (hex )?(\d)>/g, (_, hex, index) => thirdOf(Number(index)).toString(hex ? 'hex' : 'base64'));
}
