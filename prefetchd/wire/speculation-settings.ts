// What speculation rules ask a browser to do, and when. Each setting may change while prefetchd runs.

import { number, oneOf, wholeNumber } from '../../options/kinds.ts';
import {
  objectOf,
  option,
  optionWithoutDefault,
  read,
  type TableOf,
} from '../../options/options.ts';

export interface SpeculationSettings {
  /** Pages with at least this probability are prefetched at once, 0..1. */
  immediateFrom: number;
  /** Most pages prefetched at once, 1..10. */
  maxImmediate: number;
  /** Pages with at least this probability are prefetched as soon as the pointer is on their link, on phones when the
   *  link is in view, 0..1. */
  eagerFrom: number;
  /** Most pages that are prefetched so, 1..10. */
  maxEager: number;
  /** Pages with at least this probability are prefetched when the pointer rests on their link, 0..1: lower than p,
   *  because the pointer predicts better. */
  moderateFrom: number;
  /** Most pages that are prefetched so, 1..20. */
  maxModerate: number;
  /** When to prefetch the links of a page that are not hinted, by a document rule: `moderate`: the pointer rests on
   *  the link, `conservative`: the link is pressed, `off`: never. */
  otherLinks: 'moderate' | 'conservative' | 'off';
  /** Prerender hinted pages that have the beacon: `moderate`: when the pointer rests on their link, `immediate`: the
   *  likeliest also at once, if its probability is 0.9 or more. */
  prerender: 'moderate' | 'immediate' | 'off';
}

export const speculationKinds = {
  immediateFrom: number({ least: 0, most: 1 }),
  maxImmediate: wholeNumber({ least: 1, most: 10 }),
  eagerFrom: number({ least: 0, most: 1 }),
  maxEager: wholeNumber({ least: 1, most: 10 }),
  moderateFrom: number({ least: 0, most: 1 }),
  maxModerate: wholeNumber({ least: 1, most: 20 }),
  otherLinks: oneOf(['moderate', 'conservative', 'off']),
  prerender: oneOf(['moderate', 'immediate', 'off']),
};

const meanings = {
  immediateFrom: 'Pages with at least this probability are prefetched at once.',
  maxImmediate: 'Most pages prefetched at once, the likeliest.',
  eagerFrom:
    'Pages with at least this probability are prefetched as soon as the pointer is on their link, on phones when the link is in view.',
  maxEager: 'At most so many, the likeliest.',
  moderateFrom:
    'Pages with at least this probability are prefetched when the pointer rests on their link; lower than p, as the pointer tells more.',
  maxModerate: 'Most of these.',
  otherLinks:
    'When to prefetch links that are not hinted: `moderate`: the pointer rests on them, `conservative`: they are pressed, `off`: never.',
  prerender:
    'Prerender hinted pages that have the beacon: `moderate`: the pointer rests on their link, `immediate`: moreover the likeliest at once, from a probability of 0.9, `off`: never.',
};

const { immediateFrom, maxImmediate, eagerFrom, maxEager } = speculationKinds;
const { moderateFrom, maxModerate, otherLinks, prerender } = speculationKinds;

export const speculationTable = {
  immediateFrom: option(immediateFrom, 0.75, meanings.immediateFrom),
  maxImmediate: option(maxImmediate, 2, meanings.maxImmediate),
  eagerFrom: option(eagerFrom, 0.5, meanings.eagerFrom),
  maxEager: option(maxEager, 3, meanings.maxEager),
  moderateFrom: option(moderateFrom, 0.05, meanings.moderateFrom),
  maxModerate: option(maxModerate, 8, meanings.maxModerate),
  otherLinks: option(otherLinks, 'off', meanings.otherLinks),
  prerender: option(prerender, 'off', meanings.prerender),
} satisfies TableOf<SpeculationSettings>;

/** A change of any of the settings. */
export const speculationChangeTable = {
  immediateFrom: optionWithoutDefault(immediateFrom, meanings.immediateFrom),
  maxImmediate: optionWithoutDefault(maxImmediate, meanings.maxImmediate),
  eagerFrom: optionWithoutDefault(eagerFrom, meanings.eagerFrom),
  maxEager: optionWithoutDefault(maxEager, meanings.maxEager),
  moderateFrom: optionWithoutDefault(moderateFrom, meanings.moderateFrom),
  maxModerate: optionWithoutDefault(maxModerate, meanings.maxModerate),
  otherLinks: optionWithoutDefault(otherLinks, meanings.otherLinks),
  prerender: optionWithoutDefault(prerender, meanings.prerender),
} satisfies TableOf<SpeculationSettings>;

const changeKind = objectOf(speculationChangeTable);

/** Reads the settings in a service's JSON; settings that are absent or invalid are left out. */
export function readSpeculation(said: unknown): Partial<SpeculationSettings> {
  const given = typeof said === 'object' && said !== null ? speculationIn(said) : {};
  const reading = read(changeKind, given);
  return 'problems' in reading ? {} : reading.value;
}

/** The settings that are given. */
export function speculationIn(given: Partial<SpeculationSettings>): Partial<SpeculationSettings> {
  const names = Object.keys(speculationKinds) as (keyof SpeculationSettings)[];
  const said = names.filter((name) => given[name] !== undefined);
  return Object.fromEntries(said.map((name) => [name, given[name]]));
}
