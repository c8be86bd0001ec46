// Apart from ImageChange.ts, whose sentences the worker thread has no use for.

/** Of JPEG and WebP, where nothing else is said. */
export const defaultQuality = 80;

/** The longest side of a result in pixels, which is the most that a WebP can have. */
export const maxSide = 16_383;
