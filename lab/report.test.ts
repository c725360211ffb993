// The page is rendered from results alone: what stands in it for limits, charts and words.

import { describe, expect, test } from 'vitest';
import { renderPage, renderResult } from './report.ts';
import { isReached, type StoredResult, type Target } from './result.ts';
import { spreadOf } from './spread.ts';

const target: Target = {
  what: 'reading',
  limit: 500,
  bound: 'at least',
  unit: 'k lines/s',
  digits: 0,
  measured: spreadOf([480, 510, 640]),
  judgedBy: 'median',
};

function stored(parts: Partial<StoredResult>): StoredResult {
  return {
    name: 'x',
    title: 'X',
    method: ['So it was done.'],
    tables: [],
    targets: [],
    environment: {
      commit: 'abc',
      node: 'v24',
      undici: '8',
      kernel: 'Linux',
      cpu: 'CPU',
      cores: 2,
      memoryGiB: 4,
    },
    startedAt: '2026-01-02T03:04:05.000Z',
    durationS: 1.4,
    command: 'node lab/run.ts x',
    ...parts,
  };
}

describe('a target of at least so much', () => {
  test('is judged by the median, or by the least of all runs', () => {
    expect(isReached(target)).toBe(true);
    expect(isReached({ ...target, judgedBy: 'worst' })).toBe(false);
    expect(isReached({ ...target, limit: 511 })).toBe(false);
    expect(isReached({ ...target, limit: 510 })).toBe(true);
  });

  test('says so, with unit and digits', () => {
    const page = renderResult(stored({ targets: [target, { ...target, judgedBy: 'worst' }] }));
    expect(page).toContain(
      '| reading | at least 500 k lines/s (median) | 510 (480-640) | reached |',
    );
    expect(page).toContain('| at least 500 k lines/s (every run) | 510 (480-640) | **missed** |');
  });
});

test('a target without a bound is of at most so much, by the most of all runs or the median', () => {
  const { bound: _, ...limited } = { ...target, digits: 1 };
  expect(isReached(limited)).toBe(false);
  expect(isReached({ ...limited, limit: 510 })).toBe(true);
  expect(isReached({ ...limited, limit: 510, judgedBy: 'worst' })).toBe(false);
  expect(renderResult(stored({ targets: [limited] }))).toContain(
    '| at most 500 k lines/s (median)',
  );
});

test('the page has what was to be reached; where nothing was, the first table', () => {
  const table = { title: 'T', columns: [{ name: 'p', meaning: 'threshold' }], rows: [[0.5]] };
  const page = renderPage([
    stored({ name: 'loopback', title: 'First', targets: [target], tables: [table] }),
    stored({ title: 'Second', tables: [table] }),
  ]);
  const [first = '', second = ''] = page.split('## ').filter((part) => !part.startsWith('# '));
  expect(first).toContain('| reading | at least 500');
  expect(first).not.toContain('| p |');
  expect(second + page.slice(page.indexOf('## Second'))).toContain('| p |');
});

test('of claims the page has those that do not hold, of a long table the first rows', () => {
  const columns = ['claim', 'holds'].map((name) => ({ name, meaning: name }));
  const claims = {
    title: '',
    columns,
    rows: [...'abc'].map((it) => [it, it === 'b' ? 'no' : 'yes']),
  };
  const long = {
    title: 'T',
    columns: columns.slice(0, 1),
    rows: Array.from({ length: 20 }, () => ['d']),
  };
  const page = renderPage([stored({ tables: [claims] }), stored({ name: 'y', tables: [long] })]);
  expect(page).toContain('2 of 3 claims hold ([all 3 rows](../lab/results/x.md)); these do not:');
  expect(page).not.toMatch(/\| [ac] \|/);
  expect(page.match(/\| d \|/g)).toHaveLength(16);
  expect(page).toContain('The first 16; [all 20 rows](../lab/results/y.md).');
});

test('charts are images beside the page, with what is to be seen in them', () => {
  const page = renderResult(stored({ charts: [{ file: 'a.svg', alt: 'a falls' }] }));
  expect(page).toContain('\n\n![a falls](../../docs/charts/a.svg)\n');
});

test('words are set to the left, numbers to the right; columns that mean the same share a line', () => {
  const columns = [
    { name: 'p', meaning: 'threshold' },
    { name: 'w 2', meaning: 'traffic' },
    { name: 'w 4', meaning: 'traffic' },
    { name: 'why', meaning: 'reason', text: true as const },
  ];
  const table = { title: 'T', columns, rows: [['0.5', 1, spreadOf([1, 2, 3]), 'so']] };
  const page = renderResult(stored({ tables: [table] }));
  expect(page).toContain('| p | w 2 | w 4 | why |\n| --- | ---: | ---: | --- |');
  expect(page).toContain('| 0.5 | 1.00 | 2.00 (1.00-3.00) | so |');
  expect(page).toContain('- **p**: threshold\n- **w 2**, **w 4**: traffic\n- **why**: reason');
});
