/** Numbers from 0 to below 1, the same ones for the same seed. A failing test prints its seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** SEED of the environment, or another one each time. */
export function anySeed(): number {
  return Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
}
