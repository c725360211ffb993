// The common layout of all charts, and curves over p for most of them.

import type { TopLevelSpec } from 'vega-lite';
import { curveColors } from './chart-colors.ts';

type Layer = Extract<TopLevelSpec, { layer: unknown }>['layer'][number];

interface Row {
  p: number;
  y: number;
  series: string;
}

/** Margin between the outermost points and the edge of the plot, px: half a point. */
const edge = 6;
/** Dashes that keep overlapping curves visible: later curves, drawn on top, have larger gaps. */
const dashes = [
  [1, 0],
  [8, 4],
  [4, 6],
  [2, 8],
];
const shapes = ['circle', 'square', 'triangle-up', 'diamond'];

interface Curves {
  title: string;
  subtitle: string[];
  /** Points of all curves. */
  rows: Row[];
  y: string;
  series: string;
  /** Value of a dashed horizontal line. */
  level?: number;
  /** Upper end of the y axis; higher values are cut off. */
  top?: number;
}

export function curves({ title, subtitle, rows, y, series, level, top }: Curves): TopLevelSpec {
  const names = [...new Set(rows.map((row) => row.series))];
  // The type is not ordinal, though sorted, because Vega warns that shapes show no order.
  const by = { field: 'series', type: 'nominal' as const, title: series, sort: names };
  const range = <T>(values: T[]) => ({ ...by, scale: { range: values.slice(0, names.length) } });
  const isFew = names.length <= shapes.length;
  const clip = top !== undefined;
  const encoding = {
    x: {
      field: 'p',
      type: 'quantitative' as const,
      title: 'threshold p',
      axis: { values: ticks(rows) },
      scale: { padding: edge, nice: false },
    },
    y: {
      field: 'y',
      type: 'quantitative' as const,
      title: y,
      scale: clip ? { domain: [0, top], padding: edge, nice: false } : { zero: true },
    },
    color: range(curveColors(names.length)),
  };
  const data = { values: rows };
  return {
    ...sheet(title, subtitle),
    layer: [
      {
        data,
        mark: { type: 'line', clip },
        encoding: {
          ...encoding,
          ...(isFew && { strokeDash: range(dashes) }),
        },
      },
      {
        data,
        mark: { type: 'point', clip, ...(isFew ? { size: 60 } : { filled: true, size: 36 }) },
        encoding: { ...encoding, opacity: { value: 1 }, ...(isFew && { shape: range(shapes) }) },
      },
      ...(level === undefined ? [] : [levelLine(level)]),
    ],
  };
}

/** A dashed horizontal line. */
export function levelLine(level: number): Layer {
  return {
    data: { values: [{ y: level }] },
    mark: { type: 'rule' as const, strokeDash: [6, 4], color: '#555' },
    encoding: { y: { field: 'y', type: 'quantitative' as const } },
  };
}

/** Title, size and type of a chart. */
export function sheet(title: string, subtitle: string[]) {
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: { text: title, subtitle, anchor: 'start' as const, subtitleColor: '#555' },
    width: 640,
    height: 380,
    background: '#ffffff',
    config: {
      font: 'sans-serif',
      // Every tick has a label, placed exactly at the tick.
      axis: { labelFontSize: 12, titleFontSize: 13, labelOverlap: false, labelFlush: false },
      legend: { labelFontSize: 12, titleFontSize: 13, symbolSize: 80 },
    },
  };
}

function ticks(rows: readonly Row[]): number[] {
  return [...new Set(rows.map(({ p }) => p))].sort((left, right) => left - right);
}
