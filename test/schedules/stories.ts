import type { Ending, Run, Step } from './Step.ts';
import type { Changed, WorkName } from './works.ts';

/** Draws what a schedule consists of. */
export interface Draw {
  /** Returns a whole number from 0 to before `count`. */
  below(count: number): number;
  chance(share: number): boolean;
  oneOf<const T>(all: readonly [T, ...T[]]): T;
}

/** Where the second program of a story is: in a clone with the same state, or on a computer with the same folder. */
type Second = 'clone' | 'computer';

/** What persons do one after the other, which nobody would hit upon by chance. */
export interface Story {
  /** Works that take part. */
  readonly works: readonly WorkName[];
  readonly steps: readonly Step[];
  readonly second?: Second;
  /** The editor's length of a part of a text; that of the command line unless set. */
  readonly maxCharacters?: number;
  /** Whether the service knows a repeated request by its key. */
  readonly honoursKeys?: true;
  /** Whether other works and steps would only be in the way. */
  readonly isAlone?: true;
}

/** Stories by the disturbance that they are. */
export const stories = {
  /** A person tries the sandbox after a failure. */
  sandbox: (draw: Draw): Story => {
    const work = draw.oneOf(['guide', 'text', 'book', 'pictures']);
    const failed = run({ ...(draw.chance(0.5) ? refused(draw, 2) : stopped(draw)) });
    return { works: [work], steps: [step(failed), step(run({ words: ['--sandbox'] })), ...someRuns(draw)] };
  },
  /** A yes is not always sent. */
  yes: (draw: Draw): Story => {
    const access = draw.oneOf(['wrong key', 'offline', 'offline', undefined] as const);
    const yes = run({ words: ['--again'], access });
    return { works: [draw.oneOf(all)], steps: [step(run(stopped(draw))), step(yes), ...someRuns(draw)] };
  },
  /** Two clones share a state folder. */
  clone: (draw: Draw): Story => {
    const [first, other] = draw.chance(0.5) ? (['first', 'second'] as const) : (['second', 'first'] as const);
    const begin = run({ seat: first, ...failing(draw) });
    const words = draw.chance(0.5) ? ['--again'] : [];
    const goOn = run({ seat: other, words, ...(draw.chance(0.3) ? failing(draw) : {}) });
    const steps = [step(begin), step(goOn), ...(draw.chance(0.5) ? [step(run({ seat: first }))] : [])];
    const work = draw.oneOf(['text', 'text', 'guide', 'guide', 'book', 'pictures', 'talk']);
    return { works: [work], steps, second: 'clone', isAlone: true };
  },
  /** A folder is deleted, and a clone goes on with what was paid for it. */
  gone: (draw: Draw): Story => {
    const work = draw.oneOf(['text', 'text', 'guide']);
    const again = draw.oneOf([refused(draw, 2), refused(draw, 2), stopped(draw)]);
    const steps: Step[] = [
      step(run(draw.chance(0.8) ? refused(draw, 2) : failing(draw))),
      { type: 'remove' },
      step(run({})),
      { type: 'delete', work },
      step(run(again)),
      step(run({ words: ['--max-requests', '1'] })),
    ];
    return { works: [work], steps, second: 'clone', isAlone: true };
  },
  /** Two computers share the folder, and one of them is slow. */
  computers: (draw: Draw): Story => {
    const both = [
      run({ seat: 'first', isSlow: true, delay: draw.below(200) }),
      run({ seat: 'second', delay: draw.below(200) }),
    ];
    const steps = [{ type: 'run', runs: both, downloads: undefined }, ...someRuns(draw)] as const;
    return {
      works: [draw.oneOf(['pictures', 'edit', 'guide', 'video', 'talk'])],
      steps,
      second: 'computer',
      isAlone: true,
    };
  },
  /** Another computer goes on with what one has left. */
  computer: (draw: Draw): Story => {
    const steps = [step(run({ seat: 'first', ...failing(draw) })), step(run({ seat: 'second' }))];
    return { works: [draw.oneOf(all)], steps, second: 'computer' };
  },
  /** The editor cuts texts at another length. */
  lengths: (draw: Draw): Story => {
    const begin = run({ program: 'editor', ...failing(draw, 3) });
    const isOther = draw.chance(0.5);
    const steps: Step[] = [step(begin)];
    if (!isOther && draw.chance(0.6)) steps.push({ type: 'rename', to: 'renamed' });
    steps.push(step(run({ seat: isOther ? 'second' : 'first' })));
    const works = draw.oneOf([['text'], ['book']] as const);
    return { works, steps, maxCharacters: 1000, ...(isOther ? { second: 'computer' } : {}), isAlone: true };
  },
  /** What was agreed to changes while a request is out. */
  change: (draw: Draw): Story => {
    const what: Changed = draw.oneOf(['guide', 'talk', 'edit', 'pictures']);
    const works: readonly WorkName[] = what === 'pictures' ? ['pictures'] : ['pictures', what];
    return {
      works,
      steps: [step(run({ change: { what, nth: 1 + draw.below(2) } })), ...someRuns(draw)],
      isAlone: true,
    };
  },
  /** A person changes a source, tries the sandbox, and goes back. */
  back: (draw: Draw): Story => {
    const what: Changed = draw.oneOf(['guide', 'guide', 'talk', 'edit', 'pictures']);
    const steps: Step[] = [
      step(run({})),
      { type: 'change', what },
      step(run({ words: ['--sandbox'] })),
      { type: 'change back' },
    ];
    return { works: [what], steps, isAlone: true };
  },
  /** A note of another computer cannot be removed. */
  note: (draw: Draw): Story => {
    const killed: Run = run({ seat: 'second', ending: killedAt('arrived', 1 + draw.below(2)) });
    return {
      works: [draw.oneOf(all)],
      steps: [step(killed), { type: 'keep notes' }],
      second: 'computer',
      isAlone: true,
    };
  },
  /** A run may send only so much. */
  limit: (draw: Draw): Story => {
    const words = ['--max-requests', String(1 + draw.below(3))];
    const limited = run({ words, ...(draw.chance(0.3) ? failing(draw) : {}) });
    return { works: [draw.oneOf(all), draw.oneOf(all)], steps: [...someRuns(draw), step(limited)] };
  },
  /** An agent repeats a call, also after days. */
  agent: (draw: Draw): Story => {
    const tool = draw.oneOf(['media_generate_image', 'media_speak'] as const);
    const id = () => draw.oneOf([undefined, 'one', 'two']);
    const call = (more: Partial<Run> = {}): Step => step(run({ program: 'agent', call: { tool, id: id() }, ...more }));
    const isSpeech = tool === 'media_speak';
    const begin = call(isSpeech && draw.chance(0.5) ? refused(draw, 2) : stopped(draw, isSpeech ? 3 : 1));
    const days: Step[] = draw.chance(0.6) ? [{ type: 'clock', hours: 24 * (1 + draw.below(4)) }] : [];
    const personAgain: Run = run({
      program: 'agent',
      words: ['--again'],
      access: draw.oneOf(['wrong key', 'offline']),
    });
    const unsent: Step[] = draw.chance(0.4) ? [step(personAgain)] : [];
    return { works: [], steps: [begin, ...days, ...unsent, call()], isAlone: true };
  },
  /** A service that knows repeated requests by their keys. */
  keys: (draw: Draw): Story => {
    const steps = [step(run(failing(draw))), step(run(draw.chance(0.5) ? failing(draw) : {}))];
    return { works: [draw.oneOf(all), draw.oneOf(all)], steps, honoursKeys: true, isAlone: true };
  },
} as const;

export type StoryName = keyof typeof stories;

const all = ['pictures', 'guide', 'text', 'talk', 'edit', 'book', 'video'] as const;

function run(more: Partial<Run>): Run {
  return { program: 'apply', byLink: false, delay: 0, ending: undefined, ...more };
}

function step(...runs: readonly Run[]): Step {
  return { type: 'run', runs, downloads: undefined };
}

function someRuns(draw: Draw): readonly Step[] {
  return draw.chance(0.3) ? [step(run({}))] : [];
}

/** A request is refused, and not billed. */
function refused(draw: Draw, nth = 1 + draw.below(3)): Partial<Run> {
  return { fault: { nth, fault: '400' } };
}

/** A request has an unknown outcome. */
function stopped(draw: Draw, last = 3): Partial<Run> {
  const nth = 1 + draw.below(last);
  if (draw.chance(0.3)) return { fault: { nth, fault: draw.oneOf(['drop', 'half', '502']) } };
  return { ending: killedAt(draw.oneOf(['arrived', 'arrived', 'half']), nth) };
}

function failing(draw: Draw, last = 3): Partial<Run> {
  return draw.chance(0.4) ? refused(draw, 1 + draw.below(last)) : stopped(draw, last);
}

function killedAt(stage: 'arrived' | 'half', nth: number): Ending {
  return { how: 'SIGKILL', at: { stage, nth }, delay: 0 };
}
