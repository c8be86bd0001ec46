import type { Sound } from './Sound.ts';

/** Number of source samples on each side of a new sample that it is computed from. */
const reach = 16;
/** Number of positions between two source samples: for speech, more makes no audible difference. */
const positions = 512;

/**
 * Resamples a sound with a windowed sinc filter.
 *
 * @param step source samples per new sample; at the same sample rate, the sound gets higher and faster by this factor
 */
export async function* resample(sound: Sound, step: number): AsyncGenerator<Int16Array> {
  const weights = weightsOf(Math.min(1, 1 / step));
  // The sound starts and ends with silence.
  let source = new Int16Array(reach);
  let position = reach;
  const make = (): Int16Array => {
    const made = new Int16Array(Math.max(0, Math.ceil((source.length - reach - position) / step)));
    for (let index = 0; index < made.length; index++) {
      made[index] = sampleAt(source, position, weights);
      position += step;
    }
    const passed = Math.max(0, Math.min(Math.floor(position) - reach, source.length));
    source = source.slice(passed);
    position -= passed;
    return made;
  };
  for await (const piece of sound) {
    source = join(source, piece);
    yield make();
  }
  source = join(source, new Int16Array(reach));
  yield make();
}

function sampleAt(source: Int16Array, position: number, weights: Float32Array): number {
  const first = Math.floor(position) - reach + 1;
  const row = Math.floor((position % 1) * positions) * 2 * reach;
  let sum = 0;
  for (let tap = 0; tap < 2 * reach; tap++) sum += (source[first + tap] ?? 0) * (weights[row + tap] ?? 0);
  return Math.max(-32_768, Math.min(32_767, Math.round(sum)));
}

/** Returns a row of weights for each position. @param cutoff 1 passes all frequencies of the source */
function weightsOf(cutoff: number): Float32Array {
  const weights = new Float32Array(positions * 2 * reach);
  for (let row = 0; row < positions; row++) {
    for (let tap = 0; tap < 2 * reach; tap++) {
      const distance = tap - reach + 1 - row / positions;
      const turn = Math.PI * distance * cutoff;
      const sinc = turn === 0 ? 1 : Math.sin(turn) / turn;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / reach);
      weights[row * 2 * reach + tap] = cutoff * sinc * window;
    }
  }
  return weights;
}

function join(first: Int16Array, second: Int16Array): Int16Array<ArrayBuffer> {
  const joined = new Int16Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
