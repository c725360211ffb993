// What is made of a simulation: table, CSV, charts.

import { describe, expect, it } from 'vitest';
import { charts, frontier } from '../../../prefetchd/simulate/report/charts.ts';
import { toCsv } from '../../../prefetchd/simulate/report/csv.ts';
import { toSvg } from '../../../prefetchd/simulate/report/svg.ts';
import { renderTable } from '../../../prefetchd/simulate/report/table.ts';
import type { SimulationPoint } from '../../../prefetchd/simulate/simulate.ts';
import { paperSweep, sweep } from '../../../prefetchd/simulate/sweep.ts';
import { paperFetchTime, timingModels } from '../../../prefetchd/simulate/timing-model.ts';
import { handLog, sizesOf } from './hand-log.ts';

const trace = handLog(
  Array.from(
    { length: 30 },
    (_, visit) => `
  v${visit} ${visit * 100} /a.html 10000
  v${visit} ${visit * 100 + 9} /${visit % 3}.html 20000`,
  ).join(''),
);
const simulation = await sweep(trace, {
  windows: [2, 4],
  thresholds: [0.2, 0.5],
  limits: [1, null],
  models: timingModels,
  workers: 0,
});

const others = await sweep(trace, {
  predictors: ['double-graph'],
  windows: [10],
  thresholds: [0],
  limits: [null],
  models: timingModels,
  workers: 0,
});

describe('table', () => {
  it.each([80, 120])('is at most %i columns wide and explains its columns', (columns) => {
    const widest = { ...simulation, points: [...simulation.points, ...others.points] };
    const text = renderTable(widest, { columns });
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    expect(text).toContain('without prefetching: miss rate');
    expect(text).toMatch(/^miss {2,}/m);
  });

  it('has a row for each point of a small sweep', () => {
    const rows = renderTable(simulation, { columns: 120 }).match(/^(simple|timed) +\d/gm);
    expect(rows).toHaveLength(simulation.points.length);
  });

  it('of a large sweep has the best for each amount of traffic, unless all are wanted', async () => {
    const large = await sweep(trace, { workers: 0 });
    expect(renderTable(large, { columns: 80 }).split('\n').length).toBeLessThan(25);
    expect(renderTable(large, { columns: 80, all: true }).split('\n').length).toBeGreaterThan(324);
  });
});

describe('CSV (RFC 4180)', () => {
  it('has a row for each point, each with all fields', () => {
    const [header, ...rows] = toCsv(simulation).trimEnd().split('\r\n');
    expect(header).toMatch(/^predictor,model,window,threshold,limit,missRate,.*,objects\.recall$/);
    expect(rows).toHaveLength(simulation.points.length);
    const fields = header?.split(',').length;
    for (const row of rows) expect(row.split(',')).toHaveLength(fields ?? 0);
    expect(rows[1]).toMatch(/^dependency-graph,simple,2,0\.2,inf,/);
  });
});

describe('charts', () => {
  it("are the paper's figures 10 to 16 and access time over traffic, as SVG", async () => {
    const paper = await sweep(trace, { ...paperSweep, models: timingModels, workers: 0 });
    const drawn = charts({
      logName: 'a <log>',
      paper,
      others: simulation.points,
      fetchTime: paperFetchTime,
      sizes: sizesOf(trace),
    });
    expect(drawn.map(({ name }) => name.replace(/-[a-z].*/, ''))).toEqual([
      'figure-10',
      'figure-11',
      'figure-12',
      'figure-13',
      'figure-14',
      'figure-15',
      'figure-16',
      'access',
    ]);
    for (const { spec } of drawn) {
      const svg = await toSvg(spec);
      expect(svg).toMatch(/^<svg /);
      expect(svg).toContain('a &lt;log&gt;');
      expect(svg).not.toMatch(/NaN|undefined/);
    }
  });

  it('a frontier keeps what no point of as little traffic beats', () => {
    const points = [
      [0.1, 900],
      [0.2, 950],
      [0.3, 700],
      [0.3, 800],
      [0.5, 700],
    ].map(
      ([trafficIncrease, averageAccessTimeMs]) =>
        ({ trafficIncrease, averageAccessTimeMs }) as SimulationPoint,
    );
    expect(frontier(points)).toEqual([points[0], points[2]]);
  });
});
