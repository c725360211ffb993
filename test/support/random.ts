/** Numbers from 0 to below 1, the same ones for the same seed. A failing test prints its seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** SEED of the environment; else the same one in every run, or with FRESH_SEEDS=1 another one each time. */
export function anySeed(): number {
  const { FRESH_SEEDS, SEED = '1997' } = process.env;
  return FRESH_SEEDS === '1' ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
}
