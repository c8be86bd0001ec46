// Waits for what happens later than the action that causes it.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Locator } from 'playwright-core';

/** How long to wait for something to appear, in milliseconds. */
export const patience = 60_000;

/** Polls until the result is neither false nor undefined, and returns it. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  limit = patience,
): Promise<T> {
  const deadline = Date.now() + limit;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`Timed out after ${limit / 1000} s, waiting until ${what}.`);
    await sleep(50);
  }
}

/** Polls until the value is the expected one, and fails with the difference otherwise. */
export async function eventuallyEqual<T>(read: () => Promise<T>, expected: T): Promise<void> {
  let actual: T | undefined;
  try {
    await eventually('the values are equal', async () => {
      actual = await read();
      return isDeepStrictEqual(actual, expected);
    });
  } catch (error) {
    assert.deepEqual(actual, expected);
    throw error;
  }
}

/** Whether a wait or an action with a time limit succeeds. */
export async function succeeds(action: Promise<unknown>): Promise<boolean> {
  try {
    await action;
    return true;
  } catch {
    return false;
  }
}

/**
 * Repeats an action until its effect is there, because VS Code loses clicks on what it redraws at that moment, and
 * commands of a tree that it refreshes. Only for actions that do no harm when they are repeated.
 */
export async function actUntil(
  effect: Locator,
  action: () => Promise<unknown>,
  state: 'visible' | 'detached' = 'visible',
): Promise<void> {
  await eventually(
    `${effect} is ${state}`,
    async () => {
      await succeeds(action());
      return succeeds(effect.waitFor({ state, timeout: 20_000 }));
    },
    2 * patience,
  );
}

/** Clicks until the effect is visible. */
export function clickUntil(target: Locator, effect: Locator): Promise<void> {
  return actUntil(effect, () => target.click({ timeout: 10_000 }));
}
