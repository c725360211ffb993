// Names of all predictors, without their code, so that a command line need not load it.

export type PredictorName = 'double-graph' | 'dependency-graph';

export const predictorNames: readonly PredictorName[] = ['double-graph', 'dependency-graph'];

export function isPredictorName(name: string): name is PredictorName {
  return (predictorNames as readonly string[]).includes(name);
}
