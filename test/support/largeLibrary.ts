import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LibraryRecord } from '../../src/library/LibraryRecord.ts';

/** Returns the record of a video; higher numbers are newer. */
export function videoRecord(index: number, parent?: number): LibraryRecord {
  return {
    file: `media/videos/a-lighthouse-in-a-storm-${index}.mp4`,
    kind: 'videos',
    operation: parent === undefined ? 'generateVideo' : 'remixVideo',
    model: 'sandbox-1',
    prompt: `A lighthouse in a storm, waves against the rocks, seen from a boat: take ${index}`,
    mediaType: 'video/mp4',
    bytes: 123_456,
    sha256: index.toString(16).padStart(64, '0'),
    createdAt: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
    jobId: `11111111-2222-3333-4444-${String(index).padStart(12, '0')}`,
    videoId: `video_${index}`,
    ...(parent === undefined ? {} : { parentVideoId: `video_${parent}` }),
  };
}

/** Writes a library: every tenth record is a video, and every third video is a remix of the previous one. */
export async function writeLibrary(root: string, records: number, videoEvery = 10): Promise<void> {
  const lines = Array.from({ length: records }, (_, index) => {
    const isRemix = index % (videoEvery * 3) === videoEvery;
    const video = videoRecord(index, isRemix ? index - videoEvery : undefined);
    if (index % videoEvery === 0) return JSON.stringify(video);
    const { videoId: _id, parentVideoId: _parent, ...facts } = video;
    const file = `media/images/a-lighthouse-in-a-storm-${index}.png`;
    return JSON.stringify({ ...facts, file, kind: 'images', operation: 'generateImage', mediaType: 'image/png' });
  });
  await mkdir(join(root, '.unified-media'), { recursive: true });
  await writeFile(join(root, '.unified-media/library.jsonl'), `${lines.join('\n')}\n`);
}

/** Returns the files of a workspace with this many images in its library. */
export function galleryFiles(results: number, picture: Uint8Array): Readonly<Record<string, string | Uint8Array>> {
  const records = Array.from({ length: results }, (_, index) => {
    const { videoId: _id, ...facts } = videoRecord(index);
    const file = `media/images/${index}.png`;
    return { ...facts, file, kind: 'images', operation: 'generateImage', mediaType: 'image/png' };
  });
  const files = records.map(({ file }) => [file, picture] as const);
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  return { ...Object.fromEntries(files), '.unified-media/library.jsonl': lines };
}
