// Waits for what happens later than the action that causes it.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
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
  const deadline = Date.now() + patience;
  for (;;) {
    const actual = await read();
    try {
      assert.deepEqual(actual, expected);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await sleep(50);
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
 * Clicks until the effect is visible, because a click gets lost when VS Code redraws its target at that moment. Only for
 * clicks that do no harm when they are repeated.
 */
export async function clickUntil(target: Locator, effect: Locator): Promise<void> {
  await eventually(`a click on ${target} has an effect`, async () => {
    if (!(await succeeds(target.click({ timeout: 10_000 })))) return effect.isVisible();
    return succeeds(effect.waitFor({ timeout: 10_000 }));
  });
}
