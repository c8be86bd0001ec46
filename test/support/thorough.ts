/** The environment variable that makes the tests thorough. */
export const thoroughVariable = 'UNIFIED_MEDIA_THOROUGH';

/** Whether the tests try as many values as `npm run thorough` does, instead of a few of them. */
export const isThorough = process.env[thoroughVariable] === '1';
