// The rows of the SVG waterfall: number, name, status and size of a resource, the lane it travelled
// in, and its phases over time. Rows that left in one write stand together: one coloured strip
// beside them, and one thin line through their bars where the write happened.
//
// Guarantee: phases keep their order and never overlap; what was received is at least 1.5 px wide.

import type { PageLoad, ResourceRecord } from '../page-load.ts';
import { hasFailed } from './milestones.ts';
import type { Phase, PhaseSpan } from './phases.ts';
import { clipMiddle, printableText, printableUrl, shortName } from './printable.ts';
import type { TimeFrame } from './svg-axis.ts';
import { milestoneXs, xOf } from './svg-axis.ts';
import type { Svg } from './svg-markup.ts';
import { clipToWidth, element, label, text } from './svg-markup.ts';
import { laneCount } from './svg-theme.ts';
import { formatBytes, formatMs } from './units.ts';

/** Where the columns are, in px. `end` columns are set flush right at their x. */
export const columns = {
  numberEnd: 38,
  name: 46,
  status: 250,
  sizeEnd: 338,
  strip: 350,
  lane: 361,
  batch: 402,
} as const;

const nameWidthPx = columns.status - columns.name - 8;

export interface PhaseLook {
  cssClass: 'queued' | 'connect' | 'waiting' | 'receiving' | 'cache';
  /** Share of the row's height. */
  height: number;
}

const connecting: PhaseLook = { cssClass: 'connect', height: 0.3 };

export const phaseLooks: Record<Phase, PhaseLook> = {
  queued: { cssClass: 'queued', height: 0.1 },
  lookup: connecting,
  connect: connecting,
  secure: connecting,
  waiting: { cssClass: 'waiting', height: 0.42 },
  receiving: { cssClass: 'receiving', height: 0.66 },
  cache: { cssClass: 'cache', height: 0.66 },
};

export interface Rows {
  load: PageLoad;
  phases: PhaseSpan[][];
  frame: TimeFrame;
  rowHeight: number;
  /** Width of the whole picture, in px. */
  width: number;
}

/** Every other row, so that the eye finds the way from name to bar. */
export function renderStripes({ load, frame, rowHeight, width }: Rows): Svg[] {
  return load.resources.flatMap((_, i) => {
    if (i % 2 === 0) return [];
    const y = frame.top + i * rowHeight;
    return [element('rect', { class: 'stripe', x: 0, y, width, height: rowHeight })];
  });
}

export function renderRow(rows: Rows, index: number): Svg {
  const { load, phases, frame, rowHeight, width } = rows;
  const resource = load.resources[index];
  if (resource === undefined) return text('');
  const top = frame.top + index * rowHeight;
  const baseline = top + rowHeight / 2 + 4;
  const bad = hasFailed(resource) ? ' bad' : '';
  const name = clipToWidth(shortName(resource.url, load.url), nameWidthPx, 11);
  const { connection, pipelineIndex } = resource;
  const lane = connection === null ? '' : `${connection}\u00b7${pipelineIndex ?? '?'}`;
  return element(
    'g',
    { class: 'row' },
    element('title', {}, text(tooltip(resource, phases[index] ?? []))),
    element('rect', { class: 'hit', x: 0, y: top, width, height: rowHeight }),
    label(columns.numberEnd, baseline, { class: 'small num muted end' }, String(index + 1)),
    label(columns.name, baseline, { class: `name${bad}` }, name),
    label(columns.status, baseline, { class: `num${bad || ' muted'}` }, statusWords(resource)),
    label(columns.sizeEnd, baseline, { class: 'num end' }, formatBytes(resource.transferBytes)),
    ...(lane === '' ? [] : [label(columns.lane, baseline, { class: 'num muted' }, lane)]),
    ...renderBar(resource, phases[index] ?? [], rows, top),
  );
}

/** Strips and lines of the batches, one for each run of neighbouring rows of one batch. */
export function renderBatches({ load, frame, rowHeight }: Rows): Svg[] {
  const { resources } = load;
  const drawn: Svg[] = [];
  for (let from = 0; from < resources.length; ) {
    const first = resources[from];
    let to = from + 1;
    while (to < resources.length && sameWrite(resources[to], first)) to++;
    if (first?.connection != null) {
      const y = frame.top + from * rowHeight + 1.5;
      const height = (to - from) * rowHeight - 3;
      const lane = `l${(first.connection - 1) % laneCount}`;
      drawn.push(element('rect', { class: lane, x: columns.strip, y, width: 5, height, rx: 2.5 }));
      if (first.batch !== null) {
        const baseline = frame.top + (from + 0.5) * rowHeight + 4;
        drawn.push(label(columns.batch, baseline, { class: 'num muted' }, String(first.batch)));
      }
      if (first.requestStartMs !== null && to - from > 1) {
        const x = xOf(frame, first.requestStartMs);
        drawn.push(element('line', { class: 'batch', x1: x, x2: x, y1: y, y2: y + height }));
      }
    }
    from = to;
  }
  return drawn;
}

function sameWrite(a: ResourceRecord | undefined, b: ResourceRecord | undefined): boolean {
  return a?.connection === b?.connection && a?.batch === b?.batch && a?.batch !== null;
}

function renderBar(
  resource: ResourceRecord,
  spans: PhaseSpan[],
  { load, frame, rowHeight }: Rows,
  top: number,
): Svg[] {
  const middle = top + rowHeight / 2;
  let end = xOf(frame, resource.startMs);
  const bars = spans.map(({ phase, startMs, endMs }) => {
    const { cssClass, height } = phaseLooks[phase];
    const x = xOf(frame, startMs);
    const last = phase === 'receiving' || phase === 'cache';
    const width = Math.max(xOf(frame, endMs) - x, last ? 1.5 : 0);
    end = x + width;
    const tall = height * rowHeight;
    return element('rect', { class: cssClass, x, y: middle - tall / 2, width, height: tall });
  });
  if (resource.error !== null) {
    const d = `M${(end - 3).toFixed(2)} ${middle - 3}l6 6m0 -6l-6 6`;
    bars.push(element('path', { class: 'cross', d }));
    end += 4;
  }
  return [...bars, barLabel(resource, end, frame, milestoneXs(load, frame), middle + 3.5)];
}

/**
 * What went wrong, else when it was whole: right of the bar, left of it where room ends, else on it.
 * No line of a milestone runs through it: it moves behind those near by.
 */
function barLabel(
  { error, startMs, responseEndMs }: ResourceRecord,
  end: number,
  frame: TimeFrame,
  marks: number[],
  y: number,
): Svg {
  const reason = error?.code === 'http-status' ? 'bad status' : error?.code;
  const words = reason ?? (responseEndMs === null ? '' : formatMs(responseEndMs));
  if (words === '') return text('');
  const look = `small num halo${error === null ? ' muted' : ' bad'}`;
  const wordsWidth = words.length * 6.2;
  const start = xOf(frame, startMs);
  let right = end + 4;
  for (const x of marks) if (x > right - 3 && x < right + wordsWidth) right = x + 4;
  const isNear = right <= end + 4 + wordsWidth && right + wordsWidth <= frame.right + 12;
  let left = start - 4;
  for (const x of marks.toReversed()) if (x > left - wordsWidth && x < left + 3) left = x - 4;
  if (isNear) return label(right, y, { class: look }, words);
  // Nowhere beside the bar: on it, short of the cross that may stand at its end.
  const x = left - wordsWidth < frame.left ? Math.min(end, frame.right) - 12 : left;
  return label(x, y, { class: `${look} end` }, words);
}

function statusWords({ status, error, fromCache }: ResourceRecord): string {
  if (status !== null) return String(status);
  return error !== null ? 'error' : fromCache ? 'cache' : '-';
}

function tooltip(resource: ResourceRecord, spans: PhaseSpan[]): string {
  const { status, statusText, httpVersion, connection, batch, error } = resource;
  const lines = [clipMiddle(printableUrl(resource.url), 400)];
  const answer = status === null ? 'no response' : printableText(`${status} ${statusText}`);
  lines.push(
    `${resource.kind}, ${clipMiddle(answer, 100)}${httpVersion ? `, ${httpVersion}` : ''}`,
  );
  if (error !== null) lines.push(`${error.code}: ${clipMiddle(printableText(error.message), 300)}`);
  const { transferBytes, bodyBytes } = resource;
  lines.push(`${formatBytes(transferBytes)} transferred, ${formatBytes(bodyBytes)} decoded`);
  if (connection !== null) {
    const place = `connection ${connection}, request ${resource.pipelineIndex ?? '?'} on it`;
    lines.push(`${place}${batch === null ? '' : `, batch ${batch}`}`);
  }
  if (resource.attempts > 1) lines.push(`sent ${resource.attempts} times`);
  if (resource.fromCache) lines.push('body from the cache');
  lines.push(`found at ${formatMs(resource.startMs)}`);
  lines.push(...spans.map(({ phase, startMs, endMs }) => `${phase} ${formatMs(endMs - startMs)}`));
  lines.push(`whole at ${formatMs(resource.responseEndMs)}`);
  return lines.join('\n');
}
