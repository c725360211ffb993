// Names of all predictors, apart from their code, so that a command line need not load it.

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
