// Budget files as Lighthouse reads them, and pages beside them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BudgetError,
  budgetFor,
  checkBudget,
  figuresOf,
  isHost,
  matches,
  parseBudgets,
} from '../../../loader/audit/budget.ts';
import { pageLoad, resource } from '../report/page-load-builder.ts';

/** The example of Lighthouse's documentation, with metrics of ours. */
const file = [
  {
    path: '/*',
    options: { firstPartyHostnames: ['*.cdn.example'] },
    timings: [
      { metric: 'interactive', budget: 3000 },
      { metric: 'completeMs', budget: 100, tolerance: 20 },
      { metric: 'batches', budget: 3 },
    ],
    resourceSizes: [
      { resourceType: 'image', budget: 2 },
      { resourceType: 'total', budget: 500 },
    ],
    resourceCounts: [{ resourceType: 'third-party', budget: 0 }],
  },
  { path: '/shop$', timings: [] },
];
const budgets = parseBudgets(JSON.stringify(file));

describe('parseBudgets', () => {
  it('reads sizes, counts and times, and sets aside what a browser measures', () => {
    expect(budgets[0]).toMatchObject({ path: '/*', unmeasured: ['interactive'] });
    expect(budgets[0]?.timings).toEqual([
      { metric: 'completeMs', budget: 100, tolerance: 20 },
      { metric: 'batches', budget: 3, tolerance: 0 },
    ]);
    expect(parseBudgets('[{}]')[0]?.path).toBe('/*');
  });

  it.each([
    ['{', /is not JSON/],
    ['{}', /must be a list: \[.*not an object/],
    ['[]', /empty list/],
    ['[{"path":"shop"}]', /\[0\]\.path must be a path that begins with "\/".*not "shop"/],
    ['[{"path":"/a$b"}]', /with "\$" at its end only/],
    ['[{"resourceSize":[]}]', /\[0\]\.resourceSize is unknown; did you mean resourceSizes/],
    [
      '[{"timings":[{"metric":"fast","budget":1}]}]',
      /\[0\]\.timings\[0\]\.metric must be firstByteMs.*not "fast"/,
    ],
    ['[{"timings":[{"metric":"completeMs"}]}]', /timings\[0\]\.budget must be a number.*missing/],
    [
      '[{"resourceSizes":[{"resourceType":"picture","budget":1}]}]',
      /resourceType must be document.*not "picture"/,
    ],
    [
      '[{"resourceCounts":[{"resourceType":"total","budget":-1}]}]',
      /resourceCounts\[0\]\.budget must be a number of at least 0, not -1/,
    ],
    ['[{"resourceCounts":{}}]', /resourceCounts must be a list/],
    ['[null]', /\[0\] must be an object, not null/],
  ])('says of %s what is wrong, and where', (json, message) => {
    expect(() => parseBudgets(json)).toThrow(message);
  });

  it('throws nothing but its own error, whatever the file has', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        try {
          parseBudgets(JSON.stringify(value));
        } catch (error) {
          expect(error).toBeInstanceOf(BudgetError);
        }
      }),
    );
  });
});

describe('paths', () => {
  it.each([
    ['/', '/anything', true],
    ['/shop', '/shop/cart', true],
    ['/shop$', '/shop', true],
    ['/shop$', '/shop/', false],
    ['/*.html$', '/a/b.html', true],
    ['/*.html$', '/a/b.html?x', false],
    ['/*/cart', '/de/shop/cart?n=1', true],
    ['/a*b*c$', '/a-b-bc-c', true],
    ['/ab*b$', '/ab', false],
    ['/Shop', '/shop', false],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  it('the last budget that matches counts, as in Lighthouse', () => {
    expect(budgetFor(budgets, 'http://example.org/shop')?.path).toBe('/shop$');
    expect(budgetFor(budgets, 'http://example.org/other')?.path).toBe('/*');
    expect(budgetFor(budgets.slice(1), 'http://example.org/')).toBeNull();
  });
});

describe('checkBudget', () => {
  const load = pageLoad({
    resources: [
      resource({ kind: 'document', transferBytes: 1024 }),
      resource({ url: 'http://other.example/a.png', transferBytes: 2049 }),
      resource({ kind: 'font', url: 'http://localhost:8080/f', transferBytes: 100 }),
    ],
    moments: { completeMs: 119 },
  });
  const figures = figuresOf(load, (url) => url.includes('other.example'));

  it('compares KiB on the wire, requests and times, a tolerance added', () => {
    const [budget] = budgets;
    const lines = budget === undefined ? [] : checkBudget(budget, figures);
    expect(lines.filter(({ isExceeded }) => isExceeded).map(({ name }) => name)).toEqual([
      'size of image',
      'count of third-party',
    ]);
    expect(lines.find(({ name }) => name === 'size of image')?.measured).toBe(2049 / 1024);
    expect(lines.map(({ unit }) => unit)).toEqual(['KiB', 'KiB', 'requests', 'ms', '']);
  });

  it('counts what was not measured as exceeded', () => {
    const [budget] = parseBudgets('[{"timings":[{"metric":"firstViewMs","budget":9}]}]');
    const lines = budget === undefined ? [] : checkBudget(budget, figures);
    expect(lines).toMatchObject([{ measured: null, isExceeded: true }]);
  });

  it('takes hosts of the first party as written, or with all below', () => {
    expect(isHost('a.cdn.example', '*.cdn.example')).toBe(true);
    expect(isHost('cdn.example', '*.cdn.example')).toBe(true);
    expect(isHost('xcdn.example', '*.cdn.example')).toBe(false);
    expect(isHost('cdn.example', 'cdn.example')).toBe(true);
  });
});
