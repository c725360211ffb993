// A holdback's report in words and figures, shared by the terminal and the page.

import {
  type DeviceBytes,
  type DeviceReport,
  decisiveMeasure,
  type HoldbackReport,
  type Measure,
} from './report.ts';

export function headlineOf(report: HoldbackReport): string {
  if (report.isUneven) return 'Not to be trusted: visitors are missing from one of the groups';
  const median = decisiveMeasure(report.hinted[0]);
  if (report.verdict === 'too early' || median === undefined) return 'Too early to say';
  if (report.verdict === 'no difference') return 'No difference was found';
  const what = median.of === 'lcp' ? 'shown' : 'answered';
  const by = ms(Math.abs(median.difference ?? 0));
  return `Pages that prefetchd expects are ${what} ${by} ${report.verdict} at the median`;
}

export function explanationOf({ percent, since, visitors, hinted }: HoldbackReport): string {
  const [all] = hinted;
  const { hinted: one = 0, heldBack: other = 0 } = all?.navigations ?? {};
  const held = `${percent} % of the visitors got no hints`;
  const counted = `${whole(one)} navigations with hints are compared with ${whole(other)} without`;
  const people = `${whole(visitors.hinted + visitors.heldBack)} visitors`;
  return `Since ${since.slice(0, 10)}, ${held}. ${counted}, of ${people}.`;
}

export const nameOf = ({ of, percentile }: Pick<Measure, 'of' | 'percentile'>): string =>
  of === 'instant'
    ? 'instant (TTFB up to 100 ms)'
    : `${of.toUpperCase()}, ${percentile === 50 ? 'median' : 'p75'}`;

export function figureOf({ of }: Pick<Measure, 'of'>, value: number | null): string {
  if (value === null) return '–';
  return of === 'instant' ? `${(100 * value).toFixed(1)} %` : ms(value);
}

export function differenceOf(measure: Measure): string {
  if (measure.isEarly || measure.difference === null) return 'too early';
  const { of, difference } = measure;
  return of === 'instant' ? `${signed(100 * difference, 1)} points` : `${signed(difference)} ms`;
}

export function intervalOf(measure: Measure): string {
  if (measure.isEarly || measure.interval === null) return '';
  const [low, high] = measure.interval;
  return measure.of === 'instant'
    ? `${signed(100 * low, 1)} to ${signed(100 * high, 1)}`
    : `${signed(low)} to ${signed(high)}`;
}

/** Devices with navigations; a single device is left out, because its figures are those of all devices. */
export function devicesIn(reports: readonly DeviceReport[]): readonly DeviceReport[] {
  const seen = reports.filter(({ device, navigations }) => {
    return device === 'all' || navigations.hinted + navigations.heldBack > 0;
  });
  return seen.length === 2 ? seen.slice(0, 1) : seen;
}

/** A sentence for all devices, and one for each if there are several. */
export function bytesOf({ bytesPerPage }: HoldbackReport): string {
  const [all, ...devices] = bytesPerPage;
  const seen = devices.filter(({ hinted, heldBack }) => hinted !== null || heldBack !== null);
  const each = seen.length > 1 ? seen.map((one) => `${titleOf(one)}: ${bytesSaid(one)}`) : [];
  const about = `Bytes per page shown, prefetches included: ${bytesSaid(all)}`;
  return [about, ...each].join(' ');
}

function bytesSaid(bytes: DeviceBytes | undefined): string {
  const { hinted, heldBack, difference, interval, isEarly = true } = bytes ?? {};
  if (isEarly || !hinted || !heldBack || difference == null || interval == null) {
    return 'too early to say.';
  }
  const percent = (value: number) => `${signed((100 * value) / heldBack)} %`;
  const [low, high] = interval;
  return `${percent(difference)} (${percent(low)} to ${percent(high)}), ${kilobytes(hinted)} instead of ${kilobytes(heldBack)}.`;
}

export const titleOf = ({ device }: Pick<DeviceReport, 'device'>): string =>
  device === 'all' ? 'All devices' : device === 'mobile' ? 'Mobile' : 'Desktop';

const ms = (value: number) => `${Math.round(value)} ms`;
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
const whole = (value: number) => value.toLocaleString('en');
const signed = (value: number, digits = 0) =>
  `${value > 0 ? '+' : value < 0 ? '−' : ''}${Math.abs(value).toFixed(digits)}`;
