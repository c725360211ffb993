// The predictors there are, apart from their code: a command line knows the names and loads none.

export type PredictorName =
  | 'dependency-graph'
  | 'most-popular'
  | 'markov'
  | 'client-blend'
  | 'double-graph';

export const predictorNames: readonly PredictorName[] = [
  'dependency-graph',
  'most-popular',
  'markov',
  'client-blend',
  'double-graph',
];

export function isPredictorName(name: string): name is PredictorName {
  return (predictorNames as readonly string[]).includes(name);
}
