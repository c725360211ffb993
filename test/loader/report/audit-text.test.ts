// An audit as text and as JUnit XML, whatever URLs and words come from the network; and several runs.

import { describe, expect, it } from 'vitest';
import type { Audit, Finding } from '../../../loader/audit/finding.ts';
import { renderAudit, renderBudget } from '../../../loader/report/audit-text.ts';
import { toJUnit } from '../../../loader/report/junit.ts';
import { medianRun, renderRuns, spreadOf, summaryOfRuns } from '../../../loader/report/runs.ts';
import { pageLoad, resource } from './page-load-builder.ts';
import { elementsOf } from './strict-xml.ts';

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
    title: 'Images that style could draw',
    advice: 'Draw them. '.repeat(20).trim(),
    how: 'by looking',
  },
  ...{ sure: 'likely', visit: 'first', saves, items },
};
const next: Finding = {
  ...finding,
  kind: 'no-lifetime',
  visit: 'next',
  saves: { bytes: 0, requests: 0, roundTrips: 0 },
};
const audit: Audit = {
  url: bad,
  findings: [finding, next],
  saves: { first: saves, next: next.saves },
  untried: ['images: sharp is not installed'],
};
const load = pageLoad({ resources: [resource({ kind: 'document' })] });
const line = {
  name: 'size of <image>',
  unit: 'KiB',
  measured: 100.001,
  limit: 100,
  tolerance: 0,
  isExceeded: true,
} as const;

describe('renderAudit', () => {
  it.each([40, 60, 80, 120, 200])(
    'has no line above %d columns and no character that is not ours',
    (columns) => {
      const text =
        renderAudit({ ...audit, load }, { columns, color: false }) +
        renderBudget([line], { columns, color: false });
      for (const each of text.split('\n')) expect(each.length).toBeLessThanOrEqual(columns);
      expect(text).toMatch(/^[\n\x20-\x7e\u2026]*$/);
    },
  );

  it('gives the sum, each saving, what to do, six resources, how it is known, and what was not tried', () => {
    const text = renderAudit({ ...audit, load }, { columns: 120, color: false });
    expect(text).toContain('First visit: up to 123 kB, 22 requests, 3 round trips less');
    expect(text).toMatch(/Images that style could draw +123 kB, 22 requests, 3 round trips\n/);
    expect(text).toContain('and 3 more');
    expect(text).toContain('Likely: by looking.');
    expect(text).toContain('Not tried\n  images: sharp is not installed');
  });

  it('says so when there is nothing to say', () => {
    const none = { ...audit, findings: [], untried: [] };
    expect(renderAudit({ ...none, load }, { columns: 80, color: false })).toContain('No advice');
  });
});

describe('toJUnit', () => {
  it('is XML with one failure for each budget that is exceeded, and advice as output', () => {
    const xml = toJUnit({
      url: bad,
      failure: null,
      findings: [finding],
      budget: [line, { ...line, isExceeded: false }],
    });
    const elements = elementsOf(xml);
    expect(elements.filter(({ name }) => name === 'testcase').length).toBe(4);
    expect(elements.find(({ name }) => name === 'testsuite')?.attributes).toMatchObject({
      tests: '4',
      failures: '1',
    });
    const failures = elements.filter(({ name }) => name === 'failure');
    expect(failures.map(({ attributes }) => attributes.message)).toEqual([
      'size of &#60;image&#62;: 100.01 KiB, budget 100 KiB',
    ]);
    expect(
      elements.find(({ characters }) => characters.includes('Draw them'))?.characters,
    ).toContain(']]> note');
  });

  it('has a failure for a page that did not load', () => {
    const elements = elementsOf(
      toJUnit({ url: bad, failure: 'refused "<&>"', findings: [], budget: [] }),
    );
    expect(elements.find(({ name }) => name === 'failure')?.attributes.message).toBe(
      'refused &#34;&#60;&#38;&#62;&#34;',
    );
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
    expect(text).toMatch(/\ncomplete +25\.0 ms +10\.0 ms +40\.0 ms\n/);
    for (const each of text.split('\n')) expect(each.length).toBeLessThanOrEqual(60);
  });
});
