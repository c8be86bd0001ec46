import { answerTasks } from '../../src/workers/WorkerThreads.ts';

// As on a busy computer, the thread takes longer to start than a task may be quiet.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
answerTasks((task: string) => task);
