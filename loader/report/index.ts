// `loadahead/report`: the record of a page as text and files.

import '../../needs-node.ts';

export { type Har, type HarOptions, toHar } from './har.ts';
export { type JsonReport, toJson } from './json.ts';
export { renderSummary, type SummaryOptions } from './summary.ts';
export type { TerminalOptions } from './terminal.ts';
export { toWalkJson, type WalkJson, type WalkSavings } from './walk-json.ts';
export { renderWalks } from './walk-text.ts';
export { renderWaterfallSvg } from './waterfall-svg.ts';
export { renderWaterfall } from './waterfall-text.ts';
