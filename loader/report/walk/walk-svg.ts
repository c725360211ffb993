// Renders walks as a self-contained SVG file without scripts or external resources, light or dark as the viewer's
// system is set. At the top there is one lane per walk on a common time axis: pages, stays, and prefetches. Below is
// the time of each page without and with prefetching. A tooltip on each page has all figures. Text from the network is
// printable ASCII and escaped, as in the waterfall.

import type { WalkPair, WalkRecord } from '../../walk/walk-record.ts';
import { clipMiddle, printableText, printableUrl } from '../printable.ts';
import { renderGrid, renderTickLabels, type TimeFrame } from '../svg-axis.ts';
import type { Svg } from '../svg-markup.ts';
import { element, label, stylesheet, text } from '../svg-markup.ts';
import { boldness, clipToWidth, widthOf } from '../text-width.ts';
import { formatBytes, formatMs, plural } from '../units.ts';
import { pairTotals, walkSavings } from './savings.ts';
import { barHeight, endMsOf, lane } from './walk-svg-bars.ts';
import { comparedPages, comparisonHeight, type PageFrame } from './walk-svg-pages.ts';
import { walkCss } from './walk-svg-theme.ts';

const width = 1000;
const margin = 16;
const laneLeft = 150;
const right = 984;
const headHeight = 96;
const laneHeight = 42;
const pairGap = 10;
const mostPairs = 12;
/** Factor for the space after the last event. */
const headroom = 1.02;

/** Renders a complete SVG document. */
export function renderWalkSvg(pairs: readonly WalkPair[]): string {
  const shown = pairs.slice(0, mostPairs);
  const walks = shown.flatMap((pair) =>
    [pair.without, pair.with].flatMap((record) => (record === null ? [] : [{ pair, record }])),
  );
  const gaps = Math.max(0, shown.length - 1) * pairGap;
  const lanesEnd = headHeight + Math.max(1, walks.length) * laneHeight + gaps;
  const endMs = (Math.max(0, ...walks.map(({ record }) => endMsOf(record))) || 1) * headroom;
  const frame: TimeFrame = { left: laneLeft, right, top: headHeight, bottom: lanesEnd, endMs };
  const pages: PageFrame = { top: lanesEnd + 84, left: margin, right, width };
  const height = pages.top + comparisonHeight(shown) + 24;
  const [headline, detail] = describe(pairs);
  const picture = element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'la',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-labelledby': 'la-title la-desc',
    },
    element('title', { id: 'la-title' }, text(headline)),
    element('desc', { id: 'la-desc' }, text(detail)),
    stylesheet(walkCss),
    element('rect', { class: 'bg', width, height }),
    label(margin, 28, { class: 'h1' }, clipToWidth(headline, (width - 2 * margin) / boldness, 15)),
    label(margin, 47, { class: 'muted' }, clipToWidth(detail, width - 2 * margin, 11)),
    label(margin, 66, { class: 'muted' }, clipToWidth(sites(pairs), width - 2 * margin, 11)),
    ...renderGrid(frame),
    ...renderTickLabels(frame, right + 10),
    ...lanes(walks, frame),
    ...legend(lanesEnd + 38, pairs.length - shown.length, hasFailed(shown)),
    ...comparedPages(shown, pages),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${picture}\n`;
}

function lanes(walks: Array<{ pair: WalkPair; record: WalkRecord }>, frame: TimeFrame): Svg[] {
  let y = headHeight + 14;
  return walks.flatMap(({ pair, record }, index) => {
    if (index > 0) y += laneHeight + (walks[index - 1]?.pair === pair ? 0 : pairGap);
    const isFirst = walks[index - 1]?.pair !== pair;
    const name = isFirst && pair.name !== '' ? printableText(pair.name) : '';
    return [
      ...(name === ''
        ? []
        : [label(margin, y - 1, { class: 'small muted' }, clipToWidth(name, 125, 10))]),
      label(margin, y + 11, {}, record.prefetched ? 'with prefetching' : 'without'),
      label(
        margin,
        y + 23,
        { class: 'small muted num' },
        `waited ${formatMs(record.totals.timeMs)}`,
      ),
      ...lane(record, { frame, y }),
    ];
  });
}

function describe(pairs: readonly WalkPair[]): [headline: string, detail: string] {
  const totals = pairTotals(pairs);
  const one = totals.without ?? totals.with;
  const pages = plural(one?.pages ?? 0, 'page');
  const walks = pairs.length > 1 ? `${pages} of ${plural(pairs.length, 'client')}` : pages;
  const { without, with: with_ } = totals;
  const { time, traffic } = walkSavings(without, with_);
  const nothing = with_?.prefetchRequests === 0;
  const prefetched =
    with_ === undefined
      ? []
      : nothing
        ? ['nothing was prefetched']
        : [
            `prefetched ${formatBytes(with_.prefetchBytes)} in ${plural(with_.prefetchRequests, 'request')}`,
            `${formatBytes(with_.usedBytes)} used`,
            `${formatBytes(with_.wastedBytes)} for nothing`,
          ];
  if (without === undefined || with_ === undefined || time === null) {
    const waited = `${walks}: ${formatMs(one?.timeMs ?? 0)} waited`;
    return [
      waited,
      [`${formatBytes(one?.trafficBytes ?? 0)} came`, ...prefetched].join(' \u00b7 '),
    ];
  }
  // If nothing was prefetched, differences are due to chance.
  const change = (share: number) => (nothing ? '' : ` (${signed(share)})`);
  const headline = `${walks}: ${formatMs(with_.timeMs)} waited instead of ${formatMs(without.timeMs)}${change(-time)}`;
  const came = `${formatBytes(with_.trafficBytes)} instead of ${formatBytes(without.trafficBytes)}${change(traffic ?? 0)}`;
  return [headline, [came, ...prefetched].join(' \u00b7 ')];
}

/** The origins of the walks. */
function sites(pairs: readonly WalkPair[]): string {
  const urls = pairs.flatMap(
    (pair) => (pair.without ?? pair.with)?.pages.map(({ url }) => url) ?? [],
  );
  const origins = [...new Set(urls.map((url) => new URL(url).origin))];
  return clipMiddle(printableUrl(origins.slice(0, 3).join(',')).replaceAll(',', ', '), 200);
}

function hasFailed(pairs: readonly WalkPair[]): boolean {
  const records = pairs.flatMap((pair) => [pair.without ?? [], pair.with ?? []].flat());
  return records.some(({ totals }) => totals.failed > 0);
}

/** @param left Number of clients that are not drawn. */
function legend(y: number, left: number, withFailed: boolean): Svg[] {
  const entries: Array<[cssClass: string, height: number, words: string]> = [
    ['net', barHeight, 'page, waiting for the network'],
    ['hit', barHeight, 'page, from the cache'],
    ['stay', 2, 'visitor stays'],
    ['pre', 6, 'prefetching meanwhile'],
  ];
  let x = margin;
  const drawn = entries.flatMap(([cssClass, height, words]) => {
    const at = { x, y: y - 4 - height / 2, width: 22, height };
    const both = [
      element('rect', { class: cssClass, ...at }),
      label(x + 28, y, { class: 'muted' }, words),
    ];
    x += 28 + widthOf(words, 11) + 18;
    return both;
  });
  if (withFailed) {
    const cross = element('path', { class: 'cross', d: `M${x + 12} ${y - 8}l8 8m0 -8l-8 8` });
    drawn.push(cross, label(x + 28, y, { class: 'muted' }, 'did not load'));
  }
  const more = left > 0 ? ` ${plural(left, 'client')} more are not drawn.` : '';
  const note = `Numbers count the pages of a walk. Each walk began with an empty cache; 1 kB = 1000 B.${more}`;
  return [...drawn, label(margin, y + 18, { class: 'small muted' }, note)];
}

function signed(share: number): string {
  const size = (Math.abs(share) * 100).toFixed(0);
  return size === '0' ? '\u00b10 %' : `${share < 0 ? '\u2212' : '+'}${size} %`;
}
