/** The ids of the tools that cost nothing. */
export const freeToolIds = ['getJob', 'cancelJob', 'findAssets', 'getOptions'] as const;
export type FreeToolId = (typeof freeToolIds)[number];
