// Loaded before each program of a schedule (`node --import`): its clock is set, and its long pauses are short.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import timers from 'node:timers/promises';

/** How far the clock is ahead, in milliseconds. Times of files are stored without it. */
const ahead = Number(process.env.SCHEDULE_CLOCK ?? 0);
/** Pauses of at least 100 ms pass so many times faster. Time limits of connections are not pauses. */
const haste = 40;
/** The file without which a slow disk makes no note of a request. */
const gate = process.env.SCHEDULE_GATE;

const realNow = Date.now;
Date.now = () => realNow() + ahead;
globalThis.Date = new Proxy(Date, {
  construct: (target, values, made) => Reflect.construct(target, values.length > 0 ? values : [target.now()], made),
});

/** @template {fs.Stats | fs.BigIntStats} S @param {S} stats @returns {S} */
function onClock(stats) {
  if (typeof stats?.mtimeMs === 'number') stats.mtimeMs += ahead;
  return stats;
}

if (ahead !== 0) {
  const { stat, lstat, open } = fs.promises;
  fs.promises.stat = /** @type {typeof stat} */ (async (...values) => onClock(await stat(...values)));
  fs.promises.lstat = /** @type {typeof lstat} */ (async (...values) => onClock(await lstat(...values)));
  const file = await open(process.execPath);
  const handles = Object.getPrototypeOf(file);
  const statOfHandle = handles.stat;
  handles.stat = /** @this {fs.promises.FileHandle} @param {...unknown} values */ async function (...values) {
    return onClock(await statOfHandle.apply(this, values));
  };
  await file.close();
}

const { setTimeout: pause } = timers;
if (gate !== undefined) {
  const { open } = fs.promises;
  const isNote = /\.unified-media[\\/]jobs[\\/][0-9a-f]{32,64}$/;
  fs.promises.open = /** @type {typeof open} */ (
    async (path, ...values) => {
      while (isNote.test(String(path)) && values.length > 0 && !fs.existsSync(gate)) await pause(10);
      return open(path, ...values);
    }
  );
}
if (process.env.SCHEDULE_OFFLINE) {
  const connect = /** @type {(port: number, host: string) => net.Socket} */ (net.Socket.prototype.connect);
  // Nobody listens at this port.
  net.Socket.prototype.connect = /** @this {net.Socket} */ function () {
    return connect.call(this, 1, '127.0.0.1');
  };
}

timers.setTimeout = /** @type {typeof pause} */ (
  (milliseconds, ...values) => pause(shortened(milliseconds), ...values)
);
// Only heartbeats are so slow.
const { setInterval: repeat } = globalThis;
globalThis.setInterval = /** @type {typeof repeat} */ (
  /** @param {() => void} work @param {number} milliseconds @param {[]} values */
  (work, milliseconds, ...values) =>
    repeat(work, milliseconds >= 5000 ? shortened(milliseconds) : milliseconds, ...values)
);
syncBuiltinESMExports();

/** @param {number | undefined} milliseconds */
function shortened(milliseconds = 0) {
  return milliseconds >= 100 ? milliseconds / haste : milliseconds;
}
