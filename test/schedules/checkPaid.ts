import type { Accepted } from './CountingService.ts';
import type { Started } from './World.ts';
import { otherMark, unitsOf } from './works.ts';

export interface Paid {
  readonly accepted: readonly Accepted[];
  /** How each program was started. */
  readonly started: ReadonlyMap<string, Started>;
  /** How many requests were accepted before a person agreed, at the end, to what was named. */
  readonly before: number;
  /** Owners that were named to the person, with their places. */
  readonly named: ReadonlySet<string>;
  /** How many requests were accepted when a person deleted the file of an owner, which then may be paid for again. */
  readonly deleted: ReadonlyMap<string, number>;
}

interface Problem {
  readonly kind: string;
  readonly sentence: string;
}

/** Checks what the service has accepted against what the persons have agreed to. */
export function checkPaid(paid: Paid): readonly Problem[] {
  return [...checkRepeats(paid), ...checkLimits(paid)];
}

/** A unit of content that was paid for in a place. */
interface Earlier {
  readonly number: number;
  readonly accepted: Accepted;
}

/**
 * Each unit of content is paid for once in a place, and again only with a yes: at the end only what was named, and never
 * what a program there had.
 */
function checkRepeats({ accepted, started, before, named, deleted }: Paid): readonly Problem[] {
  const problems: Problem[] = [];
  const paidFor = new Map<string, Earlier[]>();
  for (const [number, again] of accepted.entries()) {
    const { place = 'project', isAgreed = false, seat } = started.get(again.program) ?? {};
    const name = `${place}: ${again.owner}`;
    const earlier = new Map<number, Accepted>();
    for (const unit of unitsOf(again.content)) {
      const all = paidFor.get(`${place}: ${unit}`) ?? [];
      for (const one of all) if (one.number >= (deleted.get(name) ?? 0)) earlier.set(one.number, one.accepted);
      paidFor.set(`${place}: ${unit}`, [...all, { number, accepted: again }]);
    }
    // An agent may ask again for what it has, or what has failed.
    const others = [...earlier.values()].filter((one) => place !== 'agent' || isUnknown(one));
    if (others.length === 0) continue;
    const sentence = `${short(again.content)}: ${[...others, again].map(described).join(', ')}`;
    const had = others.filter(({ isKept, program }) => isKept && started.get(program)?.seat === seat);
    if (!isAgreed) problems.push({ kind: 'paid twice', sentence });
    else if (number >= before && !named.has(name))
      problems.push({ kind: 'paid twice', sentence: `not named: ${sentence}` });
    else if (had.length > 0)
      problems.push({ kind: 'lost', sentence: `paid again though a program had its answer: ${sentence}` });
  }
  return problems;
}

/** Whether an agent cannot know what became of a request. */
function isUnknown({ isKept, answer }: Accepted): boolean {
  return !isKept && !['500', '502', '503'].includes(answer);
}

/** What was sent is what was agreed to, and no more. */
function checkLimits({ accepted, started }: Paid): readonly Problem[] {
  const problems: Problem[] = [];
  for (const [program, { words = [], change }] of started) {
    const own = accepted.filter((one) => one.program === program);
    const limit = words.includes('--max-requests') ? Number(words.at(-1)) : Number.POSITIVE_INFINITY;
    if (own.length > limit) problems.push({ kind: 'too much', sentence: `${program} sent ${own.length} requests` });
    const changed = change ? own.filter(({ content }) => content.includes(otherMark)) : [];
    for (const { content } of changed)
      problems.push({ kind: 'not agreed', sentence: `${short(content)} by ${program}` });
    if (words.includes('--sandbox') && own.length > 0)
      problems.push({ kind: 'too much', sentence: `${program} sent ${own.length} requests with the sandbox` });
  }
  return problems;
}

/**
 * Each paid content has ended in a file, or the person was told.
 *
 * @param shown requests that a window has shown as failed or unknown
 */
export function checkSaved(
  accepted: readonly Accepted[],
  files: readonly Buffer[],
  shown: readonly string[],
): readonly string[] {
  const units = accepted.flatMap((one) => unitsOf(one.content).map((unit) => ({ unit, one })));
  const byUnit = Map.groupBy(units, ({ unit }) => unit);
  const isSaved = ({ marks }: Accepted) => marks.every((mark) => files.some((file) => file.includes(mark)));
  const saved = new Set(accepted.filter(isSaved));
  const lost = new Map<string, readonly Accepted[]>();
  for (const found of byUnit.values()) {
    const all = found.map(({ one }) => one);
    const [first] = all;
    // What a person has changed back is of no use.
    if (!first || all.some((one) => saved.has(one)) || first.content.includes(otherMark)) continue;
    const prompt = first.content.slice(first.content.indexOf(first.owner === 'plain' ? 'plain' : 'agent'));
    const isShown =
      (first.owner === 'plain' && shown.some((request) => request.includes(prompt))) ||
      (first.owner === 'agent' && shown.some((request) => request.includes(prompt.slice(0, 20))));
    if (!isShown) lost.set(first.content, all);
  }
  return [...lost].map(([content, all]) => `${short(content)} is in no file: ${all.map(described).join(', ')}`);
}

function described({ program, answer, isKept }: Accepted): string {
  return `by ${program} (answer ${answer}${isKept ? ', kept' : ''})`;
}

function short(content: string): string {
  return content.length > 60 ? `${content.slice(0, 60)}…` : content;
}
