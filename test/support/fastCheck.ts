import * as fc from 'fast-check';

/**
 * Every run tries the same values. fast-check prints the seed with a failure; FAST_CHECK_SEED=<number> tries others.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.FAST_CHECK_SEED ?? 8) });

export { fc };
