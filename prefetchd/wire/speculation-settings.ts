// Defines what speculation rules ask a browser to do, and when. Each setting may change while prefetchd runs.

import { number, oneOf } from '../../options/kinds.ts';
import { changeOf, option, read, type ValuesOf } from '../../options/options.ts';

/** Pages with at least this probability are prefetched at once, which costs at most 4/3 fetches per page used. */
export const usualImmediateFrom = 0.75;

export const speculationTable = {
  /**
   * When a document rule prefetches links that are not hinted: `moderate`: when the pointer rests on them,
   * `conservative`: when they are pressed, `off`: never.
   */
  otherLinks: option(oneOf(['moderate', 'conservative', 'off']), 'off', {
    flag: '--other-links <when>',
    help: 'rules for links that are not hinted: moderate (pointer rests), conservative (pressed), off ({default})',
  }),
  /**
   * When to prerender hinted pages that have the beacon: `moderate`: when the pointer rests on their link, `immediate`:
   * also the likeliest page at once, if its probability is 0.9 or more, `off`: never.
   */
  prerender: option(oneOf(['moderate', 'immediate', 'off']), 'off', {
    flag: '--prerender <when>',
    help: 'prerender hinted pages that have the beacon: moderate, immediate or off ({default})',
  }),
};

export type SpeculationSettings = ValuesOf<typeof speculationTable>;

/** The settings of speculation rules. `immediateFrom`: pages with at least this probability are prefetched at once. */
export interface SpeculationTerms extends SpeculationSettings {
  immediateFrom: number;
}

const immediateFrom = option(number({ least: 0, most: 1 }), usualImmediateFrom);
const termsKind = changeOf({ ...speculationTable, immediateFrom }, true);

/** Reads speculation settings from a service's JSON. Unknown ones are left out; if one is invalid, all are left out. */
export function readSpeculation(said: unknown): Partial<SpeculationTerms> {
  const reading = read(termsKind, said);
  return 'problems' in reading ? {} : reading.value;
}
