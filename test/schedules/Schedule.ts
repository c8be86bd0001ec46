import { numbersFrom } from '../faults/numbersFrom.ts';
import { downloadFaults, type RequestFault, requestFaults, stages } from './CountingService.ts';
import { type Ending, faultLine, lineOf, type Run, type Step } from './Step.ts';
import { type Draw, type Story, type StoryName, stories } from './stories.ts';
import { type WorkName, workNames } from './works.ts';

/** All stories, of which a schedule has at most one. */
const storyNames = Object.keys(stories) as readonly StoryName[];

/** What disturbs the programs of a schedule at random. */
export const randomDisturbances = [
  'kill',
  'signal',
  'fault',
  'download',
  'rename',
  'link',
  'git',
  'clock',
  'disk',
  'together',
  'jobs',
] as const;
/** What disturbs the programs of a schedule. */
export const disturbances = [...randomDisturbances, 'refuse', ...storyNames] as const;
export type Disturbance = (typeof disturbances)[number];

export interface Schedule {
  readonly seed: number;
  readonly works: readonly WorkName[];
  /** Whether pictures are downloaded; otherwise they are in the answer. */
  readonly byUrl: boolean;
  readonly steps: readonly Step[];
  /** Faults of the service, by the number of the request. */
  readonly faults: ReadonlyMap<number, RequestFault>;
  /** What is on the small disk that fills up; undefined to use no such disk. */
  readonly disk: 'state' | 'state and project' | undefined;
  readonly story: Omit<Story, 'steps' | 'works'> & { readonly name: StoryName | undefined };
}

/** Names that VS Code and Node write differently in URIs. Windows has no colons in names. */
const folderNames = [
  'project',
  'my project (1)',
  "it's ünï+côdé!",
  process.platform === 'win32' ? 'c;@[x]' : 'c:@[x]',
  '100%25 & #1',
];

/** How many schedules have a story. */
const storyShare = 0.6;

/** Draws a schedule: the same seed and disturbances give the same one. */
export function drawSchedule(seed: number, allowed: readonly Disturbance[] = disturbances): Schedule {
  const schedule = drawWithStory(seed, allowed);
  return allowed.includes('jobs') ? { ...schedule, steps: withJobs(seed, schedule.steps) } : schedule;
}

/** Draws how many requests each apply may have out at a time, with numbers that change nothing else. */
function withJobs(seed: number, steps: readonly Step[]): readonly Step[] {
  const draw = drawFrom(numbersFrom(Math.imul(seed, 668_265_263) + 2));
  const withDrawn = (run: Run): Run => {
    const jobs = draw.oneOf([1, 4, 4, 4, 16]);
    return run.program === 'apply' ? { ...run, jobs } : run;
  };
  return steps.map((step) => (step.type === 'run' ? { ...step, runs: step.runs.map(withDrawn) } : step));
}

function drawWithStory(seed: number, allowed: readonly Disturbance[]): Schedule {
  const base = drawRandom(seed, allowed);
  // Numbers of their own, so that stories do not change what happens without them.
  const draw = drawFrom(numbersFrom(Math.imul(seed, 1_597_334_677) + 1));
  const faults = new Map(base.faults);
  const refusedAt = 1 + draw.below(12);
  if (draw.chance(0.15) && allowed.includes('refuse')) faults.set(refusedAt, '400');
  const names = storyNames.filter((name) => allowed.includes(name));
  const [first, ...others] = names;
  if (!draw.chance(storyShare) || first === undefined) return { ...base, faults };
  const name = draw.oneOf([first, ...others]);
  const { works, steps, ...story } = stories[name](draw);
  const disk = story.second || story.isAlone ? undefined : base.disk;
  const besides = disk === undefined ? base.steps.map(withoutFilling) : base.steps;
  return {
    ...base,
    story: { ...story, name },
    works: [...new Set([...(story.isAlone ? [] : base.works), ...works])],
    faults: story.isAlone ? new Map() : faults,
    steps: story.isAlone ? steps : withBase(steps, besides, draw),
    disk,
  };
}

/** The disk of this computer must not fill up. */
function withoutFilling(step: Step): Step {
  if (step.type !== 'run') return step;
  return {
    ...step,
    runs: step.runs.map((run) => (run.ending?.how === 'fill the disk' ? { ...run, ending: undefined } : run)),
  };
}

/** Adds the first of other steps before or after those of a story. */
function withBase(story: readonly Step[], base: readonly Step[], draw: Draw): readonly Step[] {
  const [first, second] = base;
  const one = first ? [first, ...(second && second.type !== 'run' ? [second] : [])] : [];
  return draw.chance(0.5) ? [...one, ...story] : [...story, ...one];
}

function drawFrom(random: () => number): Draw {
  const below = (count: number) => Math.floor(random() * count);
  return { below, chance: (share) => random() < share, oneOf: (all) => all[below(all.length)] ?? all[0] };
}

function drawRandom(seed: number, allowed: readonly Disturbance[]): Schedule {
  const random = numbersFrom(Math.imul(seed, 2_654_435_761));
  const below = (count: number) => Math.floor(random() * count);
  const chance = (share: number) => random() < share;
  const oneOf = <T>(all: readonly T[], fallback: T): T => all[below(all.length)] ?? fallback;
  // Always draws, so that leaving out a disturbance changes as little as possible of the rest.
  const happens = (kind: Disturbance, share: number) => chance(share) && allowed.includes(kind);

  const works: WorkName[] = workNames.filter(() => chance(0.35));
  if (works.length === 0) works.push(oneOf(workNames, 'pictures'));
  const byUrl = chance(0.6);
  const isDownloaded =
    works.includes('video') || (byUrl && works.some((work) => work === 'pictures' || work === 'plain'));
  const reached = stages.filter((stage) => {
    if (stage === 'polling') return works.includes('video');
    return isDownloaded || (stage !== 'downloading' && stage !== 'halfDownloaded');
  });

  const ending = (hasDisk: boolean, isFirst: boolean): Ending | undefined => {
    const how = oneOf(['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGINT'] as const, 'SIGKILL');
    const stage = oneOf(reached, 'arrived');
    const nth = 1 + below(oneOf([1, 2, 5], 1));
    const at = chance(0.3) ? 150 + below(600) : { stage, nth };
    const delay = typeof at === 'number' ? 0 : below(3) * 8;
    const fills = chance(0.5) && hasDisk;
    if (fills) return { how: 'fill the disk', at: { stage: chance(0.7) ? 'arrived' : stage, nth }, delay: 0 };
    const ends = chance(isFirst ? 0.95 : 0.7) && allowed.includes(how === 'SIGKILL' ? 'kill' : 'signal');
    return ends ? { how, at, delay } : undefined;
  };

  const hasEditor = works.some((work) => ['plain', 'notes', 'call'].includes(work)) || chance(0.4);
  const disk = happens('disk', 0.15) ? oneOf(['state', 'state and project'] as const, 'state') : undefined;
  let isLinked = false;

  const run = (isFirst: boolean): Run => {
    const program = hasEditor && chance(0.5) ? 'editor' : 'apply';
    isLinked = happens('link', 0.25) ? !isLinked : isLinked;
    return { program, byLink: isLinked, delay: 0, ending: ending(disk !== undefined, isFirst) };
  };
  const runStep = (isFirst: boolean): Step => {
    const first = run(isFirst);
    const other = happens('together', 0.25) ? [{ ...run(isFirst), delay: below(400) }] : [];
    const downloads = happens('download', 0.2) ? oneOf(downloadFaults, '404') : undefined;
    return { type: 'run', runs: [first, ...other], downloads };
  };

  const steps: Step[] = [];
  let hasGit = false;
  const count = 2 + below(2);
  for (let index = 0; index < count; index++) {
    steps.push(runStep(index === 0));
    const to = oneOf(folderNames, 'project');
    if (happens('rename', 0.12)) steps.push({ type: 'rename', to: `${index} ${to}` });
    if (happens('git', 0.1) && !hasGit) {
      hasGit = true;
      steps.push({ type: 'git init' });
    }
    const hours = oneOf([2, -2, 24 * 31], 2);
    if (happens('clock', 0.15)) steps.push({ type: 'clock', hours });
  }
  const faults = new Map<number, RequestFault>();
  for (let index = 0; index < 2; index++) {
    const [number, fault] = [1 + below(12), oneOf(requestFaults, '500')];
    if (happens('fault', 0.3)) faults.set(number, fault);
  }
  return { seed, works, byUrl, steps, faults, disk, story: { name: undefined } };
}

/** Describes a schedule, one line per step. */
export function linesOf({ works, byUrl, steps, faults, disk, story }: Schedule): readonly string[] {
  return [
    `works: ${works.join(', ')}; pictures ${byUrl ? 'are downloaded' : 'are in the answer'}`,
    ...(story.name ? [`story: ${story.name}`] : []),
    ...(story.maxCharacters ? [`the editor sends ${story.maxCharacters} characters at once`] : []),
    ...(disk ? [`${disk} on a small disk`] : []),
    ...[...faults].map(([number, fault]) => `request ${number}: ${faultLine(fault)}`),
    ...steps.map((step, index) => `${index + 1}. ${lineOf(step)}`),
  ];
}
