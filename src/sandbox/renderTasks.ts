import { paintEdit, paintPicture } from './picture/paintPicture.ts';
import { readPicture } from './picture/readPicture.ts';
import { makeVideo, paintFirstFrame } from './video/makeVideo.ts';

/** The worker thread's tasks by name. Each takes one value that can be posted. */
export const tasks = { paintPicture, paintEdit, readPicture, paintFirstFrame, makeVideo } as const;

type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type TaskOutput<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;

export interface RenderTask {
  readonly name: TaskName;
  readonly input: unknown;
}

/** For `unreadable`, the problem is the rest of a sentence that starts with the picture. */
export type RenderResult =
  | { readonly type: 'done'; readonly output: unknown }
  | { readonly type: 'unreadable'; readonly problem: string };
