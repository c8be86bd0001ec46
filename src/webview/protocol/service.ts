import { areas, operationIds } from '../../operations/operations.ts';
import type { Shaped } from './shape.ts';
import { flag, list, nothing, object, oneOf, optional, partial, text } from './shape.ts';

/** How many model names the view offers for an operation; services list hundreds. */
export const maxModels = 500;

const short = text(4000);

/** The form that connects a service. It carries the key to the host; the view stores the key nowhere. */
const serviceDraft = object({
  /** Empty where the service has no such host. */
  hosts: object({ image: short, audio: short, video: short }),
  /** The word before the key, such as `Bearer`; empty to send the key alone. */
  scheme: short,
  key: short,
});

/** Why a service could not be connected. */
const problem = object({
  /** The input to correct; `settings` when the input is right but could not be saved. */
  step: oneOf(['address', 'scheme', 'key', 'settings']),
  area: optional(oneOf(areas)),
  sentence: text(),
  /** The word before the key that the service accepts. */
  suggestion: optional(short),
  isProxy: flag,
  /** Whether the user may connect the service anyway. */
  canSkip: flag,
});
export type ConnectProblem = Shaped<typeof problem>;

const modelChoice = object({
  operation: oneOf(operationIds),
  /** Suggested model names. */
  names: list(short, maxModels),
  /** The default model, or an empty string. */
  chosen: short,
});
export type ModelChoice = Shaped<typeof modelChoice>;

const connected = object({
  summary: text(),
  models: list(modelChoice),
});
export type ConnectedService = Shaped<typeof connected>;

export const connectRequests = {
  /**
   * Connects a service; with `isTried` only after a test that sends no billed request.
   * The reply is empty when the user stopped the test.
   */
  connect: {
    body: object({ service: serviceDraft, isTried: flag }),
    reply: object({ problem: optional(problem), connected: optional(connected) }),
  },
  /** Stops the running test. */
  stopConnecting: { body: object({}), reply: nothing },
  /** Saves these models as the defaults of their operations; an empty name removes the operation's models. */
  saveModels: { body: object({ models: partial(operationIds, short) }), reply: nothing },
} as const;
