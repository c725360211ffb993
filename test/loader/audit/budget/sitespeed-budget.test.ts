// Budget files of sitespeed.io (its documentation, Performance Budget).

import { describe, expect, it } from 'vitest';
import { budgetFor } from '../../../../loader/audit/budget/budget.ts';
import { parseBudgets } from '../../../../loader/audit/budget/budget-file.ts';

const file = (budget: object) => parseBudgets(JSON.stringify({ budget }));

describe('the file of sitespeed.io', () => {
  it('has counts, bytes, and times of which one is ours by another name', () => {
    const [budget, ...others] = file({
      timings: { SpeedIndex: 1200, fullyLoaded: 2000, firstByteMs: 100 },
      requests: { total: 89, html: 1, javascript: 0, css: 1, image: 50, font: 0, httpErrors: 0 },
      transferSize: { total: 409600, css: 1024 },
      thirdParty: { transferSize: 0, requests: 2 },
      score: { performance: 100 },
    });
    expect(others).toEqual([]);
    expect(budget).toEqual({
      path: '/*',
      firstPartyHostnames: [],
      timings: [
        { metric: 'completeMs', budget: 2000, tolerance: 0 },
        { metric: 'firstByteMs', budget: 100, tolerance: 0 },
      ],
      resourceCounts: [
        { resourceType: 'total', budget: 89 },
        { resourceType: 'document', budget: 1 },
        { resourceType: 'script', budget: 0 },
        { resourceType: 'stylesheet', budget: 1 },
        { resourceType: 'image', budget: 50 },
        { resourceType: 'font', budget: 0 },
        { resourceType: 'third-party', budget: 2 },
      ],
      resourceSizes: [
        { resourceType: 'total', budget: 400 },
        { resourceType: 'stylesheet', budget: 1 },
        { resourceType: 'third-party', budget: 0 },
      ],
      unmeasured: ['timings.SpeedIndex', 'requests.httpErrors', 'score.performance'],
    });
  });

  it('has limits for single pages, which go before those for all', () => {
    const budgets = file({
      'https://a.test/docs/?x=1': { requests: { total: 5 } },
      requests: { total: 9, image: 3 },
    });
    const countsOf = (url: string) => budgetFor(budgets, url)?.resourceCounts;
    const image = { resourceType: 'image', budget: 3 };
    expect(countsOf('https://a.test/docs/?x=1')).toEqual([
      { resourceType: 'total', budget: 5 },
      image,
    ]);
    expect(countsOf('https://a.test/docs/')).toEqual([{ resourceType: 'total', budget: 9 }, image]);
  });

  it.each([
    ['[]', /budget must be an object; got \[\]/],
    ['{"requests":3}', /budget\.requests must be an object; got 3/],
    ['{"requests":{"total":"9"}}', /budget\.requests\.total must be a number.*got "9"/],
    ['{"https://a.test/":[]}', /budget\["https:\/\/a\.test\/"\] must be an object/],
  ])('says of %s what is wrong, and where', (budget, message) => {
    expect(() => parseBudgets(`{"budget":${budget}}`)).toThrow(message);
    expect(() => parseBudgets(`{"budget":{},"more":1}`)).toThrow(/more is not known; use budget/);
  });
});
