// Renders the waterfall as a self-contained SVG file without scripts or external resources, light or dark as the
// viewer's system is set. There is one row per resource in order of discovery: on the left its description and lane, in
// the middle its phases over time, crossed by the milestones of the page, on the right its end. Each row has a tooltip.
//
// Text from the network is printable ASCII (printable.ts) and escaped (svg-markup.ts). The width is fixed at 1000
// px; the height depends on the rows.

import type { PageLoad } from '../page-load.ts';
import type { Phase, PhaseSpan } from './phases.ts';
import { drawnPhases, lastMs } from './phases.ts';
import { clipMiddle, printableUrl } from './printable.ts';
import type { TimeFrame } from './svg-axis.ts';
import {
  milestoneLineHeight,
  milestoneMarks,
  renderGrid,
  renderMilestones,
  renderTickLabels,
} from './svg-axis.ts';
import type { SvgColumns } from './svg-columns.ts';
import { columnsOf, fontPx, heads } from './svg-columns.ts';
import type { Svg } from './svg-markup.ts';
import { element, label, stylesheet, text } from './svg-markup.ts';
import type { SvgRows } from './svg-rows.ts';
import { phaseLooks, renderBatches, renderRow, renderStripes } from './svg-rows.ts';
import { waterfallCss } from './svg-theme.ts';
import { boldness, clipToWidth, widthOf } from './text-width.ts';
import { formatBytes, formatMs, plural } from './units.ts';

const width = 1000;
const margin = 16;
const textWidth = width - 2 * margin;
const headHeight = 60;
const legendHeight = 70;
const legendLeft = 46;
/** Factor for the space after the last event, so that its end is visible. */
const headroom = 1.01;
/** Number of rows above which rows are closer together. */
const roomyRows = 80;

const phaseMeanings: readonly [Phase, string][] = [
  ['queued', 'queued'],
  ['connect', 'connecting (DNS, TCP, TLS)'],
  ['lost', 'lost, sent again'],
  ['waiting', 'sent, waiting for first byte'],
  ['receiving', 'receiving'],
  ['cache', 'from cache'],
];

/** Renders a complete SVG document. */
export function renderWaterfallSvg(load: PageLoad): string {
  const phases = drawnPhases(load);
  const rowHeight = load.resources.length > roomyRows ? 15 : 19;
  const endMs = (lastMs(load, phases) || 1) * headroom;
  const columns = columnsOf(load, width - margin);
  const { chartLeft: left, chartRight: right } = columns;
  const marks = milestoneMarks(load, { left, right, endMs });
  const top = headHeight + marks.length * milestoneLineHeight + 26;
  const bottom = top + Math.max(1, load.resources.length) * rowHeight;
  const frame: TimeFrame = { left, right, top, bottom, endMs };
  const rows: SvgRows = { load, phases, frame, columns, rowHeight, width };
  const height = bottom + legendHeight + 16;
  const description = `${describe(load)}. ${describeTiming(load)}.`;
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
    element('title', { id: 'la-title' }, text(`Waterfall of ${shownUrl(load, 200)}`)),
    element('desc', { id: 'la-desc' }, text(description)),
    stylesheet(waterfallCss),
    element('rect', { class: 'bg', width, height }),
    label(margin, 28, { class: 'h1' }, clipToWidth(shownUrl(load, 500), textWidth / boldness, 15)),
    label(margin, 47, { class: 'muted' }, clipToWidth(describe(load), textWidth, fontPx)),
    ...renderHeads(columns, frame.top - 5),
    ...renderStripes(rows),
    ...renderGrid(frame),
    ...renderMilestones(marks, frame, headHeight),
    ...renderTickLabels(frame, columns.ticksEnd),
    ...load.resources.map((_, i) => renderRow(rows, i)),
    ...renderBatches(rows),
    ...renderLegend(load, phases, bottom + 36),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${picture}\n`;
}

function shownUrl(load: PageLoad, characters: number): string {
  return clipMiddle(printableUrl(load.url), characters);
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
  const redirects = timing.redirectMs === null ? '' : `Redirects ${formatMs(timing.redirectMs)}, `;
  return (
    `${redirects}First byte ${formatMs(timing.firstByteMs)}, HTML end ${formatMs(timing.htmlEndMs)}, ` +
    `sizes known ${formatMs(timing.sizesKnownMs)}, first view ${formatMs(timing.firstViewMs)}, ` +
    `complete ${formatMs(timing.completeMs)}`
  );
}

function renderHeads(columns: SvgColumns, y: number): Svg[] {
  const head = { class: 'small muted' };
  const headEnd = { class: 'small muted end' };
  return [
    label(columns.name, y, head, heads.name),
    label(columns.status, y, head, heads.status),
    label(columns.sizeEnd, y, headEnd, heads.size),
    label(columns.strip, y, head, heads.lane),
    label(columns.batch, y, head, heads.batch),
    label(columns.lastByteEnd, y, headEnd, heads.lastByte),
  ];
}

/** Draws swatches of the phases that occur, as tall as their bars, then the meaning of lanes. */
function renderLegend(load: PageLoad, phases: PhaseSpan[][], y: number): Svg[] {
  const used = new Set<string>(phases.flat().map(({ phase }) => phaseLooks[phase].cssClass));
  const entries = phaseMeanings.filter(([phase]) => used.has(phaseLooks[phase].cssClass));
  let x = legendLeft;
  const advance = (words: string) => {
    x += 28 + widthOf(words, fontPx) + 18;
  };
  const key = entries.flatMap(([phase, meaning]) => {
    const { cssClass, height } = phaseLooks[phase];
    const tall = height * 19;
    const at = { x, y: y - 4 - tall / 2, width: 22, height: tall };
    const drawn = [element('rect', { class: cssClass, ...at }), legendWords(x, y, meaning)];
    advance(meaning);
    return drawn;
  });
  if (load.resources.some(({ error }) => error !== null)) {
    const cross = `M${x + 12} ${y - 7}l6 6m0 -6l-6 6`;
    key.push(element('path', { class: 'cross', d: cross }), legendWords(x, y, 'failed'));
  }
  const notes = [
    'conn\u00b7nth: connection and place on it, from 0; strips have one colour a connection. ' +
      'A strip, and the thin line through its bars: requests that left in one write, a batch.',
    'end: last byte, from navigation start, or what went wrong. size: header and body as they came; ' +
      '1 kB = 1000 B.',
  ];
  const lines = notes.map((note, i) =>
    label(legendLeft, y + 20 + i * 15, { class: 'small muted' }, note),
  );
  return [...key, ...lines];
}

function legendWords(x: number, y: number, words: string): Svg {
  return label(x + 28, y, { class: 'muted' }, words);
}
