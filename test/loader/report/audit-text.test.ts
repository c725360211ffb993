// An audit as text, whatever URLs and words come from the network; and several runs.

import { describe, expect, it } from 'vitest';
import type { BudgetLine } from '../../../loader/audit/budget.ts';
import type { Audit, Finding } from '../../../loader/audit/finding.ts';
import { budgetWords, renderAudit, renderBudget } from '../../../loader/report/audit-text.ts';
import { medianRun, renderRuns, spreadOf, summaryOfRuns } from '../../../loader/report/runs.ts';
import { pageLoad, resource } from './page-load-builder.ts';

const bad = 'http://localhost:8080/\x1b[31m<a>&"\u202egpj.exe?\u{1f600}';
const saves = { bytes: 123_456, requests: 22, roundTrips: 3 };
const items = Array.from({ length: 9 }, (_, index) => ({
  url: `${bad}${index}${'x'.repeat(index * 20)}`,
  note: `${bad} ]]> note`,
  saves,
}));
const finding: Finding = {
  ...{
    kind: 'css-images',
    title: 'Images that CSS could draw',
    advice: 'Draw them. '.repeat(20).trim(),
    how: 'by looking',
  },
  ...{ sure: 'likely', visit: 'first', saves, items },
};
const nothing = { bytes: 0, requests: 0, roundTrips: 0 };
const next: Finding = { ...finding, kind: 'no-lifetime', visit: 'next', saves: nothing };
const audit: Audit = {
  url: bad,
  findings: [finding, next],
  saves: { first: saves, next: next.saves },
  untried: ['images: sharp is not installed', 'range requests: not tested'],
  uncounted: ['images: sharp is not installed'],
};
const load = pageLoad({ resources: [resource({ kind: 'document' })] });
const broken = resource({
  url: 'http://localhost:8080/missing.png',
  status: 404,
  statusText: 'Not Found',
  error: { code: 'http-status', message: '404 Not Found' },
});
const root = resource({ kind: 'document', initiator: null });
const brokenLoad = pageLoad({ resources: [root, broken] });
const line = {
  ...({ name: 'size of <image>', unit: 'KiB', isExceeded: true } as const),
  ...{ measured: 100.001, limit: 100, tolerance: 0 },
};

describe('renderAudit', () => {
  it.each([40, 60, 80, 120, 200])('has at most %d columns, of our characters', (columns) => {
    const text =
      renderAudit({ ...audit, load }, { columns, color: false }) +
      renderBudget([line], { columns, color: false });
    for (const each of text.split('\n')) expect(each.length).toBeLessThanOrEqual(columns);
    expect(text).toMatch(/^[\n\x20-\x7e\u2026]*$/);
  });

  it('gives the sum, each saving, what to do, six resources, how it is known, and what was not tried', () => {
    const text = renderAudit({ ...audit, load }, { columns: 120, color: false });
    expect(text).toContain('First visit: saves up to 123 kB, 22 requests and 3 round trips\n');
    expect(text).toMatch(/Images that CSS could draw +123 kB, 22 requests, 3 round trips\n/);
    expect(text).toContain('and 3 more');
    expect(text).toContain('Likely: by looking.');
    expect(text).toContain('Not tried\n  range requests: not tested');
  });

  it('says of savings that were not measured why, in place of the figure', () => {
    const unknown = { ...audit, findings: [next], saves: { first: next.saves, next: next.saves } };
    const text = renderAudit({ ...unknown, load }, { columns: 80, color: false });
    expect(text).toContain(
      'First visit: savings not known\n  Not counted: images: sharp is not installed\n',
    );
    expect(text).toContain('Next visit: saves no bytes, requests or round trips\n');
    expect(text.match(/sharp is not installed/g)).toHaveLength(1);
  });

  it('lists resources that failed before anything else', () => {
    const text = renderAudit({ ...audit, load: brokenLoad }, { columns: 80, color: false });
    expect(text).toMatch(/\n\n1 failed .*\n {2}404 Not Found {2}missing\.png\n\nFirst visit/);
  });

  it('says so when there is nothing to say', () => {
    const none = { ...audit, findings: [], untried: [], uncounted: [] };
    expect(renderAudit({ ...none, load }, { columns: 80, color: false })).toContain('No advice');
  });
});

describe('budgetWords', () => {
  const of = (given: Partial<BudgetLine>): string => budgetWords({ ...line, ...given });

  it('are in the units of the report, and KiB where the file has a round figure of them', () => {
    expect(of({ name: 'size of total', measured: 144.51, limit: 200 })).toBe(
      'size of total: 148 kB, budget 205 kB (200 KiB)',
    );
    expect(of({ measured: 1, limit: 9.765625 })).toMatch(/: 1\.0 kB, budget 10\.0 kB$/);
    expect(of({ name: 'completeMs', unit: 'ms', measured: 7.481, limit: 2000 })).toBe(
      'completeMs: 7.48 ms, budget 2.00 s',
    );
    expect(of({ unit: 'requests', measured: 2, limit: 1 })).toMatch(
      /: 2 requests, budget 1 request$/,
    );
  });

  it('never make a figure over its budget look the same', () => {
    expect(of({ unit: 'ms', measured: 2000.4, limit: 2000 })).toMatch(
      /2000\.4 ms, budget 2000 ms$/,
    );
    expect(of({ measured: 200.001, limit: 200 })).toMatch(/204,802 B, budget 204,800 B/);
  });
});

describe('runs', () => {
  const loads = [30, 10, 20, 40].map((completeMs) =>
    pageLoad({
      resources: [resource({ kind: 'document' })],
      moments: { completeMs, sizesKnownMs: completeMs === 40 ? null : 5 },
    }),
  );

  it('have median, smallest and largest; null where a run has no figure', () => {
    const { timing, totals, runs } = summaryOfRuns(loads);
    expect(timing.completeMs).toEqual({ median: 25, min: 10, max: 40 });
    expect(timing.sizesKnownMs).toBeNull();
    expect(totals.requests).toEqual({ median: 1, min: 1, max: 1 });
    expect(runs).toBe(4);
    expect(spreadOf([3])).toEqual({ median: 3, min: 3, max: 3 });
    expect(spreadOf([])).toBeNull();
    expect(medianRun(loads).timing.completeMs).toBe(20);
  });

  it('are a table of at most 60 columns', () => {
    const text = renderRuns(summaryOfRuns(loads), { color: false });
    expect(text).toMatch(/^4 runs +median +smallest +largest\n/);
    expect(text).toMatch(/\nerrors +0 +0 +0\n/);
    expect(text).toMatch(/\ncomplete +25\.0 ms +10\.0 ms +40\.0 ms\n/);
    for (const each of text.split('\n')) expect(each.length).toBeLessThanOrEqual(60);
  });
});
