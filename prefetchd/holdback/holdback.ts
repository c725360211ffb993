// Withholds hints from a share of the visitors, so that the others can be compared with them. A hash of the pseudonym
// of the day decides whether a visitor is held back: there is no cookie, and nobody is held back for ever.
//
// Navigations to pages that the page before hinted are compared with navigations to pages that it would have hinted if
// hints were not withheld. In both groups, hints are chosen in the same way when a page is shown, without regard to the
// client, because what visitors have fetched differs between the groups. Times come from the beacon and are added up
// (comparison.ts), so no row about any visitor is kept.

import { LatestMap } from '../../process/latest-map.ts';
import { textHash } from '../../process/text-memo.ts';
import type { PageVitals } from '../access.ts';
import { added, compared, countOf, emptySums, type GroupSums, groups } from './comparison.ts';
import {
  type Arm,
  type Comparison,
  type Device,
  type DeviceReport,
  decisiveMeasure,
  devices,
  type HoldbackReport,
  type Measure,
  type PerArm,
  type Population,
  vitals,
} from './report.ts';

export interface HoldbackOptions {
  /** Percent of visitors from whom hints are withheld, to compare the others with them, 1..50. */
  percent: number;
  maxClients: number;
  nowMs: number;
}

/** A navigation within the site. */
export interface Navigated {
  /** Pseudonym of the client. */
  client: string;
  device: Device;
  /** Normalised URL of the page that was left. */
  from: string;
  page: string;
  timeMs: number;
}

/** All counts of the holdback, as they are kept in a file. */
interface HoldbackState {
  format: 2;
  percent: number;
  sinceMs: number;
  visitors: Record<Arm, number>;
  /** Sums by names such as `hinted desktop all lcp` (arm, device, navigations, measure) or `hinted desktop bytes`. */
  sums: Record<string, GroupSums>;
}

type AnyDevice = DeviceReport['device'];
const shown: readonly AnyDevice[] = ['all', ...devices];
const measured: ReadonlyArray<Measure['of']> = ['instant', ...vitals];
/** A page whose first byte comes within this time counts as instant (RAIL), ms. */
const instantMs = 100;
/** Longest time with which a page counts, ms, so that a few stalled pages do not determine the mean. */
const longestMs = 10_000;
/** Number of hinted links that are remembered per client, on average. */
const linksPerClient = 4;
/** Longest time that browsers keep a prefetched page, ms. */
const longestStayMs = 60 * 60 * 1000;
/** With fewer navigations or visitors in the group with hints, or in that without, it is too early for a verdict. */
const leastNavigations = 100;
const leastVisitors = 30;
/** The groups' shares of instant pages are compared only if the interval of the difference is at most this wide. */
const widestShare = 0.5;

export class Holdback {
  readonly percent: number;
  /** Time when each client last saw a page with a hinted link, ms; the keys name the client, the page and the link. */
  readonly #links: LatestMap<string, number>;
  #state: HoldbackState;

  constructor({ percent, maxClients, nowMs }: HoldbackOptions) {
    this.percent = percent;
    this.#links = new LatestMap(linksPerClient * maxClients);
    const visitors = { hinted: 0, heldBack: 0 };
    this.#state = { format: 2, percent, sinceMs: nowMs, visitors, sums: {} };
  }

  /** Returns the group of a client: `hinted`, or `heldBack` if it gets no hints. @param client a pseudonym */
  armOf(client: string): Arm {
    const drawn = (textHash(`holdback ${client}`) >>> 0) / 2 ** 32;
    return drawn * 100 < this.percent ? 'heldBack' : 'hinted';
  }

  /** Notes that the client sees a page with hints to these URLs; for a client that is held back: hints it would get. */
  offered(client: string, page: string, urls: readonly string[], timeMs: number): void {
    for (const url of urls) this.#links.set(`${client} ${page} ${url}`, timeMs);
  }

  /** Counts a visitor; called at a client's first beacon of the day. */
  arrived(client: string): void {
    this.#state.visitors[this.armOf(client)]++;
  }

  /** Adds bytes that the client received; called only for clients that send beacons. */
  received(client: string, device: Device, bytes: number): void {
    this.#add(client, `${device} bytes`, bytes, 0);
  }

  /** Counts a page that the client sees, for the mean number of bytes per page. */
  shown(client: string, device: Device): void {
    this.#add(client, `${device} bytes`, 0, 1);
  }

  /** Adds the times of a navigation within the site, as the beacon measured them, to the sums. */
  measured({ client, device, from, page, timeMs }: Navigated, took: PageVitals): void {
    const seenMs = this.#links.get(`${client} ${from} ${page}`);
    const isHinted = seenMs !== undefined && timeMs - seenMs <= longestStayMs;
    for (const population of isHinted ? (['hinted', 'all'] as const) : (['all'] as const)) {
      const name = `${device} ${population}`;
      for (const vital of vitals) {
        const ms = took[`${vital}Ms`];
        if (ms !== null) this.#add(client, `${name} ${vital}`, Math.min(ms, longestMs), 1);
      }
      const { ttfbMs } = took;
      if (ttfbMs !== null) this.#add(client, `${name} instant`, ttfbMs <= instantMs ? 1 : 0, 1);
    }
  }

  /** Forgets all clients, because pseudonyms change. */
  forgetClients(): void {
    this.#links.clear();
  }

  report(): HoldbackReport {
    const { sinceMs, visitors } = this.#state;
    const hinted = shown.map((device) => this.#reportOf(device, 'hinted'));
    return {
      since: new Date(sinceMs).toISOString(),
      percent: this.percent,
      visitors: { ...visitors },
      isUneven: isUneven(visitors, this.percent),
      verdict: verdictOf(hinted[0]),
      hinted,
      all: shown.map((device) => this.#reportOf(device, 'all')),
      bytesPerPage: shown.map((device) => {
        const found = compared(...this.#arms(device, 'bytes'));
        return { device, ...found, isEarly: this.#isEarly(found) };
      }),
    };
  }

  /** Returns all counts as text for a file. */
  state(): string {
    return JSON.stringify(this.#state);
  }

  /** Restores the counts from the text of a file. @returns why the text was not taken; null if it was */
  restore(text: string): string | null {
    const state = stateOf(text);
    if (state === null) return 'is damaged';
    if (state.percent !== this.percent) return `is of a holdback of ${state.percent} %`;
    this.#state = state;
    return null;
  }

  /**
   * Adds a value to the sum `name` of the client's arm (visitors with hints, or held back). An arm has a sum for each
   * of 100 random groups of clients (comparison.ts). @param of number of navigations or pages that the value is for
   */
  #add(client: string, name: string, value: number, of: number): void {
    const { sums } = this.#state;
    const key = `${this.armOf(client)} ${name}`;
    const own = sums[key] ?? emptySums();
    sums[key] = own;
    const group = (textHash(client) >>> 0) % groups;
    own[group] = (own[group] as number) + value;
    own[groups + group] = (own[groups + group] as number) + of;
  }

  #arms(device: AnyDevice, name: string): [hinted: GroupSums, heldBack: GroupSums] {
    const ofArm = (arm: Arm) =>
      added(
        (device === 'all' ? devices : [device]).map(
          (one) => this.#state.sums[`${arm} ${one} ${name}`] ?? emptySums(),
        ),
      );
    return [ofArm('hinted'), ofArm('heldBack')];
  }

  #reportOf(device: AnyDevice, population: Population): DeviceReport {
    const navigations: Record<Arm, number> = { hinted: 0, heldBack: 0 };
    const measures = measured.map((of) => {
      const arms = this.#arms(device, `${population} ${of}`);
      const [hinted, heldBack] = [countOf(arms[0]), countOf(arms[1])];
      navigations.hinted = Math.max(navigations.hinted, hinted);
      navigations.heldBack = Math.max(navigations.heldBack, heldBack);
      const found = compared(...arms);
      const isFew = Math.min(hinted, heldBack) < leastNavigations;
      const widest = of === 'instant' ? widestShare : (found.heldBack ?? 0);
      return { of, ...found, isEarly: isFew || this.#isEarly(found, widest) };
    });
    return { device, navigations, measures };
  }

  /** Returns whether it is too early to tell a difference: the visitors are too few, or the interval is too wide. */
  #isEarly({ heldBack, interval }: Comparison, widest = heldBack ?? 0): boolean {
    const { hinted, heldBack: others } = this.#state.visitors;
    return (
      Math.min(hinted, others) < leastVisitors ||
      interval === null ||
      interval[1] - interval[0] > widest
    );
  }
}

/** Returns whether the numbers of visitors with and without hints are improbable: a binomial test, p below 0.001. */
function isUneven({ hinted, heldBack }: PerArm, percent: number): boolean {
  const share = percent / 100;
  const all = hinted + heldBack;
  const deviation = Math.sqrt(all * share * (1 - share));
  return deviation > 0 && Math.abs(heldBack - all * share) / deviation > 3.29;
}

function verdictOf(report: DeviceReport | undefined): HoldbackReport['verdict'] {
  const { interval } = decisiveMeasure(report) ?? { interval: null };
  if (interval === null) return 'too early';
  const [low, high] = interval;
  return high < 0 ? 'faster' : low > 0 ? 'slower' : 'no difference';
}

/** Reads the state in a text of `Holdback.state`; null if the text contains none. */
function stateOf(text: string): HoldbackState | null {
  try {
    const state: HoldbackState = JSON.parse(text);
    const { format, percent, sinceMs, visitors, sums } = state;
    const all = Object.values(sums);
    const numbers = [percent, sinceMs, visitors.hinted, visitors.heldBack, ...all.flat()];
    const isWhole = format === 2 && all.every(({ length }) => length === 2 * groups);
    return isWhole && numbers.every(Number.isFinite) ? state : null;
  } catch {
    return null;
  }
}
