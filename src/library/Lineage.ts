import type { LibraryEntry } from './LibraryRecord.ts';

/** A video and where it stands among those it was remixed from and into. */
export interface Video {
  readonly entry: LibraryEntry;
  /** URI of the workspace folder whose library names it. */
  readonly root: string;
}

/** The videos below each; those that came from none in the list are below `undefined`. Newest first. */
export type Lineage = ReadonlyMap<Video | undefined, readonly Video[]>;

/** Finds which video was remixed from which. Of a circle, which only a damaged library can hold, one is on top. */
export function lineageOf(videos: readonly Video[]): Lineage {
  const byId = new Map<string, Video>();
  // The same id can be in two folders, or have been added by hand: the first is the parent.
  for (const video of videos) {
    const id = idOf(video);
    if (id !== undefined && !byId.has(id)) byId.set(id, video);
  }
  const parents = new Map(videos.map((video) => [video, parentOf(video, byId)]));
  breakCircles(parents);
  const children = new Map<Video | undefined, Video[]>();
  for (const [video, parent] of parents) {
    const siblings = children.get(parent);
    if (siblings) siblings.push(video);
    else children.set(parent, [video]);
  }
  for (const siblings of children.values()) siblings.sort(newestFirst);
  return children;
}

/** The sandbox gives ids of its own. */
function keyOf(id: string, { entry }: Video): string {
  return `${entry.sandbox ? 'sandbox' : 'service'} ${id}`;
}

function idOf(video: Video): string | undefined {
  const { videoId } = video.entry;
  return videoId === undefined ? undefined : keyOf(videoId, video);
}

function parentOf(video: Video, byId: ReadonlyMap<string, Video>): Video | undefined {
  const { parentVideoId } = video.entry;
  return parentVideoId === undefined ? undefined : byId.get(keyOf(parentVideoId, video));
}

function breakCircles(parents: Map<Video, Video | undefined>): void {
  const safe = new Set<Video>();
  for (const start of parents.keys()) {
    const way = new Set<Video>();
    for (let video: Video | undefined = start; video && !safe.has(video); video = parents.get(video)) {
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
