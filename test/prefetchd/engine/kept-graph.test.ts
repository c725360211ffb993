// What a predictor learned, out as deltas and in again: another predictor that takes them in knows the same
// weights, the same hints and the same clients, whenever the deltas were taken and in whatever order they
// come. Windows and habits are of clients and stay behind.

import { describe, expect, test } from 'vitest';
import type { Access } from '../../../prefetchd/access.ts';
import type { GraphDelta } from '../../../prefetchd/model/delta/graph-delta.ts';
import { GraphExport } from '../../../prefetchd/model/graph-export.ts';
import {
  createPredictor,
  type LearningPredictor,
  modelDefaults,
  type PredictorName,
  type PredictorOptions,
  predictorNames,
} from '../../../prefetchd/model/index.ts';
import { contentOf } from '../../support/graph-deltas.ts';
import { MemoryGraphStore } from '../../support/memory-graph-store.ts';
import fc from '../../support/property.ts';
import { access } from '../model/accesses.ts';
import { NaiveGraph } from '../model/naive-graph.ts';

const era = 7;
const hourMs = 60 * 60 * 1000;
const everything = { threshold: 0, limit: null };

interface Learner {
  predictor: LearningPredictor;
  kept: GraphExport;
}

function learner(name: PredictorName, options: PredictorOptions = {}): Learner {
  const predictor = createPredictor(name, options);
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
  {
    maxLength: 150,
  },
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

  test('is the same, in one delta', () => {
    fc.assert(
      fc.property(anyTrace, anyOptions, (trace, options) => {
        const [one, other] = [learner(name, options), learner(name, options)];
        for (const [each] of trace) one.predictor.observe(each);
        other.kept.add(one.kept.drain(era), era);
        expectSame(other, one);
      }),
    );
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

  test('is not taken twice, and what was added is not given on', () => {
    const [one, other] = [learner(name), learner(name)];
    for (const url of ['/a', '/b', '/x.gif']) one.predictor.observe(access({ url }));
    expect(one.kept.waiting).toBeGreaterThan(0);
    const delta = one.kept.drain(era);
    expect(one.kept.waiting).toBe(0);
    expect(knowledgeOf(one.kept.drain(era)).nodes).toEqual({});
    other.kept.add(delta, era);
    expect(other.kept.waiting).toBe(0);
    expect(knowledgeOf(other.kept.drain(era)).nodes).toEqual({});
  });

  test('all of it, after deltas: the same as in one, and taken with them', () => {
    fc.assert(
      fc.property(anyTrace, anyOptions, (trace, options) => {
        const [one, other, third] = [0, 1, 2].map(() => learner(name, options)) as [
          Learner,
          Learner,
          Learner,
        ];
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
        const [one, other] = [0, 1].map(() => learner(name, { halfLifeMs })) as [Learner, Learner];
        const store = new MemoryGraphStore({ halfLifeMs });
        let timeMs = 0;
        for (const [each, isTaken, pauseMs] of trace) {
          timeMs += pauseMs;
          one.predictor.observe({ ...each, timeMs, prefetch: false });
          if (isTaken) await store.add(one.kept.drain(era), timeMs);
        }
        await store.add(one.kept.drain(era), timeMs);
        const delta = await store.load(timeMs);
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

test('deltas of the dependency graph are what the definition says (Padmanabhan 1995, 7.2)', () => {
  fc.assert(
    fc.property(anyTrace, fc.integer({ min: 2, max: 6 }), (trace, window) => {
      const one = learner('dependency-graph', { window });
      const other = learner('dependency-graph', { window });
      const naive = new NaiveGraph(window, modelDefaults.idleGapMs as number);
      for (const [each, isTaken] of trace) {
        one.predictor.observe(each);
        if (!each.prefetch) naive.observe(each);
        if (isTaken) other.kept.add(one.kept.drain(era), era);
      }
      other.kept.add(one.kept.drain(era), era);
      for (const url of urls) {
        const hints = other.predictor.predict(access({ url, client: 'nobody' }), everything);
        const weights = new Map(hints.map((hint) => [hint.url, hint.probability]));
        expect(weights).toEqual(naive.weights(url));
      }
    }),
  );
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

describe('ids that are used again', () => {
  test.each(predictorNames)('%s: a delta has only arcs that somebody went', (name) => {
    const many = Array.from({ length: 12 }, (_, n) => (n % 3 === 0 ? `/${n}.gif` : `/${n}`));
    const step = fc.record({
      url: fc.constantFrom(...many),
      client: fc.constantFrom('one', 'two', 'three'),
    });
    const options = fc.record({ maxNodes: fc.integer({ min: 2, max: 6 }) });
    const trace = fc.array(fc.tuple(step, fc.nat({ max: 9 })), { maxLength: 250 });
    fc.assert(
      fc.property(trace, options, (steps, { maxNodes }) => {
        const window = 4;
        const one = learner(name, { maxNodes, window });
        const other = learner(name, { maxNodes: 3, window });
        const naive = new NaiveGraph(100, modelDefaults.idleGapMs as number);
        const accesses = new Map<string, number>();
        for (const [fields, turn] of steps) {
          one.predictor.observe(access(fields));
          naive.observe(access(fields));
          accesses.set(fields.url, (accesses.get(fields.url) ?? 0) + 1);
          if (turn > 0) continue;
          const delta = one.kept.drain(era);
          other.kept.add(delta, era);
          const { nodes, graphs } = contentOf(delta);
          for (const [url, node] of nodes) {
            expect(node.accesses).toBeLessThanOrEqual(accesses.get(url) ?? 0);
          }
          accesses.clear();
          for (const [from, arcs] of graphs.flatMap((rows) => [...rows])) {
            for (const { to } of arcs) expect([...naive.weights(from).keys()]).toContain(to);
          }
          // The smaller table of the other forgets while it takes in.
          for (const [from, arcs] of contentOf(other.kept.whole(era)).graphs.flatMap((rows) => [
            ...rows,
          ])) {
            for (const { to } of arcs) expect([...naive.weights(from).keys()]).toContain(to);
          }
          for (const url of many) {
            const asked = access({ url, client: 'nobody' });
            for (const { probability } of other.predictor.predict(asked, everything)) {
              expect(probability).toBeLessThanOrEqual(1);
            }
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  test('what was noted of a URL that went is not given as another’s', () => {
    const { predictor, kept } = learner('dependency-graph', { maxNodes: 2 });
    const go = (client: string, ...path: string[]) => {
      for (const url of path) predictor.observe(access({ url, client }));
    };
    go('keeper', '/a', '/a');
    go('c', '/b', '/a'); // /b to /a
    go('d', '/c'); // /b goes, /c has its id
    const { nodes, graphs } = contentOf(kept.drain(era));
    expect([...nodes.keys()].sort()).toEqual(['/a', '/c']);
    expect(graphs[0]?.size).toBe(0);
  });

  test('nor as that of one which came by a delta', () => {
    const { predictor, kept } = learner('dependency-graph', { maxNodes: 2 });
    for (const url of ['/a', '/a', '/b']) predictor.observe(access({ url }));
    const other = learner('dependency-graph');
    for (let n = 0; n < 5; n++) other.predictor.observe(access({ url: '/z' }));
    kept.add(other.kept.drain(era), era); // /b goes, /z has its id
    const { nodes, graphs } = contentOf(kept.drain(era));
    expect([...nodes].map(([url, { accesses }]) => `${url} ${accesses}`)).toEqual(['/a 2']);
    expect(graphs[0]?.size).toBe(0);
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
});

describe('eras', () => {
  const walk = ({ predictor }: Learner, from: number, to: number) => {
    for (let n = from; n < to; n++) {
      for (const url of ['/a', '/b']) predictor.observe(access({ url, client: `192.0.2.${n} B` }));
    }
  };
  const isHinted = ({ predictor }: Learner) =>
    predictor.predict(access({ url: '/a', client: 'nobody' }), everything).length > 0;
  const options = { minClients: 3 };

  test('at the end of one the number of clients stays, and those of two are not added up', () => {
    const one = learner('dependency-graph', options);
    walk(one, 0, 2);
    const first = one.kept.drain(1);
    one.kept.endEra();
    walk(one, 2, 4);
    const second = one.kept.drain(2);
    expect(isHinted(one)).toBe(false);
    const other = learner('dependency-graph', options);
    for (const delta of [first, second]) other.kept.add(delta, 2);
    expect(isHinted(other)).toBe(false);
    expect(contentOf(other.kept.whole(2)).graphs).toEqual(contentOf(one.kept.whole(2)).graphs);
    walk(one, 4, 5);
    other.kept.add(one.kept.drain(2), 2);
    expect([isHinted(one), isHinted(other)]).toEqual([true, true]);
  });

  test('what was public before stays public after, here and where it is added', () => {
    const one = learner('dependency-graph', options);
    walk(one, 0, 3);
    const delta = one.kept.drain(1);
    one.kept.endEra();
    expect(isHinted(one)).toBe(true);
    const other = learner('dependency-graph', options);
    other.kept.add(delta, 2);
    expect(isHinted(other)).toBe(true);
    expect(contentOf(other.kept.whole(2)).graphs[0]?.get('/a')).toMatchObject([
      { clients: [], seen: 3 },
    ]);
  });

  test('fingerprints of one era united from many deltas are distinct clients', () => {
    const other = learner('dependency-graph', options);
    for (let n = 0; n < 3; n++) {
      const one = learner('dependency-graph', options);
      walk(one, n, n + 1);
      walk(one, n, n + 1);
      other.kept.add(one.kept.drain(era), era);
      expect(isHinted(other)).toBe(n === 2);
    }
  });
});

test('while nobody takes, what is noted is bounded as the graph is', () => {
  const { predictor, kept } = learner('dependency-graph', { maxArcs: 50, maxNodes: 20 });
  for (let n = 0; n < 5000; n++) {
    predictor.observe(access({ url: `/${(n * 7) % 400}`, client: `${n % 5}` }));
  }
  const { urls: taken, graphs } = kept.drain(era);
  expect(taken.length).toBeLessThanOrEqual(20);
  expect(graphs[0]?.length).toBeLessThanOrEqual(50);
});
