/** The tools for agents that run no operation and cost nothing. */
export const freeToolIds = ['getJob', 'cancelJob', 'findAssets', 'getOptions'] as const;
export type FreeToolId = (typeof freeToolIds)[number];
