// Adds one to each of 50 arcs of an SQLite store, again and again, and prints how often it was told that
// they are kept; until it is killed, or so often. `node adds-for-ever.ts FILE [TIMES]`

import { SqliteGraphStore } from '../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { deltaOf } from './graph-deltas.ts';

const store = new SqliteGraphStore(process.argv[2] as string);
const arcs = Array.from({ length: 50 }, (_, n) => ({
  from: `/${n % 10}`,
  to: `/to/${n}`,
  count: 1,
}));
const delta = deltaOf({ nodes: { '/0': { accesses: 1 } }, graphs: [arcs] });
const times = Number(process.argv[3] ?? Infinity);
for (let added = 1; added <= times; added++) {
  await store.add(delta, Date.now());
  process.stdout.write(`${added}\n`);
}
