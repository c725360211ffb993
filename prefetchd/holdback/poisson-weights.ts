// Weights of a visitor in each replicate of a Poisson bootstrap (Chamandy et al. 2012, "Estimating uncertainty for
// massive data streams"): drawing visitors with replacement, as often as there are visitors, takes each one about
// Poisson(1) times. The weights depend on the visitor alone, so all that one visitor does is drawn together, and
// nothing has to be kept to draw from.

/** Replicates of the bootstrap. */
export const replicates = 200;
/** Column 0 has what happened; the replicates follow. */
export const columns = 1 + replicates;

/** Cumulative probabilities of Poisson(1), as fractions of 2^32. */
const cumulative = (() => {
  const sums: number[] = [];
  let term = Math.exp(-1);
  let sum = 0;
  for (let k = 0; k < 10; k++) {
    sum += term;
    sums.push(sum * 2 ** 32);
    term /= k + 1;
  }
  return sums;
})();

/** @param visitor a 32-bit hash. @returns one weight per column; 1 in column 0 */
export function weightsOf(visitor: number): Uint8Array {
  const weights = new Uint8Array(columns);
  weights[0] = 1;
  let state = visitor | 0;
  for (let column = 1; column < columns; column++) {
    // splitmix32
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    mixed ^= mixed >>> 15;
    const drawn = mixed >>> 0;
    let weight = 0;
    while (weight < cumulative.length && drawn >= (cumulative[weight] as number)) weight++;
    weights[column] = weight;
  }
  return weights;
}
