// What a predictor learned, out as deltas and in again: another predictor that takes them in knows the same
// weights, the same hints and the same clients, whenever the deltas were taken and in whatever order they
// come. Windows and habits are of clients and stay behind.

import { describe, expect, test } from 'vitest';
import type { Access } from '../../../prefetchd/access.ts';
import type { GraphDelta } from '../../../prefetchd/model/delta/graph-delta.ts';
import { GraphExport } from '../../../prefetchd/model/graph-export.ts';
import {
  type PredictorName,
  predictorNames,
  predictorWith,
} from '../../../prefetchd/model/index.ts';
import type { ModelOptions } from '../../../prefetchd/model/model-options.ts';
import type { NodePredictor } from '../../../prefetchd/model/predictors/node-predictor.ts';
import { contentOf, loaded } from '../../support/graph-deltas.ts';
import { MemoryGraphStore } from '../../support/memory-graph-store.ts';
import fc from '../../support/property.ts';
import { access } from '../model/accesses.ts';

const era = 7;
const hourMs = 60 * 60 * 1000;
const everything = { threshold: 0, limit: null };

interface Learner {
  predictor: NodePredictor;
  kept: GraphExport;
}

function learner(name: PredictorName, options: Partial<ModelOptions> = {}): Learner {
  const predictor = predictorWith(name, options);
  const kept = new GraphExport(predictor);
  kept.note();
  return { predictor, kept };
}

const urls = ['/', '/a', '/b', '/c', '/d', '/x.gif', '/y.gif', '/__proto__'];
const clients = Array.from({ length: 9 }, (_, n) => `192.0.2.${n} Browser`);

const anyAccess: fc.Arbitrary<Access> = fc
  .record({
    url: fc.constantFrom(...urls),
    client: fc.constantFrom(...clients),
    prefetch: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  })
  .map((fields) => access(fields));

/** Accesses in order; after `true` a delta is taken. */
const anyTrace = fc.array(
  fc.tuple(
    anyAccess,
    fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
  ),
  { maxLength: 150 },
);

/** Everything but the order of equals: sums in doubles, to twelve digits. */
function knowledgeOf(delta: GraphDelta) {
  const { nodes, graphs } = contentOf(delta);
  const round = (count: number) => Number(count.toPrecision(12));
  return {
    nodes: Object.fromEntries(
      [...nodes].sort().map(([url, { kind, accesses }]) => [url, `${kind} ${round(accesses)}`]),
    ),
    graphs: graphs.map((rows) =>
      [...rows]
        .flatMap(([from, arcs]) =>
          arcs.map(({ to, count, clients, seen }) => {
            const known = clients.toSorted((a, b) => a - b);
            return `${from} > ${to}: ${round(count)} of ${known} ${seen}`;
          }),
        )
        .sort(),
    ),
  };
}

/** Of all URLs, for somebody nobody knows. */
function hintsOf({ predictor }: Learner): Record<string, string[]> {
  return Object.fromEntries(
    urls.map((url) => [
      url,
      predictor
        .predict(access({ url, client: 'nobody' }), everything)
        .map((hint) => `${hint.url} ${hint.kind} ${hint.probability.toPrecision(12)}`)
        .sort(),
    ]),
  );
}

function expectSame(one: Learner, other: Learner): void {
  expect(hintsOf(one)).toEqual(hintsOf(other));
  expect(knowledgeOf(one.kept.whole(era))).toEqual(knowledgeOf(other.kept.whole(era)));
}

describe.each(predictorNames)('%s: what was taken and added elsewhere', (name) => {
  const anyOptions = fc.record({
    window: fc.integer({ min: 2, max: 6 }),
    minClients: fc.integer({ min: 1, max: 6 }),
  });

  test('is the same in many deltas, in any order', () => {
    const anyOrder = fc.infiniteStream(fc.nat());
    fc.assert(
      fc.property(anyTrace, anyOptions, anyOrder, (trace, options, order) => {
        const [one, other] = [learner(name, options), learner(name, options)];
        const deltas: GraphDelta[] = [];
        for (const [each, isTaken] of trace) {
          one.predictor.observe(each);
          if (isTaken) deltas.push(one.kept.drain(era));
        }
        deltas.push(one.kept.drain(era));
        const shuffled = deltas
          .map((delta) => ({ delta, at: order.next().value as number }))
          .sort((a, b) => a.at - b.at);
        for (const { delta } of shuffled) other.kept.add(delta, era);
        expectSame(other, one);
      }),
    );
  });

  test('is the same taken in pieces, while more is learned', () => {
    const anyMost = fc.integer({ min: 1, max: 4 });
    fc.assert(
      fc.property(anyTrace, anyOptions, anyMost, (trace, options, most) => {
        const [one, other] = [learner(name, options), learner(name, options)];
        for (const [each, isTaken] of trace) {
          one.predictor.observe(each);
          if (isTaken) other.kept.add(one.kept.drain(era, most), era);
        }
        while (one.kept.waiting > 0) other.kept.add(one.kept.drain(era, most), era);
        expectSame(other, one);
      }),
    );
  });

  test('is the same when two learned it, each of its own clients', () => {
    fc.assert(
      fc.property(anyTrace, anyOptions, (trace, options) => {
        const all = learner(name, options);
        const parts = [learner(name, options), learner(name, options)] as const;
        for (const [each, isTaken] of trace) {
          all.predictor.observe(each);
          const half = clients.indexOf(each.client) % 2;
          parts[half]?.predictor.observe(each);
          if (isTaken) parts[1 - half]?.kept.add((parts[half] as Learner).kept.drain(era), era);
        }
        for (const [at, part] of parts.entries()) {
          parts[1 - at]?.kept.add(part.kept.drain(era), era);
        }
        expect(hintsOf(parts[0])).toEqual(hintsOf(all));
        expect(hintsOf(parts[1])).toEqual(hintsOf(all));
      }),
    );
  });

  test('all of it, after deltas: the same as in one, and taken with them', () => {
    fc.assert(
      fc.property(anyTrace, anyOptions, (trace, options) => {
        const [one, other] = [learner(name, options), learner(name, options)];
        const third = learner(name, options);
        for (const [each, isTaken] of trace) {
          one.predictor.observe(each);
          other.predictor.observe(each);
          if (isTaken) one.kept.drain(era);
        }
        const whole = one.kept.whole(era);
        expect(one.kept.waiting).toBe(0);
        expect(knowledgeOf(whole)).toEqual(knowledgeOf(other.kept.drain(era)));
        third.kept.add(whole, era);
        expectSame(third, other);
      }),
    );
  });

  test('aged: deltas of all moments, through a store, weigh as in the graph that saw everything', () => {
    const anyTimed = fc.array(
      fc.tuple(anyAccess, fc.boolean(), fc.integer({ min: 0, max: hourMs / 2 })),
      { maxLength: 80 },
    );
    return fc.assert(
      fc.asyncProperty(anyTimed, async (trace) => {
        const halfLifeMs = hourMs;
        const [one, other] = [learner(name, { halfLifeMs }), learner(name, { halfLifeMs })];
        const store = new MemoryGraphStore({ halfLifeMs });
        let timeMs = 0;
        for (const [each, isTaken, pauseMs] of trace) {
          timeMs += pauseMs;
          one.predictor.observe({ ...each, timeMs, prefetch: false });
          if (isTaken) await store.add(one.kept.drain(era), timeMs);
        }
        await store.add(one.kept.drain(era), timeMs);
        const delta = await loaded(store, timeMs);
        other.kept.add(delta as GraphDelta, era);
        expect(hintsOf(other)).toEqual(hintsOf(one));
        // What comes next counts as one access for both, however far the gain has grown.
        for (const { predictor } of [one, other]) {
          for (const url of ['/a', '/b']) {
            predictor.observe(access({ url, client: '203.0.113.1', timeMs }));
          }
        }
        expect(hintsOf(other)).toEqual(hintsOf(one));
      }),
      { numRuns: 50 },
    );
  });

  test('clear: nothing is known, nothing is to be taken, and learning begins anew', () => {
    const { predictor, kept } = learner(name);
    const learn = () => {
      for (const url of ['/a', '/b', '/x.gif']) predictor.observe(access({ url, client: 'one' }));
    };
    learn();
    const before = hintsOf({ predictor, kept });
    kept.clear();
    expect(kept.waiting).toBe(0);
    expect(kept.size()).toMatchObject({ nodes: 0, arcs: 0 });
    expect(Object.values(hintsOf({ predictor, kept })).flat()).toEqual([]);
    expect(knowledgeOf(kept.whole(era)).nodes).toEqual({});
    learn();
    expect(hintsOf({ predictor, kept })).toEqual(before);
  });
});

test('what is added counts as of now, however far the gain has grown', () => {
  const { predictor, kept } = learner('dependency-graph', { halfLifeMs: hourMs });
  for (let hour = 0; hour < 5; hour++) {
    predictor.observe(access({ url: '/old', timeMs: hour * hourMs }));
  }
  const other = learner('dependency-graph');
  for (let n = 0; n < 3; n++) {
    for (const url of ['/a', '/b']) other.predictor.observe(access({ url, client: `${n}` }));
  }
  kept.add(other.kept.drain(era), era);
  predictor.observe(access({ url: '/a', client: 'another', timeMs: 4 * hourMs }));
  const [hint] = predictor.predict(access({ url: '/a' }), everything);
  expect(hint).toMatchObject({ url: '/b', probability: 3 / 4 });
});

test('a URL that went and came again is given with what it learned since', () => {
  const { predictor, kept } = learner('dependency-graph', { maxNodes: 2 });
  const go = (client: string, ...path: string[]) => {
    for (const url of path) predictor.observe(access({ url, client }));
  };
  go('keeper', '/a', '/a', '/a');
  go('c', '/b', '/a');
  go('d', '/c', '/a', '/b'); // /b for /c
  go('e', '/b', '/a');
  const { nodes, graphs } = contentOf(kept.drain(era));
  expect(nodes.get('/b')).toMatchObject({ accesses: 2 });
  expect(graphs[0]?.get('/b')?.map(({ to, count }) => `${to} ${count}`)).toEqual(['/a 1']);
  expect(graphs[0]?.get('/a')?.map(({ to, count }) => `${to} ${count}`)).toEqual(['/b 1']);
});
