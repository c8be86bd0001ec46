import { isObject } from '../foreign/shape.ts';
import type { LibraryEntry } from './LibraryRecord.ts';

/** A video of a library. */
export interface Video {
  readonly entry: LibraryEntry;
  /** URI of the workspace folder that the library belongs to. */
  readonly root: string;
}

export function isVideo(value: unknown): value is Video {
  return isObject(value) && 'entry' in value && 'root' in value;
}

/** The remixes of each video, newest first. Videos without a parent in the list are under `undefined`. */
export type Lineage<T extends Video = Video> = ReadonlyMap<T | undefined, readonly T[]>;

/** Finds which video was remixed from which. Breaks circles, which only a damaged library can contain. */
export function lineageOf<T extends Video>(videos: readonly T[]): Lineage<T> {
  const byId = new Map<string, T>();
  // The same id can be in two folders, or be added by hand: the first video counts as the parent.
  for (const video of videos) {
    const id = idOf(video);
    if (id !== undefined && !byId.has(id)) byId.set(id, video);
  }
  const parents = new Map(videos.map((video) => [video, parentOf(video, byId)]));
  breakCircles(parents);
  const children = new Map<T | undefined, T[]>();
  for (const [video, parent] of parents) {
    const siblings = children.get(parent);
    if (siblings) siblings.push(video);
    else children.set(parent, [video]);
  }
  for (const siblings of children.values()) siblings.sort(newestFirst);
  return children;
}

/** Ids of the sandbox and the service are separate. */
function keyOf(id: string, { entry }: Video): string {
  return `${entry.sandbox ? 'sandbox' : 'service'} ${id}`;
}

function idOf(video: Video): string | undefined {
  const { videoId } = video.entry;
  return videoId === undefined ? undefined : keyOf(videoId, video);
}

function parentOf<T extends Video>(video: T, byId: ReadonlyMap<string, T>): T | undefined {
  const { parentVideoId } = video.entry;
  return parentVideoId === undefined ? undefined : byId.get(keyOf(parentVideoId, video));
}

function breakCircles<T>(parents: Map<T, T | undefined>): void {
  const safe = new Set<T>();
  for (const start of parents.keys()) {
    const way = new Set<T>();
    for (let video: T | undefined = start; video && !safe.has(video); video = parents.get(video)) {
      if (way.has(video)) {
        parents.set(video, undefined);
        break;
      }
      way.add(video);
    }
    for (const video of way) safe.add(video);
  }
}

function newestFirst(a: Video, b: Video): number {
  return b.entry.createdAt < a.entry.createdAt ? -1 : b.entry.createdAt > a.entry.createdAt ? 1 : 0;
}
