// Renders the waterfall as a self-contained SVG file without scripts or external resources, light or dark as the
// viewer's system is set. There is one row per resource in order of discovery: on the left its name, cost and
// connection, in the middle its phases over time, crossed by the milestones of the page, on the right its end. Each
// row has a tooltip.
//
// Text from the network is printable ASCII (printable.ts) and escaped (svg.ts). The width is fixed at 1000 px; the
// height depends on the rows.

import type { PageLoad } from '../page-load.ts';
import { drawnPhases, lastMs, milestones, type PhaseSpan } from './phases.ts';
import { clipMiddle, printableUrl } from './printable.ts';
import {
  boldness,
  clipToWidth,
  element,
  label,
  picture,
  type Svg,
  smallPx,
  waterfallCss,
  widthOf,
} from './svg.ts';
import {
  cross,
  edgesOf,
  type Layout,
  phaseLooks,
  renderBatches,
  renderHeads,
  renderRows,
  renderStripes,
  xOf,
} from './svg-rows.ts';
import { formatBytes, formatMs, plural, timeTicks } from './units.ts';

const width = 1000;
const margin = 16;
const textWidth = width - 2 * margin;
const headHeight = 60;
const lineHeight = 15;
const legendHeight = 86;
const legendLeft = 46;
/** Factor by which the time axis is longer than the load, so that the end of the last bar is visible. */
const headroom = 1.01;
/** Largest number of rows that are drawn at full height; if there are more, all rows are lower. */
const roomyRows = 80;
/** Least distance between labels of the time axis, px. */
const leastTickPx = 58;

export function renderWaterfallSvg(load: PageLoad): string {
  const phases = drawnPhases(load);
  const layout: Layout = {
    ...edgesOf(load, width - margin),
    top: headHeight + 26,
    endMs: (lastMs(load, phases) || 1) * headroom,
    rowHeight: load.resources.length > roomyRows ? 15 : 19,
    end: width - margin,
    width,
  };
  const marks = milestoneMarks(load, layout);
  layout.top += marks.length * lineHeight;
  const bottom = layout.top + Math.max(1, load.resources.length) * layout.rowHeight;
  const height = bottom + legendHeight;
  const url = (characters: number) => clipMiddle(printableUrl(load.url), characters);
  const desc = `${describe(load)}. ${describeTiming(load)}.`;
  const about = { title: `Waterfall of ${url(200)}`, desc };
  return picture({ width, height, css: waterfallCss }, about, [
    label(margin, 28, 'h1', clipToWidth(url(500), textWidth / boldness, 15)),
    label(margin, 47, 'muted', clipToWidth(describe(load), textWidth)),
    ...renderHeads(layout),
    ...renderStripes(load, layout),
    ...renderAxis(marks, layout, bottom),
    ...renderRows(load, phases, layout),
    ...renderBatches(load, layout),
    ...renderLegend(load, phases, bottom + 36),
  ]);
}

function describe({ protocol, totals }: PageLoad): string {
  const perBatch = totals.requestsPerBatch.toFixed(1);
  const batches = plural(totals.batches, 'batch', 'batches');
  return [
    protocol,
    plural(totals.requests, 'request'),
    plural(totals.connections, 'connection'),
    ...(totals.batches > 0 ? [`${batches} of ${perBatch} requests on average`] : []),
    `${formatBytes(totals.transferBytes)} transferred`,
    ...(totals.notModified > 0 ? [`${totals.notModified} not modified`] : []),
    ...(totals.fromCache > 0 ? [`${totals.fromCache} from cache`] : []),
    plural(totals.errors, 'error'),
  ].join(' \u00b7 ');
}

function describeTiming({ timing }: PageLoad): string {
  const moments = milestones.map(({ key, name }) => `${name} ${formatMs(timing[key])}`).join(', ');
  return timing.redirectMs === null
    ? moments
    : `redirects ${formatMs(timing.redirectMs)}, ${moments}`;
}

/** The vertical line of one or more milestones, and its label. */
interface MilestoneMark {
  x: number;
  /** Index in `milestones` of the last milestone on the line. */
  kind: number;
  words: string;
}

/** Returns the milestones that the load reached, earliest first; those within one pixel share a line and a label. */
function milestoneMarks(load: PageLoad, layout: Layout): MilestoneMark[] {
  const reached = milestones
    .flatMap(({ key, name }, kind) => {
      const ms = load.timing[key];
      return ms === null ? [] : [{ kind, x: xOf(layout, ms), name, time: formatMs(ms) }];
    })
    .sort((a, b) => a.x - b.x || a.kind - b.kind);
  return [...Map.groupBy(reached, ({ x }) => Math.round(x)).values()].map((all) => {
    const words = all.map(({ name, time }, i) =>
      all[i + 1]?.time === time ? name : `${name} ${time}`,
    );
    const { kind, x } = all.at(-1) as (typeof all)[number];
    return { kind, x, words: words.join(', ') };
  });
}

/**
 * Draws the grid, the milestones over it, and the labels of the time axis, which interrupt these lines. Milestones have
 * a line of text each: labels to the left of their line come first, latest on top, then those to the right, earliest on
 * top, so that a line starts below the labels it would cross. A label goes to the left if the frame, or a later line
 * with its label on the left, leaves no room on the right.
 */
function renderAxis(marks: readonly MilestoneMark[], layout: Layout, bottom: number): Svg[] {
  const { left, right, top, endMs, end } = layout;
  const line = (look: string, x: number, y1: number) =>
    element('line', { class: look, x1: x, x2: x, y1, y2: bottom });
  const ticks = timeTicks(endMs, (right - left) / leastTickPx).map(({ atMs, label }) => ({
    x: xOf(layout, atMs),
    words: label,
  }));
  let roomEnd = right;
  const latestFirst = marks.toReversed().map((mark) => {
    const isLeft = mark.x + 10 + widthOf(mark.words) > roomEnd;
    if (isLeft) roomEnd = mark.x;
    return { ...mark, isLeft };
  });
  const placed = [
    ...latestFirst.filter(({ isLeft }) => isLeft),
    ...latestFirst.filter(({ isLeft }) => !isLeft).reverse(),
  ].map((mark, i) => ({ ...mark, y: headHeight + i * lineHeight }));
  return [
    ...ticks.map(({ x }) => line('grid', x, top)),
    ...placed.map(({ kind, x, y }) => line(`mark m${kind}`, x, y + 1)),
    ...placed.map(({ kind, x, y, words, isLeft }) =>
      label(isLeft ? x - 5 : x + 5, y + 11, `num m${kind}${isLeft ? ' end' : ''}`, words),
    ),
    ...ticks.flatMap(({ x, words }) => {
      const wide = widthOf(words, smallPx);
      // The first label begins at its tick instead of being centred on it, because other text is to its left. Labels
      // that would reach the title of the last column are left out.
      const from = x === left ? x : x - wide / 2;
      if (from + wide > end - widthOf('end', smallPx) - 6) return [];
      const look = `small num muted${x === left ? '' : ' mid'}`;
      return [
        element('rect', { class: 'plate', x: from - 2, y: top - 14, width: wide + 4, height: 12 }),
        label(x, top - 5, look, words),
        label(x, bottom + 13, look, words),
      ];
    }),
  ];
}

/** Draws swatches of the phases that occur, as tall as their bars, then what coloured strips and columns mean. */
function renderLegend({ resources }: PageLoad, phases: PhaseSpan[][], y: number): Svg[] {
  const used = new Set(phases.flat().map(({ phase }) => phaseLooks[phase]));
  const key: Svg[] = [];
  let x = legendLeft;
  const add = (sample: Svg, words: string) => {
    key.push(sample, label(x + 28, y, 'muted', words));
    x += 28 + widthOf(words) + 18;
  };
  for (const each of new Set(Object.values(phaseLooks))) {
    const height = each.height * 19;
    const at = { x, y: y - 4 - height / 2, width: 22, height };
    if (used.has(each)) add(element('rect', { class: each.cssClass, ...at }), each.meaning);
  }
  if (resources.some(({ error }) => error !== null)) add(cross(x + 15, y - 4), 'failed');
  const notes = [
    'conn\u00b7nth: connection and place on it, from 0; strips have one colour a connection. ' +
      'A strip, and the thin line through its bars: requests that left in one write, a batch.',
    'end: last byte, from navigation start, or what went wrong. size: header and body as they came; ' +
      '1 kB = 1000 B.',
  ];
  return [
    ...key,
    ...notes.map((note, i) => label(legendLeft, y + 20 + i * lineHeight, 'small muted', note)),
  ];
}
