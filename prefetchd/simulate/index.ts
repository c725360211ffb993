// Exports the simulation of prefetching on logs. Start with simulate.ts, which simulates one predictor and window with
// many points (a point is a threshold and a limit).

export {
  type FetchSample,
  type FetchTime,
  type FittedFetchTime,
  fetchTimeMs,
  fitFetchTime,
  paperFetchTime,
} from './fetch-time.ts';
export type { PageFigures } from './page-clicks.ts';
export { type Simulation, type SimulationPoint, simulate } from './simulate.ts';
export {
  paperSweep,
  type SimulatedEngine,
  type SweepProgress,
  simulateDefaults,
  type TimingModel,
  timingModels,
  tuneDefaults,
} from './simulate-options.ts';
export { sweep } from './sweep.ts';
export type { BaselineFigures, RunFigures as Figures } from './tally.ts';
export { type Trace, TraceBuilder, traceOf } from './trace.ts';
export { defaultSetting, type TuneReport, tune } from './tune.ts';
