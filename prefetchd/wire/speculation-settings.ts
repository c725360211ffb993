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
  immediateFrom: number({ least: 0, most: 1 }),
  otherLinks: oneOf(['moderate', 'conservative', 'off']),
  prerender: oneOf(['moderate', 'immediate', 'off']),
};

const { immediateFrom, otherLinks, prerender } = speculationKinds;

export const speculationTable = {
  /** Pages with at least this probability are prefetched at once, two at most. */
  immediateFrom: option(immediateFrom, 0.75),
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

/** A change of any of the settings. */
export const speculationChangeTable = {
  /** Pages with at least this probability are prefetched at once. */
  immediateFrom: optionWithoutDefault(immediateFrom),
  /** When to prefetch links that are not hinted: the pointer rests on them, they are pressed, or never. */
  otherLinks: optionWithoutDefault(otherLinks),
  /** Prerender hinted pages that have the beacon: when the pointer rests on their link, also at once, or never. */
  prerender: optionWithoutDefault(prerender),
};

const changeKind = objectOf(speculationChangeTable);

/** Reads the settings in a service's JSON; settings that are absent or invalid are left out. */
export function readSpeculation(said: unknown): Partial<SpeculationSettings> {
  const given = typeof said === 'object' && said !== null ? speculationIn(said) : {};
  const reading = read(changeKind, given);
  return 'problems' in reading ? {} : reading.value;
}

/** The settings that an object has. */
export function speculationIn(given: object): Partial<SpeculationSettings> {
  const said = Object.entries(given).filter(
    ([name, value]) => name in speculationKinds && value !== undefined,
  );
  return Object.fromEntries(said);
}
