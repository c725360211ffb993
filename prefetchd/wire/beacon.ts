// Reads what a page reports when it is shown, and when it is left: a JSON object of at most 4 KB that the script of
// beacon-script.ts posts. Anything else is refused. A report names no visitor, and anybody can forge it.

import { listOf, number, oneOf, orNull, textOfLength, trueOrFalse } from '../../options/kinds.ts';
import {
  objectOf,
  option,
  optionWithoutDefault,
  read,
  required,
  type ValuesOf,
} from '../../options/options.ts';
import { type Access, longestUrl, milliseconds } from '../access.ts';
import { withoutPrefix } from './hint.ts';

export const longestBeaconBytes = 4096;
/** Limit on the pages in `unused`: a page's speculation rules list at most 13 (2 immediate, 3 eager, 8 moderate). */
export const mostUnused = 16;

const path = textOfLength({ least: 1, most: longestUrl });

const beaconTable = {
  /**
   * `shown`: the page is shown now; `left`: it was hidden or closed, and its times are known; `dismissed`: it was
   * closed or left for another page, and `unused` are the pages fetched ahead in vain.
   */
  moment: required(oneOf(['shown', 'left', 'dismissed'])),
  /** Path and query of the page that sends the report. */
  page: required(path),
  /** Path and query of the site's page from which the visitor came. */
  from: optionWithoutDefault(path),
  /** PerformanceNavigationTiming.type; `restore`: the page came from the back/forward cache. */
  navigation: required(oneOf(['navigate', 'reload', 'back_forward', 'prerender', 'restore'])),
  /** PerformanceResourceTiming.deliveryType: `navigational-prefetch`, `cache`, or empty. */
  delivery: option(textOfLength({ least: 0, most: 40 }), ''),
  /** When a prerendered page was activated, ms after its navigation began; 0: it was not prerendered. */
  activationMs: option(number({ least: 0, most: 86_400_000 }), 0),
  /** Times of web-vitals since the navigation, or the activation of a prerendered page, ms; null: not known. */
  ttfbMs: option(milliseconds, null),
  fcpMs: option(milliseconds, null),
  lcpMs: option(milliseconds, null),
  inpMs: option(milliseconds, null),
  /** Path and query of the Largest Contentful Paint's image; null: that paint was text, or an image of another site. */
  lcpUrl: option(orNull(textOfLength, { least: 1, most: longestUrl }), null),
  saveData: option(trueOrFalse(), false),
  /**
   * Paths and queries of pages that the page fetched ahead by rules and that were not opened
   * (https://github.com/WICG/speculative_load_measurement).
   */
  unused: option(listOf(path, 'a list of strings', mostUnused), []),
};

export type Beacon = ValuesOf<typeof beaconTable>;

const beaconKind = objectOf(beaconTable);

/** Reads a page's report (beacon); null: it is none. @param prefix path below which visitors see the site, or '' */
export function readBeacon(text: string, prefix = ''): Beacon | null {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return null;
  }
  const reading = read(beaconKind, given);
  if ('problems' in reading) return null;
  const { from, lcpUrl, unused, ...beacon } = reading.value as Beacon;
  const isPath = (value: string) => /^\/(?![/\\])/.test(value);
  if (![beacon.page, from, lcpUrl, ...unused].every((value) => value == null || isPath(value))) {
    return null;
  }
  const page = withoutPrefix(beacon.page, prefix);
  if (page === null) return null;
  // Paths that are not below the prefix are left out: they may belong to another application on this host.
  const own = (path: string | null | undefined) => (path ? withoutPrefix(path, prefix) : null);
  const before = own(from);
  return {
    ...beacon,
    page,
    lcpUrl: own(lcpUrl),
    unused: unused.flatMap((path) => own(path) ?? []),
    ...(before !== null && { from: before }),
  };
}

/** Returns the accesses that a beacon reports: a page view; or, for a page that is left, how fast it was shown, its
 *  largest image, or what it fetched ahead in vain. Empty if nothing is new, as when the visitor went back to it. */
export function accessesOf(beacon: Beacon, client: string, timeMs: number): Access[] {
  const { moment, page, from, navigation, lcpUrl, unused, ttfbMs, fcpMs, lcpMs, inpMs } = beacon;
  const isBack = navigation === 'restore' || navigation === 'back_forward';
  const said = { client, timeMs, status: 200, bytes: 0, prefetch: false } as const;
  const view = {
    ...said,
    url: page,
    kind: 'document',
    ...(from !== undefined && { page: from }),
  } as const;
  if (moment === 'dismissed') {
    return unused.map((url) => ({ ...said, url, kind: 'document', page, unused: true }));
  }
  if (moment === 'shown') return isBack ? [] : [{ ...view, shown: true, tellsShown: true }];
  const isNavigation = from !== undefined && !isBack && navigation !== 'reload';
  const vitals = { ttfbMs, fcpMs, lcpMs, inpMs };
  const largest = { shown: true, isLargest: true, page };
  return [
    ...(isNavigation ? [{ ...view, vitals }] : []),
    ...(lcpUrl === null ? [] : [{ ...said, url: lcpUrl, kind: 'object' as const, ...largest }]),
  ];
}
