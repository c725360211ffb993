// What is made of a simulation: a table.

import { describe, expect, it } from 'vitest';
import { renderTable } from '../../../prefetchd/simulate/report.ts';
import { timingModels } from '../../../prefetchd/simulate/simulate-options.ts';
import { sweep } from '../../../prefetchd/simulate/sweep.ts';
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

describe('table', () => {
  it('has a row for each point of a small sweep, in 80 columns, and explains its columns', () => {
    const lines = renderTable(simulation, { columns: 80 });
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines[0]).toContain('without prefetching: miss rate');
    expect(lines.join('\n')).toMatch(/^miss {2,}/m);
    const rows = lines.filter((line) => /^dependency-graph +(simple|timed) +\d/.test(line));
    expect(rows).toHaveLength(simulation.points.length);
  });

  it('of a large sweep has the best for each amount of traffic, unless all are wanted', async () => {
    const large = await sweep(trace, { workers: 0 });
    expect(renderTable(large, { columns: 80 }).length).toBeLessThan(25);
    expect(renderTable(large, { columns: 80, all: true }).length).toBeGreaterThan(324);
  });
});
