import { paintEdit } from '../picture/paintEdit.ts';
import { paintPicture } from '../picture/paintPicture.ts';
import { readPicture } from '../picture/readPicture.ts';
import { makeVideo } from '../video/makeVideo.ts';
import { paintFirstFrame } from '../video/paintFirstFrame.ts';

/** The heavy work, by name: what the worker thread does. Each takes one value that can be posted, and a signal. */
export const tasks = { paintPicture, paintEdit, readPicture, paintFirstFrame, makeVideo } as const;

type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type TaskOutput<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;

/** To the worker. */
export type TaskMessage =
  | { readonly type: 'start'; readonly id: number; readonly name: TaskName; readonly input: unknown }
  | { readonly type: 'cancel'; readonly id: number };

/** From the worker. `unreadable`: a picture is not what it should be, as the rest of a sentence. */
export type TaskReply = { readonly id: number } & (
  | { readonly type: 'done'; readonly output: unknown }
  | { readonly type: 'unreadable' | 'failed'; readonly problem: string }
);
