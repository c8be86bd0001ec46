/** Thrown when another process took the job over because this one looked dead, for example while the machine slept. */
export class LeaseLost extends Error {
  constructor() {
    super('another window has taken over this job');
  }
}

/** Whether an error or one of its causes is {@link LeaseLost}. */
export function isLeaseLost(error: unknown): boolean {
  return error instanceof LeaseLost || (error instanceof Error && isLeaseLost(error.cause));
}
