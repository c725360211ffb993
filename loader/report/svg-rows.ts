// Draws the rows of the SVG waterfall: a resource's number, name, status, size, connection and batch, its phases over
// time, and its end. Rows whose requests were sent in one write share a coloured strip beside them and a thin line
// through their bars at the time of the write.
//
// Guarantee: phases keep their order and never overlap; a receiving phase is at least 1.5 px wide.

import type { PageLoad, ResourceRecord } from '../page-load.ts';
import { hasFailed } from './failures.ts';
import type { Phase, PhaseSpan } from './phases.ts';
import { clipMiddle, printableText, printableUrl, shortName } from './printable.ts';
import { clipToWidth, element, label, laneCount, px, type Svg, smallPx, widthOf } from './svg.ts';
import { formatBytes, formatMs } from './units.ts';

/** Positions of the parts of the picture, px. The bars get the width that the widest texts beside them leave. */
export interface Layout {
  /** Left edge of the area of the bars; `right` is its right edge, and `endMs` the time at that edge, ms. */
  left: number;
  right: number;
  top: number;
  endMs: number;
  rowHeight: number;
  /** Left edge of the column with the numbers of the batches (requests sent in one write). */
  batch: number;
  /** Right edge of the last column; `width` is the width of the whole picture. */
  end: number;
  width: number;
}

/** Left edges of the columns of fixed width, px; a name that ends in `End` is a right edge, where text is aligned. */
const columns = { numberEnd: 38, name: 46, status: 250, sizeEnd: 338, strip: 350, lane: 361 };

interface PhaseLook {
  cssClass: string;
  /** Height of the bar as a fraction of the height of its row. */
  height: number;
  meaning: string;
}

const connecting: PhaseLook = {
  cssClass: 'connect',
  height: 0.3,
  meaning: 'connecting (DNS, TCP, TLS)',
};
export const phaseLooks: Record<Phase, PhaseLook> = {
  queued: { cssClass: 'queued', height: 0.1, meaning: 'queued' },
  lookup: connecting,
  connect: connecting,
  secure: connecting,
  lost: { cssClass: 'lost', height: 0.42, meaning: 'lost, sent again' },
  waiting: { cssClass: 'waiting', height: 0.42, meaning: 'sent, waiting for first byte' },
  receiving: { cssClass: 'receiving', height: 0.66, meaning: 'receiving' },
  cache: { cssClass: 'cache', height: 0.66, meaning: 'from cache' },
};

/** Returns the left edge of the column of batches (requests sent in one write), and both edges of the bars, px. */
export function edgesOf({ resources }: PageLoad, end: number) {
  const widest = (words: (row: ResourceRecord) => string) =>
    resources.reduce((width, row) => Math.max(width, widthOf(words(row))), 0);
  const gap = 10;
  // A cross, which marks a failure, may extend into the gap between bars and text.
  const chartGap = 14;
  const lanes = Math.max(
    columns.lane + widest(laneWords),
    columns.strip + widthOf(laneHead, smallPx),
  );
  const batch = lanes + gap;
  const batches = Math.max(widest(batchWords), widthOf('batch', smallPx));
  // The last column has room at least for the last label of the time axis beside its title.
  const ends = Math.max(widest(endWords), 48);
  return { batch, left: batch + batches + chartGap, right: end - ends - chartGap };
}

const laneHead = 'conn\u00b7nth';

export function renderHeads({ batch, end, top }: Layout): Svg[] {
  const y = top - 5;
  return [
    label(columns.name, y, 'small muted', 'resource'),
    label(columns.status, y, 'small muted', 'status'),
    label(columns.sizeEnd, y, 'small muted end', 'size'),
    label(columns.strip, y, 'small muted', laneHead),
    label(batch, y, 'small muted', 'batch'),
    label(end, y, 'small muted end', 'end'),
  ];
}

export function xOf({ left, right, endMs }: Layout, ms: number): number {
  return left + Math.max(0, Math.min(1, ms / endMs)) * (right - left);
}

/** Draws the texts, the bar and the tooltip of each row. */
export function renderRows(load: PageLoad, phases: PhaseSpan[][], layout: Layout): Svg[] {
  const { top, rowHeight, width, end } = layout;
  return load.resources.map((resource, index) => {
    const spans = phases[index] ?? [];
    const y = top + index * rowHeight;
    const words = (x: number, look: string, characters: string) =>
      characters === '' ? [] : [label(x, y + rowHeight / 2 + 4, look, characters)];
    const bad = hasFailed(resource) ? ' bad' : '';
    const name = clipToWidth(shortName(resource.url, load.url), columns.status - columns.name - 8);
    return element('g', { class: 'row' }, [
      element('title', {}, tooltip(resource, spans)),
      element('rect', { class: 'hit', x: 0, y, width, height: rowHeight }),
      ...words(columns.numberEnd, 'small num muted end', String(index + 1)),
      ...words(columns.name, `name${bad}`, name),
      ...words(columns.status, `num${bad || ' muted'}`, statusWords(resource)),
      ...words(columns.sizeEnd, 'num end', formatBytes(resource.transferBytes)),
      ...words(columns.lane, 'num muted', laneWords(resource)),
      ...words(end, `num end${bad}`, endWords(resource)),
      ...renderBar(resource, spans, layout, y + rowHeight / 2),
    ]);
  });
}

export function renderStripes({ resources }: PageLoad, { top, rowHeight, width }: Layout): Svg[] {
  return resources.flatMap((_, i) => {
    const at = { x: 0, y: top + i * rowHeight, width, height: rowHeight };
    return i % 2 === 0 ? [] : [element('rect', { class: 'stripe', ...at })];
  });
}

/** Draws a strip beside each run of rows whose requests left in one write (a batch), and a line through their bars. */
export function renderBatches({ resources }: PageLoad, layout: Layout): Svg[] {
  const drawn: Svg[] = [];
  for (let from = 0, to = 1; from < resources.length; from = to++) {
    const first = resources[from] as ResourceRecord;
    while (to < resources.length && sameWrite(resources[to] as ResourceRecord, first)) to++;
    const { connection, requestStartMs } = first;
    if (connection === null) continue;
    const { rowHeight, batch } = layout;
    const top = layout.top + from * rowHeight;
    const [y, height] = [top + 1.5, (to - from) * rowHeight - 3];
    const lane = `l${(connection - 1) % laneCount}`;
    drawn.push(element('rect', { class: lane, x: columns.strip, y, width: 5, height, rx: 2.5 }));
    drawn.push(label(batch, top + rowHeight / 2 + 4, 'num muted', batchWords(first)));
    if (requestStartMs !== null && to - from > 1) {
      const x = xOf(layout, requestStartMs);
      drawn.push(element('line', { class: 'batch', x1: x, x2: x, y1: y, y2: y + height }));
    }
  }
  return drawn;
}

function sameWrite(a: ResourceRecord, b: ResourceRecord): boolean {
  return a.connection === b.connection && a.batch === b.batch && a.batch !== null;
}

function renderBar(
  resource: ResourceRecord,
  spans: PhaseSpan[],
  layout: Layout,
  middle: number,
): Svg[] {
  let end = xOf(layout, resource.startMs);
  const bars = spans.map(({ phase, startMs, endMs }) => {
    const { cssClass, height: share } = phaseLooks[phase];
    const x = xOf(layout, startMs);
    const least = phase === 'receiving' || phase === 'cache' ? 1.5 : 0;
    const width = Math.max(xOf(layout, endMs) - x, least);
    end = x + width;
    const height = share * layout.rowHeight;
    return element('rect', { class: cssClass, x, y: middle - height / 2, width, height });
  });
  return resource.error === null ? bars : [...bars, cross(end, middle)];
}

/** Draws a cross, which marks what failed. */
export function cross(x: number, y: number): Svg {
  return element('path', { class: 'bad', d: `M${px(x - 3)} ${y - 3}l6 6m0 -6l-6 6` });
}

function statusWords({ status, error, fromCache }: ResourceRecord): string {
  if (status !== null) return String(status);
  return error !== null ? 'error' : fromCache ? 'cache' : '-';
}

/** Returns where a request was sent, as `2·5`: the number of its connection, and its position on that connection. */
function laneWords({ connection, pipelineIndex }: ResourceRecord): string {
  return connection === null ? '' : `${connection}\u00b7${pipelineIndex ?? '?'}`;
}

function batchWords({ batch }: ResourceRecord): string {
  return String(batch ?? '');
}

/** Returns the error of a resource if there is one, else the time of its last byte. */
function endWords({ error, responseEndMs }: ResourceRecord): string {
  if (error !== null) return error.code === 'http-status' ? 'bad status' : error.code;
  return responseEndMs === null ? '' : formatMs(responseEndMs);
}

function tooltip(resource: ResourceRecord, spans: PhaseSpan[]): string {
  const { kind, status, statusText, httpVersion, connection, batch, error, partOf } = resource;
  const { pipelineIndex, attempts, lostAttempts, transferBytes, bodyBytes } = resource;
  const answer = status === null ? 'no response' : printableText(`${status} ${statusText}`);
  const place = `connection ${connection}, request ${pipelineIndex ?? '?'} on it`;
  const lostOn = lostAttempts.map((lost) => `, lost on connection ${lost.connection}`).join('');
  const lines = [
    clipMiddle(printableUrl(resource.url), 400),
    `${kind}, ${clipMiddle(answer, 100)}${httpVersion ? `, ${httpVersion}` : ''}`,
    error && `${error.code}: ${clipMiddle(printableText(error.message), 300)}`,
    `${formatBytes(transferBytes)} transferred, ${formatBytes(bodyBytes)} decoded`,
    partOf !== null
      ? `part of the response of ${clipMiddle(printableUrl(partOf), 200)}`
      : connection !== null && `${place}${batch === null ? '' : `, batch ${batch}`}`,
    attempts > 1 && `sent ${attempts} times${lostOn}`,
    resource.fromCache && 'body from the cache',
    `found at ${formatMs(resource.startMs)}`,
    ...spans.map(({ phase, startMs, endMs }) => `${phase} ${formatMs(endMs - startMs)}`),
    `whole at ${formatMs(resource.responseEndMs)}`,
  ];
  return lines.filter(Boolean).join('\n');
}
