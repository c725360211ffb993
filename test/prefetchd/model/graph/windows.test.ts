import { expect, test } from 'vitest';
import { Node } from '../../../../prefetchd/model/graph/node.ts';
import { Windows } from '../../../../prefetchd/model/graph/windows.ts';
import { type ModelOptions, modelDefaults } from '../../../../prefetchd/model/model-options.ts';
import { access } from '../accesses.ts';

const windowsWith = (options: Partial<ModelOptions> = {}) =>
  new Windows({ ...modelDefaults, ...options });

const nodes = Array.from({ length: 2000 }, (_, id) => new Node(`${id}`, 'document', 0, 1));
const nodeOf = (id: number) => nodes[id] as Node;
const idOf = (node: Node | undefined) => (node === undefined ? undefined : Number(node.url));

/** The ids that an access follows, newest first. */
const follow = (windows: Windows, client: string, id: number, timeMs = 0, w?: number) =>
  windows
    .follow(windows.enter(access({ url: '', client, timeMs })), nodeOf(id), 1, w)
    .map(({ node }) => idOf(node));

test('half an hour of silence keeps the window, a millisecond more ends it', () => {
  const halfHourMs = 30 * 60 * 1000;
  const windows = windowsWith();
  follow(windows, 'c', 1, 0);
  expect(follow(windows, 'c', 2, halfHourMs)).toEqual([1]);
  expect(follow(windows, 'c', 3, 2 * halfHourMs + 1)).toEqual([]);
});

test('a small step back in time keeps the window, a leap back ends it', () => {
  const windows = windowsWith();
  follow(windows, 'c', 1, 10_000_000);
  expect(follow(windows, 'c', 2, 9_990_000)).toEqual([1]);
  expect(follow(windows, 'c', 3, 0)).toEqual([]);
  expect(follow(windows, 'c', 4, 1000)).toEqual([3]);
});

test('idleGapMs null: windows never end', () => {
  const windows = windowsWith({ idleGapMs: null });
  follow(windows, 'c', 1, 0);
  expect(follow(windows, 'c', 2, 1e14)).toEqual([1]);
});

test('beyond the cap a client silent for long is forgotten, of few the one silent longest', () => {
  const windows = windowsWith({ maxClients: 2 });
  follow(windows, 'one', 1);
  follow(windows, 'two', 2);
  follow(windows, 'one', 3);
  follow(windows, 'three', 4);
  expect(windows.size).toBe(2);
  expect(follow(windows, 'one', 5)).toEqual([3, 1]);
  expect(follow(windows, 'two', 6)).toEqual([]);
});

test('a larger window holds more from then on', () => {
  const windows = windowsWith({ window: 3 });
  for (let id = 0; id < 5; id++) follow(windows, 'c', id);
  windows.window = 20;
  expect(follow(windows, 'c', 5)).toEqual([4, 3, 2]);
  expect(follow(windows, 'c', 6)).toHaveLength(4);
});

test('URLs that were evicted are followed no more', () => {
  const windows = windowsWith({ window: 4 });
  for (const id of [0, 1, 2]) follow(windows, 'c', id);
  nodeOf(1).isGone = true;
  expect(follow(windows, 'c', 3)).toEqual([2, 0]);
  expect(idOf(windows.latest('c', 0))).toBe(3);
  nodeOf(3).isGone = true;
  expect(windows.latest('c', 0)).toBeUndefined();
  for (const id of [1, 3]) nodeOf(id).isGone = false;
});

test('the latest access of a client, as long as its window is open', () => {
  const windows = windowsWith();
  expect(windows.latest('c', 0)).toBeUndefined();
  for (const id of [7, 8, 9]) follow(windows, 'c', id, 0);
  expect(idOf(windows.latest('c', 1000))).toBe(9);
  expect(windows.latest('c', 31 * 60 * 1000)).toBeUndefined();
});
