// Names of URLs that were kept are judged when somebody could be sent there.

import { describe, expect, test } from 'vitest';
import { GraphExport } from '../../../prefetchd/model/graph-export.ts';
import { createPredictor, predictorNames } from '../../../prefetchd/model/index.ts';
import { deltaOf } from '../../support/graph-deltas.ts';
import { access } from './accesses.ts';

const era = 7;
const everything = { threshold: 0, limit: null };

describe('a name that must not be hinted, kept from when it could be', () => {
  const arcs = (...targets: string[]) =>
    targets.map((to) => ({ from: '/a', to, count: 2, clients: [1, 2, 3] }));
  const nodes = { '/a': { accesses: 2 }, '/b': { accesses: 2 }, '/out': { accesses: 2 } };

  test.each(predictorNames)('%s: is no hint', (name) => {
    const asked: string[] = [];
    const mayHint = (url: string) => {
      asked.push(url);
      return url !== '/out';
    };
    const predictor = createPredictor(name, { mayHint, minClients: 3 });
    const graphs = predictor.tables.graphs.map(() => arcs('/b', '/out'));
    new GraphExport(predictor).add(deltaOf({ nodes, era, graphs }), era);
    expect(asked).toEqual([]); // a hundred thousand names would take half a second
    const hinted = () =>
      predictor.predict(access({ url: '/a', client: 'x' }), everything).map(({ url }) => url);
    expect(hinted()).toEqual(['/b']);
    const before = asked.length;
    expect(before).toBeLessThanOrEqual(2);
    hinted();
    expect(asked).toHaveLength(before); // once for each name
    // Nor is it after somebody has a habit of it.
    for (let i = 0; i < 5; i++) {
      for (const url of ['/a', '/out', '/b']) predictor.observe(access({ url, client: 'x' }));
    }
    expect(hinted()).toEqual(['/b']);
  });

  test.each(predictorNames)(
    '%s: a URL that is asked for as another kind is judged anew',
    (name) => {
      const predictor = createPredictor(name, { mayHint: (_, kind) => kind === 'object' });
      const asked = access({ url: '/a', client: 'one' });
      const hints = () => predictor.predict(asked, everything);
      predictor.observe(asked);
      predictor.observe(access({ url: '/b?c', client: 'one', kind: 'object' }));
      expect(hints()).toHaveLength(1);
      predictor.observe(access({ url: '/b?c', client: 'two', kind: 'document' }));
      expect(hints()).toEqual([]);
    },
  );
});
