// Defines what speculation rules ask a browser to do, and when. Each setting may change while prefetchd runs.

import { number, oneOf } from '../../options/kinds.ts';
import {
  objectOf,
  option,
  optionWithoutDefault,
  read,
  type ValuesOf,
} from '../../options/options.ts';

export const speculationKinds = {
  otherLinks: oneOf(['moderate', 'conservative', 'off']),
  prerender: oneOf(['moderate', 'immediate', 'off']),
};

const { otherLinks, prerender } = speculationKinds;

/** Pages with at least this probability are prefetched at once: it costs at most 4/3 fetches per page that is used. */
export const usualImmediateFrom = 0.75;

export const speculationTable = {
  /**
   * When to prefetch links that are not hinted, by a document rule: `moderate`: the pointer rests on them,
   * `conservative`: they are pressed, `off`: never.
   */
  otherLinks: option(otherLinks, 'off'),
  /**
   * Prerender hinted pages that have the beacon: `moderate`: the pointer rests on their link, `immediate`: also the
   * likeliest at once, from a probability of 0.9, `off`: never.
   */
  prerender: option(prerender, 'off'),
};

export type SpeculationSettings = ValuesOf<typeof speculationTable>;

/** The settings of a prefetchd, with its constant. */
export interface SpeculationTerms extends SpeculationSettings {
  immediateFrom: number;
}

/** A change of any of the settings. */
export const speculationChangeTable = {
  /** When to prefetch links that are not hinted: the pointer rests on them, they are pressed, or never. */
  otherLinks: optionWithoutDefault(otherLinks),
  /** Prerender hinted pages that have the beacon: when the pointer rests on their link, also at once, or never. */
  prerender: optionWithoutDefault(prerender),
};

const termsKind = objectOf({
  ...speculationChangeTable,
  immediateFrom: optionWithoutDefault(number({ least: 0, most: 1 })),
});

/** Reads the settings in a service's JSON; unknown ones are left out, and all if one is invalid. */
export function readSpeculation(said: unknown): Partial<SpeculationTerms> {
  const given = typeof said === 'object' && said !== null ? said : {};
  const { immediateFrom } = given as Partial<SpeculationTerms>;
  const known = { ...speculationIn(given), ...(immediateFrom !== undefined && { immediateFrom }) };
  const reading = read(termsKind, known);
  return 'problems' in reading ? {} : reading.value;
}

/** The settings that an object has. */
export function speculationIn(given: object): Partial<SpeculationSettings> {
  const said = Object.entries(given).filter(
    ([name, value]) => name in speculationKinds && value !== undefined,
  );
  return Object.fromEntries(said);
}
