// Exports the simulation of prefetching on logs. Start with simulate.ts, which simulates one predictor and window with
// many points (a point is a threshold and a limit).

export { type FetchSample, type FetchTime, fetchTimeMs, paperFetchTime } from './fetch-time.ts';
export type { PageFigures } from './page-clicks.ts';
export { type Simulation, type SimulationPoint, simulate } from './simulate.ts';
export {
  type SimulatedEngine,
  simulateDefaults,
  type TimingModel,
  timingModels,
} from './simulate-options.ts';
export { paperSweep, type SweepProgress, sweep } from './sweep.ts';
export type { BaselineFigures, RunFigures as Figures } from './tally.ts';
export { type Trace, TraceBuilder, traceOf } from './trace.ts';
export { defaultSetting, type TuneReport, tune, tuneDefaults } from './tune.ts';
