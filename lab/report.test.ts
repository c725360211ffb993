// The page is rendered from results alone: what stands in it for limits, charts and words.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { benchmarksPage, benchmarksTemplate } from './paths.ts';
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

describe('the page', () => {
  const columns = ['server', 'load', 'k/s', 'us', 'holds'].map((name) => ({ name, meaning: name }));
  const rows = [
    ['a', 'calm', spreadOf([1, 2, 3]), 4, 'yes'],
    ['a', 'busy', 5, null, 'no'],
  ];
  const x = stored({ tables: [{ title: '', columns, rows }], targets: [target] });

  test('has cells of the first row that begins with the words, whichever table has it', () => {
    const y = { ...x, name: 'y', tables: [{ title: '', columns: [], rows: [] }, ...x.tables] };
    const template =
      '{{x / a / k/s}}; | {{y / a, busy / k/s | us}} |; {{x / b / us}}; {{z / a / us}}';
    expect(renderPage(template, [x, y])).toBe('2.00 (1.00-3.00); | 5.00 | - |; -; -');
  });

  test('has how many targets each bench reached, how many claims hold, and when', () => {
    const y = stored({ name: 'y' });
    expect(renderPage('{{x}}; {{y}}', [x, y])).toBe(
      '1 of 1, 1 of 2 claims | 2026-01-02; - | 2026-01-02',
    );
  });

  test('has each target that was missed, benches in the order of the template', () => {
    const missed = { ...target, what: 'writing', limit: 600 };
    const page = renderPage('{{missed}}\n{{y}} {{x}}', [
      { ...x, targets: [target, { ...missed, judgedBy: 'worst' }] },
      { ...x, name: 'y', targets: [missed] },
    ]);
    expect(page).toMatch(/^2 of 3 targets:\n\n\| bench \| target \| limit \| measured \|\n/);
    const limits = page.match(/\| \[.*/g);
    expect(limits).toEqual([
      '| [y](../lab/results/y.md) | writing | at least 600 k lines/s (median) | 510 (480-640) |',
      '| [x](../lab/results/x.md) | writing | at least 600 k lines/s (every run) | 510 (480-640) |',
    ]);
  });

  const folder = new URL('results/', import.meta.url);
  const kept = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name): StoredResult => JSON.parse(readFileSync(new URL(name, folder), 'utf8')));
  const template = readFileSync(benchmarksTemplate, 'utf8');
  const page = readFileSync(benchmarksPage, 'utf8');

  test('is that of the saved results, and can be read: 2,500 words with all tables', () => {
    expect(renderPage(template, kept)).toBe(page);
    expect(page.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(2500);
  });

  test('has all cells that the template names', () => {
    const figures = template.match(/\{\{.+? \/ .+?\}\}/g) ?? [];
    const isEmpty = (figure: string) => /(^|\| )-( \||$)/.test(renderPage(figure, kept));
    expect(figures.filter(isEmpty)).toEqual([]);
  });

  test.each(kept)('leads to $name, with all that it missed', ({ name, targets }) => {
    const link = `| [${name}](../lab/results/${name}.md) |`;
    expect(page.slice(page.indexOf('## All benches'))).toContain(`\n${link}`);
    const missed = targets.filter((each) => !isReached(each)).map(({ what }) => what);
    expect(missed.filter((what) => !page.includes(`\n${link} ${what} |`))).toEqual([]);
  });
});

test('what was measured has digits enough to tell it from its limit', () => {
  const near = { ...target, limit: 1.5, digits: 1, measured: spreadOf([1.4996]) };
  expect(renderResult(stored({ targets: [near] }))).toContain('| 1.4996 | **missed** |');
  const equal = { ...near, measured: spreadOf([1.5]) };
  expect(renderResult(stored({ targets: [equal] }))).toContain('| 1.5 | reached |');
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
