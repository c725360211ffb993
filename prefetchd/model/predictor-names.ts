// The predictors there are, apart from their code: a command line knows the names and loads none.

export const predictorNames = [
  'dependency-graph',
  'most-popular',
  'markov',
  'client-blend',
  'double-graph',
] as const;

export type PredictorName = (typeof predictorNames)[number];

export function isPredictorName(name: string): name is PredictorName {
  return (predictorNames as readonly string[]).includes(name);
}
