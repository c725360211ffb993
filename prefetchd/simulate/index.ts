// Log-driven simulation of prefetching. Start with simulate.ts: one predictor and window, many points.

export {
  type FetchSample,
  type FitRules,
  type FittedFetchTime,
  fitFetchTime,
  fitLogRules,
  type NoFit,
  samplesOf,
} from './regression.ts';
export { toCsv } from './report/csv.ts';
export { parseRanges, type RangeRules } from './setting-ranges.ts';
export { type SimulateJob, type Simulation, type SimulationPoint, simulate } from './simulate.ts';
export { type PointSpec, type SimulateOptions, simulateDefaults } from './simulate-options.ts';
export { paperSweep, type SweepOptions, type SweepProgress, sweep } from './sweep.ts';
export type { BaselineFigures, RunFigures as Figures, WithKinds } from './tally.ts';
export { type FetchTime, paperFetchTime, type TimingModel, timingModels } from './timing-model.ts';
export { sliceTrace, type Trace, TraceBuilder, traceOf } from './trace.ts';
export { rowsOf } from './trace-reader.ts';
export {
  defaultSetting,
  type TuneObjective,
  type TuneOptions,
  type TuneReport,
  tune,
  tuneDefaults,
  tuneObjectives,
} from './tune.ts';
