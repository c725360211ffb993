import { expect, test } from 'vitest';
import { DependencyGraph } from '../../../../prefetchd/model/predictors/dependency-graph.ts';
import fc from '../../../support/property.ts';
import { started } from '../../engine/visits.ts';
import { access } from '../accesses.ts';
import { learnedArcs, learnedNodes } from '../learned.ts';

const dayMs = 24 * 60 * 60 * 1000;

const visit = (predictor: DependencyGraph, next: string, timeMs: number) => {
  predictor.observe(access({ url: '/a', client: `${next} ${timeMs}`, timeMs }));
  predictor.observe(access({ url: next, client: `${next} ${timeMs}`, timeMs }));
};

// Silence makes a site forget one half life at most.
test.each([1, 365])('a visit of %i half lives ago counts half of one from now', (days) => {
  const predictor = new DependencyGraph({ halfLifeMs: dayMs });
  visit(predictor, '/old', 0);
  visit(predictor, '/new', days * dayMs);
  expect(predictor.graph.weight('/a', '/old')).toBeCloseTo(1 / 3, 12);
  expect(predictor.graph.weight('/a', '/new')).toBeCloseTo(2 / 3, 12);
  const accesses = learnedNodes(predictor).find((node) => node.url === '/a')?.accesses;
  expect(accesses).toBeCloseTo(1.5, 12);
});

test('without a half life all visits count the same', () => {
  const predictor = new DependencyGraph();
  visit(predictor, '/old', 0);
  visit(predictor, '/new', 1000 * dayMs);
  expect(predictor.graph.weight('/a', '/old')).toBe(0.5);
});

test('a follower counts what the access it follows counted: no weight exceeds 1', () => {
  const predictor = new DependencyGraph({ halfLifeMs: 1000, idleGapMs: null });
  predictor.observe(access({ url: '/a', timeMs: 0 }));
  predictor.observe(access({ url: '/b', timeMs: 1000 }));
  expect(predictor.graph.weight('/a', '/b')).toBe(1);
  expect(learnedArcs(predictor)[0]?.count).toBeCloseTo(0.5, 12);
});

test('one line from the far future does not stop the ageing after it', () => {
  const predictor = new DependencyGraph({ halfLifeMs: dayMs });
  visit(predictor, '/future', 1000 * 365 * dayMs);
  visit(predictor, '/old', 0);
  for (let hour = 0; hour <= 48; hour++) visit(predictor, '/other', hour * 3_600_000);
  visit(predictor, '/new', 2 * dayMs);
  const ratio = predictor.graph.weight('/a', '/new') / predictor.graph.weight('/a', '/old');
  expect(ratio).toBeCloseTo(4, 9);
});

test('lines out of order by less than an hour do not speed time up', () => {
  const predictor = new DependencyGraph({ halfLifeMs: dayMs });
  visit(predictor, '/old', 0);
  for (let i = 0; i < 1000; i++) visit(predictor, '/other', i % 2 === 0 ? 0 : 1_800_000);
  visit(predictor, '/new', 1_800_000);
  const ratio = predictor.graph.weight('/a', '/new') / predictor.graph.weight('/a', '/old');
  expect(ratio).toBeCloseTo(2 ** (1 / 48), 9);
});

test('accesses that waited until their visitor was known to be a person do not move time', () => {
  const engine = started({ halfLifeMs: 4 * 3_600_000 });
  const open = (client: string, url: string, hour: number) =>
    engine.observe(access({ client: `192.0.2.${client}`, url, timeMs: hour * 3_600_000 }));
  for (const url of ['/old', '/a', '/a.png']) open('1', url, 0);
  open('2', '/a', 0);
  open('1', '/b', 2);
  open('2', '/a.png', 2);
  const count = engine.export().urls.find(({ url }) => url === '/old')?.accesses;
  expect(count).toBeCloseTo(2 ** (-2 / 4), 9);
});

test('after thousands of half lives counts stay finite and weights what they were', () => {
  const predictor = new DependencyGraph({ halfLifeMs: 1000, idleGapMs: null });
  for (let i = 0; i < 5000; i++) visit(predictor, i % 2 === 0 ? '/even' : '/odd', i * 1000);
  // the last visit counts 1, the one before 1/2, and so on: 1/2 + 1/8 + ... = 2/3
  expect(predictor.graph.weight('/a', '/odd')).toBeCloseTo(2 / 3, 9);
  expect(predictor.graph.weight('/a', '/even')).toBeCloseTo(1 / 3, 9);
  for (const { count } of learnedArcs(predictor)) expect(count).toBeLessThan(2);
});

test('whatever the clock does, weights stay within 0..1', () => {
  const anyTime = fc.oneof(
    fc.integer({ min: 0, max: 1e6 }),
    fc.double(),
    fc.constantFrom(0, -1e15, 1e15, Number.NaN, Number.POSITIVE_INFINITY),
  );
  const step = fc.record({ url: fc.constantFrom('/a', '/b', '/c'), timeMs: anyTime });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const predictor = new DependencyGraph({ halfLifeMs: 100 });
      for (const each of steps) predictor.observe(access(each));
      for (const { from, to, count } of learnedArcs(predictor)) {
        expect(Number.isFinite(count)).toBe(true);
        const weight = predictor.graph.weight(from, to);
        expect(weight).toBeGreaterThanOrEqual(0);
        expect(weight).toBeLessThanOrEqual(1);
      }
    }),
  );
});
