// Puts, freshens, reads and removes entries of an SQLite cache store, again and again, and looks at each
// that it finds. Prints a line after each put; until it is killed, or so often, and then what was wrong.
// `node caches-for-ever.ts FOLDER SEED [TIMES]`

import { createSqliteStore } from '../../loader/cache/sqlite/sqlite-cache-store.ts';
import { withConstants } from '../../options/options.ts';
import { lookedOver, sharedUrls, tellingEntry } from './cache-entries.ts';
import { randomFrom } from './random.ts';

const [folder, seed, times = 'Infinity'] = process.argv.slice(2);
const random = randomFrom(Number(seed));
const notices: string[] = [];
const store = createSqliteStore(folder as string, {
  maxBytes: 400_000,
  ...withConstants({ busyTimeoutMs: 20_000 }),
  onNotice: (message) => notices.push(message),
});
const anyUrl = () => sharedUrls[Math.floor(random() * sharedUrls.length)] as string;
const wrong: string[] = [];
for (let round = 0; round < Number(times); round++) {
  const count = 1 + Math.floor(random() * 10);
  const entries = Array.from({ length: count }, () => {
    const length = Math.floor(random() ** 4 * 80_000);
    return tellingEntry(anyUrl(), Math.floor(random() * 1e9), length);
  });
  store.put(entries);
  process.stdout.write('put\n');
  wrong.push(...lookedOver(store, [anyUrl(), anyUrl(), anyUrl()]).wrong);
  for (const { id, headers } of store.find(anyUrl())) {
    store.freshen(id, { headers, requestedAtMs: 1, receivedAtMs: 2 });
  }
  if (random() < 0.1) store.removeUrl(anyUrl());
}
const { found, wrong: last } = lookedOver(store, sharedUrls);
store.close();
process.stdout.write(JSON.stringify({ found, wrong: [...wrong, ...last], notices }));
