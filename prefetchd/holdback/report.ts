// Defines the report on what hints are worth: visitors with hints compared with visitors from whom they are withheld.

export type Device = 'mobile' | 'desktop';
export const devices: readonly Device[] = ['desktop', 'mobile'];

/** The two groups that are compared: visitors who get hints, and visitors from whom hints are held back. */
export type Arm = 'hinted' | 'heldBack';

/** The navigations that are compared. `hinted`: those to a page to which the page before gave a hint, or would have
 *  given one if hints were not held back; `all`: all within the site. */
export type Population = 'hinted' | 'all';

/** Time to First Byte, First and Largest Contentful Paint, Interaction to Next Paint, as web-vitals measures them,
 *  ms. */
export type Vital = 'ttfb' | 'fcp' | 'lcp' | 'inp';
export const vitals: readonly Vital[] = ['ttfb', 'fcp', 'lcp', 'inp'];

export type PerArm = Readonly<Record<Arm, number>>;

export interface Comparison {
  /** Mean for visitors with hints, and for visitors from whom they are withheld; null: nothing was measured. */
  hinted: number | null;
  heldBack: number | null;
  /** `hinted` minus `heldBack`; null if either is null. */
  difference: number | null;
  /** 95 % confidence interval of the difference; null if it is not known. */
  interval: readonly [low: number, high: number] | null;
}

export interface Measure extends Comparison {
  /** What is measured. `instant`: share of navigations whose first byte came within 100 ms, 0..1; others: ms. */
  of: Vital | 'instant';
  /** Whether it is too early to say anything: the interval is too wide, or visitors or navigations are too few. */
  isEarly: boolean;
}

export interface DeviceReport {
  device: Device | 'all';
  navigations: PerArm;
  measures: readonly Measure[];
}

export interface DeviceBytes extends Comparison {
  device: Device | 'all';
  isEarly: boolean;
}

export interface HoldbackReport {
  /** When the counting of visitors and navigations began, ISO 8601. */
  since: string;
  /** Percent of visitors from whom hints are withheld. */
  percent: number;
  /** Number of visitors whose browsers sent a beacon; a visitor is counted anew each day. */
  visitors: PerArm;
  /** True if the sizes of the two groups are improbable (p-value below 0.001): something keeps visitors out of one, and
   *  the comparison must not be trusted. */
  isUneven: boolean;
  /** Whether navigations to hinted pages were faster for visitors with hints than for those without. */
  verdict: 'too early' | 'faster' | 'slower' | 'no difference';
  /** Navigations to a page that the page before hinted, or would have hinted if hints were not held back. */
  hinted: readonly DeviceReport[];
  /** All navigations within the site. */
  all: readonly DeviceReport[];
  /** Bytes sent per page that was shown, prefetches included; the first entry is for all devices together. */
  bytesPerPage: readonly DeviceBytes[];
}

/** Returns the comparison of LCP, or that of TTFB if it is too early for LCP; undefined if it is too early for both. */
export function decisiveMeasure(report: DeviceReport | undefined): Measure | undefined {
  const ofVital = (vital: Vital) => report?.measures.find(({ of }) => of === vital);
  return [ofVital('lcp'), ofVital('ttfb')].find((one) => one?.isEarly === false);
}
