// CPU time per line and peak memory over the length of a log: constant and linear if the cost is linear.

import type { DrawnChart } from '../result.ts';
import { toSvg } from './charts/svg.ts';

export interface CostAtLength {
  lines: number;
  /** Median. */
  cpuUsPerLine: number;
  /** Median. */
  peakMiB: number;
}

type Spec = Parameters<typeof toSvg>[0];

export async function costChart(costs: readonly CostAtLength[]): Promise<DrawnChart> {
  return {
    file: 'simulation-cost.svg',
    alt: 'CPU time a line, and peak memory, over the length of a log of up to two million lines',
    svg: await toSvg(spec(costs)),
  };
}

function spec(costs: readonly CostAtLength[]): Spec {
  const values = costs.map((cost) => ({ ...cost, millions: cost.lines / 1e6 }));
  const panel = (field: keyof CostAtLength, title: string) => ({
    width: 330,
    height: 260,
    mark: { type: 'line' as const, point: { filled: true, size: 40 } },
    encoding: {
      x: { field: 'millions', type: 'quantitative' as const, title: 'lines, millions' },
      y: { field, type: 'quantitative' as const, title },
    },
  });
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: {
      text: 'Cost of reading and simulating one point over the length of a log',
      subtitle: 'log made from a seed; w 4, p 0.5, i 3, timed model; a process for each point',
      anchor: 'start',
      subtitleColor: '#555',
    },
    background: 'white',
    config: { font: 'sans-serif', axis: { labelFontSize: 12, titleFontSize: 13 } },
    data: { values },
    hconcat: [panel('cpuUsPerLine', 'CPU time a line, µs'), panel('peakMiB', 'peak memory, MiB')],
  };
}
