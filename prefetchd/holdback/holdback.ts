// Withholds hints from a share of the visitors, so that the others can be compared with them. Whether a visitor is held
// back depends on a hash of the pseudonym of the day: there is no cookie, and nobody is held back for ever.
//
// Only comparable navigations are compared: those from a page to one that it hinted, with those to pages that it would
// have hinted. Both are decided in the same way, for no particular client, when the page is shown, because what a
// visitor fetched before differs between the arms. Times come from the beacon. Of each time only a bucket is counted,
// once for each bootstrap replicate, so no row about any visitor is kept.

import type { PageVitals } from '../access.ts';
import { RecentUrls } from '../model/tables/recent-urls.ts';
import { textHash } from '../model/tables/texts.ts';
import { type Comparison, compared, type Statistic } from './comparison.ts';
import { LogHistogram } from './log-histogram.ts';
import { columns, weightsOf } from './poisson-weights.ts';
import {
  type Arm,
  arms,
  type Device,
  type DeviceBytes,
  type DeviceReport,
  decisiveMeasure,
  devices,
  type HoldbackReport,
  type Measure,
  type PerArm,
  type Population,
  populations,
  type Vital,
  vitals,
} from './report.ts';

export interface HoldbackOptions {
  /** Percent of visitors held back, 1..50. */
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

/** What was counted, to be kept in a file. */
export interface HoldbackState {
  format: 1;
  percent: number;
  sinceMs: number;
  visitors: Record<Arm, number>;
  /**
   * By arm, device, population and vital: `hinted desktop all lcp`; and sums by arm and device: `hinted desktop bytes`.
   */
  counts: Record<string, Uint32Array | Float64Array>;
}

const linksPerClient = 32;
/** Longest time that browsers keep a prefetch. */
const longestStayMs = 60 * 60 * 1000;
/** Fewer navigations or visitors, or a wider interval, allow no statement. */
const leastNavigations = 100;
const leastVisitors = 30;
const widestShare = 0.5;

export class Holdback {
  readonly percent: number;
  #sinceMs: number;
  readonly #visitors: Record<Arm, number> = { hinted: 0, heldBack: 0 };
  readonly #links: RecentUrls;
  readonly #histograms = new Map<string, LogHistogram>();
  readonly #sums = new Map<string, Float64Array>();
  #client = '';
  #weights = weightsOf(0);

  constructor({ percent, maxClients, nowMs }: HoldbackOptions) {
    this.percent = percent;
    this.#sinceMs = nowMs;
    this.#links = new RecentUrls({ maxKeys: maxClients, urlsPerKey: linksPerClient });
  }

  /** @param client a pseudonym */
  armOf(client: string): Arm {
    const drawn = (textHash(`holdback ${client}`) >>> 0) / 2 ** 32;
    return drawn * 100 < this.percent ? 'heldBack' : 'hinted';
  }

  /** The client sees a page that hints, or would hint, these URLs. */
  offered(client: string, page: string, urls: readonly string[], timeMs: number): void {
    for (const url of urls) this.#links.put(client, linkHash(page, url), 1, timeMs);
  }

  /** Called at a client's first beacon of the day. */
  arrived(client: string): void {
    this.#visitors[this.armOf(client)]++;
  }

  /** The client received this number of bytes; called only for clients that send beacons. */
  received(client: string, device: Device, bytes: number): void {
    this.#add(client, device, 'bytes', bytes);
  }

  /** The client sees a page. */
  shown(client: string, device: Device): void {
    this.#add(client, device, 'pages', 1);
  }

  /** Counts the times of a navigation within the site. */
  measured({ client, device, from, page, timeMs }: Navigated, took: PageVitals): void {
    const link = this.#links.find(client, linkHash(from, page));
    const isHinted = link >= 0 && this.#links.ageMs(link, timeMs) <= longestStayMs;
    const weights = this.#weightsOf(client);
    const arm = this.armOf(client);
    for (const population of populations) {
      if (population === 'hinted' && !isHinted) continue;
      for (const vital of vitals) {
        const ms = took[`${vital}Ms`];
        if (ms !== null) this.#histogram(arm, device, population, vital).add(ms, weights);
      }
    }
  }

  /** Forgets all clients, because pseudonyms change. */
  forgetClients(): void {
    this.#links.clear();
    this.#client = '';
  }

  /** Number of visitors, of hinted navigations, and of the instant ones among these. */
  sizes(): { visitors: PerArm; navigations: PerArm; instant: PerArm } {
    const ofArm = (arm: Arm) =>
      devices.map((device) => this.#histogram(arm, device, 'hinted', 'ttfb'));
    const perArm = (count: (one: LogHistogram) => number) => {
      const sum = (arm: Arm) => ofArm(arm).reduce((all, one) => all + count(one), 0);
      return { hinted: sum('hinted'), heldBack: sum('heldBack') };
    };
    return {
      visitors: { ...this.#visitors },
      navigations: perArm(({ size }) => size),
      instant: perArm(({ instant }) => instant),
    };
  }

  report(): HoldbackReport {
    const visitors = { ...this.#visitors };
    const reportsOf = (population: Population) =>
      [null, ...devices].map((device) => this.#reportOf(device, population));
    const [hinted, all] = [reportsOf('hinted'), reportsOf('all')];
    return {
      since: new Date(this.#sinceMs).toISOString(),
      percent: this.percent,
      visitors,
      isUneven: isUneven(visitors, this.percent),
      verdict: verdictOf(hinted[0]),
      hinted,
      all,
      bytesPerPage: [null, ...devices].map((device) => this.#bytesOf(device)),
    };
  }

  state(): HoldbackState {
    const counts: HoldbackState['counts'] = Object.fromEntries(this.#sums);
    for (const [name, histogram] of this.#histograms) counts[name] = histogram.counts;
    const { percent } = this;
    return { format: 1, percent, sinceMs: this.#sinceMs, visitors: { ...this.#visitors }, counts };
  }

  /** Continues from a file. @returns false, and takes nothing, if the file is for another percentage */
  restore({ percent, sinceMs, visitors, counts }: HoldbackState): boolean {
    if (percent !== this.percent) return false;
    this.#sinceMs = sinceMs;
    Object.assign(this.#visitors, visitors);
    for (const [name, counted] of Object.entries(counts)) {
      if (counted instanceof Float64Array) this.#sums.set(name, counted);
      else this.#histograms.set(name, new LogHistogram(counted));
    }
    return true;
  }

  #add(client: string, device: Device, of: 'bytes' | 'pages', amount: number): void {
    const name = `${this.armOf(client)} ${device} ${of}`;
    const sums = this.#sums.get(name) ?? new Float64Array(columns);
    this.#sums.set(name, sums);
    const weights = this.#weightsOf(client);
    for (let column = 0; column < columns; column++) {
      sums[column] = (sums[column] as number) + amount * (weights[column] as number);
    }
  }

  /** @param device null: all devices */
  #bytesOf(device: Device | null): DeviceBytes {
    const [hinted, heldBack] = arms.map((arm) => this.#bytesPerPage(arm, device));
    const bytes = compared(hinted as Statistic, heldBack as Statistic);
    const isEarly = this.#isEarlyFor(bytes, Number.POSITIVE_INFINITY);
    return { device: device ?? 'all', ...bytes, isEarly };
  }

  #bytesPerPage(arm: Arm, device: Device | null): Statistic {
    const sumOf = (of: 'bytes' | 'pages') => {
      const sum = new Float64Array(columns);
      for (const one of device === null ? devices : [device]) {
        for (const [column, value] of this.#sums.get(`${arm} ${one} ${of}`)?.entries() ?? []) {
          sum[column] = (sum[column] as number) + value;
        }
      }
      return sum;
    };
    const [bytes, pages] = [sumOf('bytes'), sumOf('pages')];
    return { values: bytes.map((sum, column) => sum / (pages[column] as number)), totals: pages };
  }

  /** The weights of the last client are kept, because its events come in bursts. */
  #weightsOf(client: string): Uint8Array {
    if (client !== this.#client) {
      this.#client = client;
      this.#weights = weightsOf(textHash(client));
    }
    return this.#weights;
  }

  #histogram(arm: Arm, device: Device, population: Population, vital: Vital): LogHistogram {
    const name = `${arm} ${device} ${population} ${vital}`;
    const histogram = this.#histograms.get(name) ?? new LogHistogram();
    this.#histograms.set(name, histogram);
    return histogram;
  }

  /** @param device null: all devices */
  #reportOf(device: Device | null, population: Population): DeviceReport {
    const of = (arm: Arm, vital: Vital) =>
      LogHistogram.sumOf(
        (device === null ? devices : [device]).flatMap(
          (one) => this.#histograms.get(`${arm} ${one} ${population} ${vital}`) ?? [],
        ),
      );
    const measures: Measure[] = [];
    const counted: Record<Arm, number> = { hinted: 0, heldBack: 0 };
    for (const vital of vitals) {
      const [hinted, heldBack] = [of('hinted', vital), of('heldBack', vital)];
      const sizes = { hinted: hinted.size, heldBack: heldBack.size };
      for (const arm of arms) counted[arm] = Math.max(counted[arm], sizes[arm]);
      const least = Math.min(sizes.hinted, sizes.heldBack);
      if (vital === 'ttfb') {
        const found = compared(hinted.instantShares(), heldBack.instantShares());
        const isEarly = this.#isEarlyFor(found, least, widestShare);
        measures.push({ of: 'instant', percentile: null, ...found, isEarly });
      }
      for (const percentile of [50, 75] as const) {
        const share = percentile / 100;
        const found = compared(hinted.quantiles(share), heldBack.quantiles(share));
        const isEarly = this.#isEarlyFor(found, least);
        measures.push({ of: vital, percentile, ...found, isEarly });
      }
    }
    return { device: device ?? 'all', navigations: counted, measures };
  }

  /** True if there are too few, or the interval is too wide. @param widest absent: the value of those held back */
  #isEarlyFor({ heldBack, interval }: Comparison, navigations: number, widest?: number): boolean {
    const { hinted, heldBack: others } = this.#visitors;
    if (Math.min(hinted, others) < leastVisitors || navigations < leastNavigations) return true;
    return interval === null || interval[1] - interval[0] > (widest ?? heldBack ?? 0);
  }
}

const linkHash = (from: string, to: string) => textHash(`${from} ${to}`);

/** Binomial test of the sizes of the arms, by the normal approximation. */
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
