// fast-check with the same cases each time, so that a test run fails for what was changed and for nothing else.
// `npm run fuzz -- --target properties` takes new ones, and SEED=n those of n.

import fc from 'fast-check';

const { FRESH_SEEDS, SEED = '1997' } = process.env;
if (FRESH_SEEDS !== '1') fc.configureGlobal({ seed: Number(SEED) });

export default fc;
