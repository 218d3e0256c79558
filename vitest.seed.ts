import fc from 'fast-check';

/** Every property and every sample of this run, so that what failed can be seen again. */
fc.configureGlobal({ seed: Number(process.env.TEST_SEED) });
