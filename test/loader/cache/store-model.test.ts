// Each store against the simplest one that could be right: a list in the order of use.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { NewEntry, StoredHead } from '../../../loader/cache/entry.ts';
import { createMemoryStore } from '../../../loader/cache/memory-cache-store.ts';
import { createSqliteStore } from '../../../loader/cache/sqlite/sqlite-cache-store.ts';
import type { CacheStore } from '../../../loader/cache/store.ts';
import { entryOf } from '../../support/cache-entries.ts';
import fc from '../../support/property.ts';

const maxBytes = 600;
const urls = ['/', '/a', '/b', '/longer'];

class Model {
  /** The least recently used first. */
  entries: NewEntry[] = [];

  bytes(): number {
    return this.entries.reduce((sum, entry) => sum + this.#count(entry), 0);
  }

  put(entries: NewEntry[]): void {
    for (const entry of entries) {
      this.entries = this.entries.filter((other) => this.#key(other) !== this.#key(entry));
      if (this.#count(entry) <= maxBytes) this.entries.push(entry);
    }
    this.#shrink();
  }

  use(entry: NewEntry): void {
    this.entries = [...this.entries.filter((other) => other !== entry), entry];
  }

  freshen(entry: NewEntry, news: Partial<NewEntry>): void {
    Object.assign(entry, news);
    this.#shrink();
  }

  remove(url: string, which: (place: number) => boolean): void {
    const doomed = this.find(url).filter((_, place) => which(place));
    this.entries = this.entries.filter((entry) => !doomed.includes(entry));
  }

  find(url: string): NewEntry[] {
    return this.entries
      .filter((entry) => entry.url === url)
      .sort((one, other) => other.receivedAtMs - one.receivedAtMs);
  }

  #shrink(): void {
    while (this.bytes() > maxBytes) this.entries.shift();
  }

  #key({ url, vary, range }: NewEntry): string {
    return JSON.stringify([url, vary, range]);
  }

  #count({ url, vary, headers, body }: NewEntry): number {
    const text = [...vary, ...headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return url.length + text.length + body.length;
  }
}

const headers = fc.array(fc.tuple(fc.constantFrom('etag', 'age'), fc.string({ maxLength: 20 })), {
  maxLength: 2,
});
const entry = fc.record({
  url: fc.constantFrom(...urls),
  vary: fc.constantFrom<NewEntry['vary'][]>([], [['accept', 'x']], [['accept', '']]),
  range: fc.constantFrom<NewEntry['range'][]>(null, { first: 0, last: 4, total: 9 }),
  headers,
  // Short of all it may be, at times above it alone.
  size: fc.oneof({ weight: 9, arbitrary: fc.nat(200) }, { weight: 1, arbitrary: fc.nat(700) }),
});
const url = fc.constantFrom(...urls);
const place = fc.nat(2);
const step = fc.oneof(
  fc.record({ do: fc.constant('put' as const), entries: fc.array(entry, { maxLength: 4 }) }),
  fc.record({ do: fc.constant('use' as const), url, place }),
  fc.record({ do: fc.constant('freshen' as const), url, place, headers }),
  fc.record({ do: fc.constant('remove' as const), url, place }),
  fc.record({ do: fc.constant('remove all' as const), url }),
  fc.record({ do: fc.constant('reopen' as const) }),
);
// Long ones: shorter walks hardly ever make room by the order of use.
const walks = fc.array(step, { maxLength: 40, size: 'max' });
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Times differ, so that the order of what is found is one. */
function walk(steps: Step[], open: () => CacheStore, survives: boolean): void {
  const model = new Model();
  let store = open();
  let clock = 0;
  const at = (list: string, places: number) => {
    const heads = store.find(list);
    return { head: heads[places % heads.length], kept: model.find(list)[places % heads.length] };
  };
  for (const todo of steps) {
    clock++;
    if (todo.do === 'put') {
      const given = todo.entries.map(({ size, ...rest }) =>
        entryOf(rest.url, { ...rest, receivedAtMs: clock++, body: Buffer.alloc(size, `${clock}`) }),
      );
      store.put(given);
      model.put(given.map((one) => ({ ...one })));
    } else if (todo.do === 'use') {
      const { head, kept } = at(todo.url, todo.place);
      if (head === undefined || kept === undefined) continue;
      expect(store.body(head.id)).toStrictEqual(kept.body);
      model.use(kept);
    } else if (todo.do === 'freshen') {
      const { head, kept } = at(todo.url, todo.place);
      if (head === undefined || kept === undefined) continue;
      const news = { headers: todo.headers, requestedAtMs: clock, receivedAtMs: clock };
      store.freshen(head.id, news);
      model.freshen(kept, news);
    } else if (todo.do === 'remove') {
      const { head } = at(todo.url, todo.place);
      const count = store.find(todo.url).length;
      if (head === undefined) continue;
      store.remove([head.id]);
      model.remove(todo.url, (found) => found === todo.place % count);
    } else if (todo.do === 'remove all') {
      store.removeUrl(todo.url);
      model.remove(todo.url, () => true);
    } else if (survives) {
      store.close();
      store = open();
    }
    for (const one of urls) {
      const found = store
        .find(one)
        .map(({ id: _, bodyBytes, ...head }: Partial<StoredHead>) => head);
      expect(found).toEqual(model.find(one).map(({ body: _, ...head }) => head));
    }
    expect(store.size()).toEqual({ entries: model.entries.length, bytes: model.bytes() });
  }
  store.close();
}

const seed = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) };

test('memory: any walk leads to the same as in the model', () => {
  fc.assert(
    fc.property(walks, (steps) => walk(steps, () => createMemoryStore({ maxBytes }), false)),
    { numRuns: 300, ...seed },
  );
});

test('sqlite: any walk leads to the same as in the model, closed and opened in between', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cache-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let places = 0;
  fc.assert(
    fc.property(walks, (steps) => {
      const place = join(folder, String(++places));
      const onNotice = (message: string) => expect.fail(message);
      walk(steps, () => createSqliteStore(place, { maxBytes, onNotice }), true);
      rmSync(place, { recursive: true });
    }),
    { numRuns: 60, ...seed },
  );
});
