// Draws the rows of the SVG waterfall: number, name, status, size and lane of a resource, its phases over time, and its
// end. Rows sent in one write share a coloured strip beside them and a thin line through their bars at the time of
// the write.
//
// Guarantee: phases keep their order and never overlap; a receiving phase is at least 1.5 px wide.

import type { PageLoad, ResourceRecord } from '../page-load.ts';
import { hasFailed } from './milestones.ts';
import type { Phase, PhaseSpan } from './phases.ts';
import { clipMiddle, printableText, printableUrl, shortName } from './printable.ts';
import type { TimeFrame } from './svg-axis.ts';
import { xOf } from './svg-axis.ts';
import type { SvgColumns } from './svg-columns.ts';
import { batchWords, fontPx, laneWords, lastByteWords } from './svg-columns.ts';
import type { Svg } from './svg-markup.ts';
import { element, label, text } from './svg-markup.ts';
import { laneCount } from './svg-theme.ts';
import { clipToWidth } from './text-width.ts';
import { formatBytes, formatMs } from './units.ts';

export interface PhaseLook {
  cssClass: 'queued' | 'connect' | 'lost' | 'waiting' | 'receiving' | 'cache';
  /** Height of the phase as a fraction of the row's height. */
  height: number;
}

const connecting: PhaseLook = { cssClass: 'connect', height: 0.3 };

export const phaseLooks: Record<Phase, PhaseLook> = {
  queued: { cssClass: 'queued', height: 0.1 },
  lookup: connecting,
  connect: connecting,
  secure: connecting,
  lost: { cssClass: 'lost', height: 0.42 },
  waiting: { cssClass: 'waiting', height: 0.42 },
  receiving: { cssClass: 'receiving', height: 0.66 },
  cache: { cssClass: 'cache', height: 0.66 },
};

export interface SvgRows {
  load: PageLoad;
  phases: PhaseSpan[][];
  frame: TimeFrame;
  columns: SvgColumns;
  rowHeight: number;
  /** Width of the whole image, in px. */
  width: number;
}

/** Shades every other row, which guides the eye from name to bar. */
export function renderStripes({ load, frame, rowHeight, width }: SvgRows): Svg[] {
  return load.resources.flatMap((_, i) => {
    if (i % 2 === 0) return [];
    const y = frame.top + i * rowHeight;
    return [element('rect', { class: 'stripe', x: 0, y, width, height: rowHeight })];
  });
}

export function renderRow(rows: SvgRows, index: number): Svg {
  const { load, phases, frame, columns, rowHeight, width } = rows;
  const resource = load.resources[index];
  if (resource === undefined) return text('');
  const top = frame.top + index * rowHeight;
  const baseline = top + rowHeight / 2 + 4;
  const bad = hasFailed(resource) ? ' bad' : '';
  const nameWidth = columns.status - columns.name - 8;
  const name = clipToWidth(shortName(resource.url, load.url), nameWidth, fontPx);
  const words = (x: number, look: string, characters: string) =>
    characters === '' ? [] : [label(x, baseline, { class: look }, characters)];
  return element(
    'g',
    { class: 'row' },
    element('title', {}, text(tooltip(resource, phases[index] ?? []))),
    element('rect', { class: 'hit', x: 0, y: top, width, height: rowHeight }),
    ...words(columns.numberEnd, 'small num muted end', String(index + 1)),
    ...words(columns.name, `name${bad}`, name),
    ...words(columns.status, `num${bad || ' muted'}`, statusWords(resource)),
    ...words(columns.sizeEnd, 'num end', formatBytes(resource.transferBytes)),
    ...words(columns.lane, 'num muted', laneWords(resource)),
    ...words(columns.lastByteEnd, `num end${bad}`, lastByteWords(resource)),
    ...renderBar(resource, phases[index] ?? [], rows, top),
  );
}

/** Draws strips and lines of the batches, one for each run of adjacent rows in the same batch. */
export function renderBatches({ load, frame, columns, rowHeight }: SvgRows): Svg[] {
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
        drawn.push(label(columns.batch, baseline, { class: 'num muted' }, batchWords(first)));
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
  { frame, rowHeight }: SvgRows,
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
  }
  return bars;
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
  if (resource.partOf !== null) {
    lines.push(`part of the response of ${clipMiddle(printableUrl(resource.partOf), 200)}`);
  } else if (connection !== null) {
    const place = `connection ${connection}, request ${resource.pipelineIndex ?? '?'} on it`;
    lines.push(`${place}${batch === null ? '' : `, batch ${batch}`}`);
  }
  if (resource.attempts > 1) {
    const on = resource.lostAttempts.map((lost) => `connection ${lost.connection}`).join(', ');
    lines.push(`sent ${resource.attempts} times${on === '' ? '' : `, lost on ${on}`}`);
  }
  if (resource.fromCache) lines.push('body from the cache');
  lines.push(`found at ${formatMs(resource.startMs)}`);
  lines.push(...spans.map(({ phase, startMs, endMs }) => `${phase} ${formatMs(endMs - startMs)}`));
  lines.push(`whole at ${formatMs(resource.responseEndMs)}`);
  return lines.join('\n');
}
