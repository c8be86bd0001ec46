import { paintEdit, paintPicture } from './picture/paintPicture.ts';
import { readPicture } from './picture/readPicture.ts';
import { makeVideo, paintFirstFrame } from './video/makeVideo.ts';

/** The worker thread's tasks by name. Each takes one value that can be posted, and a signal. */
export const tasks = { paintPicture, paintEdit, readPicture, paintFirstFrame, makeVideo } as const;

export type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type TaskOutput<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;

/** Message to the worker. */
export type TaskMessage =
  | { readonly type: 'start'; readonly id: number; readonly name: TaskName; readonly input: unknown }
  | { readonly type: 'cancel'; readonly id: number };

/** Message from the worker. For `unreadable`, the problem is the rest of a sentence that starts with the picture. */
export type TaskReply = { readonly id: number } & (
  | { readonly type: 'done'; readonly output: unknown }
  | { readonly type: 'unreadable' | 'failed'; readonly problem: string }
);
