/** Of every video that the sandbox makes. Sizes in pixels. */
export const videoFormat = { width: 640, height: 360, framesPerSecond: 24 } as const;
