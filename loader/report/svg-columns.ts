// Where the columns of the SVG waterfall stand. Left of time: number, name, status, size, and the lane a resource
// travelled in. Right of it: when its last byte came, or why none did, in a column of its own, because beside a bar
// there is not always room. A column is as wide as the widest words in it; what is left belongs to time.

import type { PageLoad, ResourceRecord } from '../page-load.ts';
import { widthOf } from './text-width.ts';
import { formatMs } from './units.ts';

/** In px. Names ending in `End` are where a column set flush right ends. */
export interface Columns {
  numberEnd: number;
  name: number;
  status: number;
  sizeEnd: number;
  /** The coloured strip of a connection; `lane` is beside it. */
  strip: number;
  lane: number;
  batch: number;
  chartLeft: number;
  chartRight: number;
  lastByteEnd: number;
  /** Where labels of the time axis end at the latest. */
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

/** What words are set in, in px. */
export const fontPx = 11;
export const smallFontPx = 10;

const strip = 350;
const lane = strip + 11;
const gap = 10;
/** Between bars and the words beside them; a cross may reach into it. */
const chartGap = 14;

/** Room enough for the last label of the time axis, beside the head of the column. */
const leastLastByte = 48;

/** @param end where the last column ends, in px */
export function columnsOf({ resources }: PageLoad, end: number): Columns {
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

/** `2·5`: connection, and place on it. */
export function laneWords({ connection, pipelineIndex }: ResourceRecord): string {
  return connection === null ? '' : `${connection}\u00b7${pipelineIndex ?? '?'}`;
}

export function batchWords({ batch }: ResourceRecord): string {
  return batch === null ? '' : String(batch);
}

/** What went wrong, else when it was whole. */
export function lastByteWords({ error, responseEndMs }: ResourceRecord): string {
  if (error !== null) return error.code === 'http-status' ? 'bad status' : error.code;
  return responseEndMs === null ? '' : formatMs(responseEndMs);
}

function widest(words: string[], px: number): number {
  return words.reduce((width, one) => Math.max(width, widthOf(one, px)), 0);
}
