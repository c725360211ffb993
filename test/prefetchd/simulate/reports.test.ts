// What is made of a simulation: table, CSV.

import { describe, expect, it } from 'vitest';
import { toCsv } from '../../../prefetchd/simulate/report/csv.ts';
import { renderTable } from '../../../prefetchd/simulate/report/table.ts';
import { sweep } from '../../../prefetchd/simulate/sweep.ts';
import { timingModels } from '../../../prefetchd/simulate/timing-model.ts';
import { handLog } from './hand-log.ts';

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
