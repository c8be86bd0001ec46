import { areas, operationIds } from '../../operations/operations.ts';
import type { Shaped } from './shape.ts';
import { flag, list, nothing, object, oneOf, optional, partial, text } from './shape.ts';

/** How many names of models the view offers for an operation; services list hundreds. */
export const maxModels = 500;

const short = text(4000);

/** What a person enters to connect a service. The key goes to the host with this, and is kept nowhere in the view. */
const serviceDraft = object({
  /** Empty for what the service does not have. */
  hosts: object({ image: short, audio: short, video: short }),
  /** The word before the key; empty for the key alone. */
  scheme: short,
  key: short,
});

/** What is wrong with it. */
const problem = object({
  /** What mends it; `settings` when what was entered is right and could not be saved. */
  step: oneOf(['address', 'scheme', 'key', 'settings']),
  area: optional(oneOf(areas)),
  sentence: text(),
  /** The word before the key that the service takes. */
  suggestion: optional(short),
  isProxy: flag,
  /** Whether the service can be connected all the same. */
  canSkip: flag,
});
export type ConnectProblem = Shaped<typeof problem>;

const modelChoice = object({
  operation: oneOf(operationIds),
  /** Names to choose from. */
  names: list(short, maxModels),
  /** The default, where there is one. */
  chosen: short,
});

const connected = object({
  summary: text(),
  models: list(modelChoice),
});
export type ConnectedService = Shaped<typeof connected>;

export const connectRequests = {
  /**
   * Tries a service without sending anything that is billed, and then uses it. Without a trial it is used as it is.
   * The reply has neither a problem nor a service when it was stopped.
   */
  connect: {
    body: object({ service: serviceDraft, isTried: flag }),
    reply: object({ problem: optional(problem), connected: optional(connected) }),
  },
  /** Stops the trial that runs. */
  stopConnecting: { body: object({}), reply: nothing },
  /** Makes these models the defaults of their operations; an empty name takes the operation's models away. */
  saveModels: { body: object({ models: partial(operationIds, short) }), reply: nothing },
} as const;
