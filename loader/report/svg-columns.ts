// Column positions of the SVG waterfall. On the left of the time area are number, name, status, size, and lane; on its
// right is the time of the last byte or the error, in a separate column because there is not always room beside a bar.
// Each column is as wide as its widest text; the time area gets the rest.

import type { PageLoad, ResourceRecord } from '../page-load.ts';
import { widthOf } from './text-width.ts';
import { formatMs } from './units.ts';

/** Positions in px. Names ending in `End` are the right edge of a right-aligned column. */
export interface SvgColumns {
  numberEnd: number;
  name: number;
  status: number;
  sizeEnd: number;
  /** The coloured strip of a connection, beside `lane`. */
  strip: number;
  lane: number;
  batch: number;
  chartLeft: number;
  chartRight: number;
  lastByteEnd: number;
  /** Right limit of the time axis labels. */
  ticksEnd: number;
}

export const heads = {
  name: 'resource',
  status: 'status',
  size: 'size',
  lane: 'conn\u00b7nth',
  batch: 'batch',
  lastByte: 'end',
} as const;

/** Font sizes, in px. */
export const fontPx = 11;
export const smallFontPx = 10;

const strip = 350;
const lane = strip + 11;
const gap = 10;
/** Distance between bars and the text beside them; a cross may extend into it. */
const chartGap = 14;

/** Least width of the last column, enough for the last label of the time axis beside the column head. */
const leastLastByte = 48;

/** @param end Right edge of the last column, in px. */
export function columnsOf({ resources }: PageLoad, end: number): SvgColumns {
  const digits = widest([String(resources.length)], smallFontPx);
  const numberEnd = Math.max(38, digits + 4);
  const laneEnd = lane + widest(resources.map(laneWords), fontPx);
  const batch = Math.max(laneEnd, strip + widthOf(heads.lane, smallFontPx)) + gap;
  const batches = widest(resources.map(batchWords), fontPx);
  const chartLeft = batch + Math.max(batches, widthOf(heads.batch, smallFontPx)) + chartGap;
  const lastBytes = widest(resources.map(lastByteWords), fontPx);
  return {
    numberEnd,
    name: numberEnd + 8,
    status: 250,
    sizeEnd: 338,
    strip,
    lane,
    batch,
    chartLeft,
    chartRight: end - Math.max(lastBytes, leastLastByte) - chartGap,
    lastByteEnd: end,
    ticksEnd: end - widthOf(heads.lastByte, smallFontPx) - 6,
  };
}

/** `2·5`: the connection, and the position on it. */
export function laneWords({ connection, pipelineIndex }: ResourceRecord): string {
  return connection === null ? '' : `${connection}\u00b7${pipelineIndex ?? '?'}`;
}

export function batchWords({ batch }: ResourceRecord): string {
  return batch === null ? '' : String(batch);
}

/** The error if there is one, else the time of the last byte. */
export function lastByteWords({ error, responseEndMs }: ResourceRecord): string {
  if (error !== null) return error.code === 'http-status' ? 'bad status' : error.code;
  return responseEndMs === null ? '' : formatMs(responseEndMs);
}

function widest(words: string[], px: number): number {
  return words.reduce((width, one) => Math.max(width, widthOf(one, px)), 0);
}
