// What every store of a cache holds (loader/cache/store.ts). A store calls this in three lines:
//
//   cacheStoreContract('name', (limits) => new MyStore(limits));
//
// `open` is given a new place in each test.

import { afterEach, describe, expect, test } from 'vitest';
import type { NewEntry, StoredHead } from '../../loader/cache/entry.ts';
import type { CacheStore } from '../../loader/cache/store.ts';
import { entryOf, nowMs } from '../support/cache-entries.ts';

type Open = (limits: { maxBytes?: number }) => CacheStore;

const a = 'http://one.example/a';
const b = 'http://one.example/b';
const c = 'http://one.example/c';

/** An entry that counts so many bytes. */
export function entryOfBytes(url: string, bytes: number, rest: Partial<NewEntry> = {}): NewEntry {
  return entryOf(url, { headers: [], body: Buffer.alloc(bytes - url.length, url), ...rest });
}

export function cacheStoreContract(name: string, open: Open): void {
  describe(`${name} keeps the contract of a cache store`, () => {
    const stores: CacheStore[] = [];
    const opened = (maxBytes?: number): CacheStore => {
      const store = open(maxBytes === undefined ? {} : { maxBytes });
      stores.push(store);
      return store;
    };
    afterEach(() => {
      for (const store of stores.splice(0)) store.close();
    });
    const only = (store: CacheStore, url: string): StoredHead => {
      const heads = store.find(url);
      expect(heads.length, url).toBe(1);
      return heads[0] as StoredHead;
    };
    const bodyOf = (store: CacheStore, url: string) => store.body(only(store, url).id);
    const urlsIn = (store: CacheStore) =>
      [a, b, c].filter((url) => store.find(url).length > 0).map((url) => url.slice(-1));

    describe('what is kept', () => {
      test('is nothing at first', () => {
        const store = opened();
        expect(store.find(a)).toEqual([]);
        expect(store.body(1)).toBeNull();
        expect(store.size()).toEqual({ entries: 0, bytes: 0 });
      });

      test('comes out as it went in', () => {
        const store = opened();
        const given = entryOf('http://one.example/%C3%A9?q=1&q=2', {
          status: 206,
          statusText: 'Partial \u00e9',
          headers: [
            ['Set-Cookie', 'a=1'],
            ['set-cookie', 'b="2\\"'],
            ['x-latin', '\u00e9\u00ff\t'],
            ['x-empty', ''],
            ['__proto__', 'x'],
          ],
          requestedAtMs: nowMs + 0.25,
          receivedAtMs: nowMs + 12.5,
          vary: [
            ['accept', ''],
            ['accept-encoding', 'gzip, br'],
          ],
          range: { first: 10, last: 13, total: 2 ** 40 },
          body: Buffer.from([0, 255, 10, 13]),
        });
        store.put([given]);
        const head = only(store, given.url);
        const { body, ...rest } = given;
        expect(head).toStrictEqual({ ...rest, id: head.id, bodyBytes: 4 });
        expect(store.body(head.id)).toStrictEqual(body);
      });

      test('of an origin is listed, the latest used first', () => {
        const store = opened();
        const near = ['http://one.example:80/a', 'http://one.example', 'https://one.example/a'];
        store.put([a, b, c, ...near].map((url) => entryOf(url)));
        const recent = (most: number) =>
          store.recent('http://one.example', most).map(({ url }) => url);
        expect(recent(9)).toEqual([c, b, a]);
        store.body(only(store, a).id);
        store.put([entryOf('http://two.example/')]);
        expect(recent(9)).toEqual([a, c, b]);
        expect(recent(2)).toEqual([a, c]);
        expect(store.recent('http://none.example', 9)).toEqual([]);
        expect(store.recent('http://one.example', 1)).toEqual([only(store, a)]);
      });

      test('may be empty, or large', () => {
        const store = opened();
        const large = Buffer.alloc(3_000_001, 'all of it');
        store.put([entryOf(a, { headers: [], statusText: '', body: Buffer.alloc(0) })]);
        store.put([entryOf(b, { body: large })]);
        expect(bodyOf(store, a)).toStrictEqual(Buffer.alloc(0));
        expect(bodyOf(store, b)?.equals(large)).toBe(true);
      });

      test('is found by its own URL alone', () => {
        const store = opened();
        const urls = [a, `${a}/`, `${a}?`, a.toUpperCase(), `${a}%`, `${a}_`, `${a}'"`];
        store.put(urls.map((url) => entryOf(url)));
        for (const url of urls) expect(bodyOf(store, url)?.toString()).toBe(`the body of ${url}`);
        expect(store.find(`${a}//`)).toEqual([]);
      });

      test('is a copy on its way in and out', () => {
        const store = opened();
        const pool = Buffer.from('<<the body>>');
        const given = entryOf(a, { vary: [['accept', 'x']], body: pool.subarray(2, 10) });
        store.put([given]);
        pool.fill('!');
        const found = only(store, a);
        for (const head of [given, found]) {
          for (const pairs of [head.headers, head.vary]) {
            for (const pair of pairs) pair[1] = 'changed';
            pairs.length = 1;
          }
        }
        store.body(found.id)?.fill('?');
        expect(store.body(found.id)?.toString()).toBe('the body');
        expect(only(store, a).headers).toEqual(entryOf(a).headers);
        expect(only(store, a).vary).toEqual([['accept', 'x']]);
      });
    });

    describe('entries of one URL', () => {
      const variant = (language: string, receivedAtMs: number) =>
        entryOf(a, { vary: [['accept-language', language]], receivedAtMs });
      const languages = (store: CacheStore) => store.find(a).map(({ vary }) => vary[0]?.[1]);

      test('with other values of Vary stand beside each other, the newest first', () => {
        const store = opened();
        store.put([variant('de', nowMs + 2), variant('en', nowMs + 3)]);
        store.put([variant('fr', nowMs + 1), variant('', nowMs + 3)]);
        expect(languages(store)).toEqual(['', 'en', 'de', 'fr']);
        expect(new Set(store.find(a).map(({ id }) => id)).size).toBe(4);
      });

      test('with the same ones give way, and their ids name nothing any more', () => {
        const store = opened();
        store.put([entryOf(a, { body: Buffer.from('old') }), variant('de', nowMs)]);
        const old = store.find(a).find(({ vary }) => vary.length === 0)?.id as number;
        store.put([entryOf(a, { body: Buffer.from('new'), receivedAtMs: nowMs + 50 })]);
        expect(store.find(a).length).toBe(2);
        const [head] = store.find(a);
        expect(store.body(head?.id as number)?.toString()).toBe('new');
        expect(store.body(old)).toBeNull();
      });

      test('give way within one put, the last one stays', () => {
        const store = opened();
        store.put(['one', 'two', 'three'].map((text) => entryOf(a, { body: Buffer.from(text) })));
        expect(bodyOf(store, a)?.toString()).toBe('three');
        expect(store.size().entries).toBe(1);
      });

      test('with other ranges stand beside each other and the whole', () => {
        const store = opened();
        const part = (first: number, total: number) =>
          entryOf(a, { range: { first, last: 9, total }, body: Buffer.alloc(10 - first) });
        store.put([part(0, 20), part(5, 20), part(0, 30), entryOf(a), part(0, 20)]);
        expect(store.find(a).length).toBe(4);
      });
    });

    describe('freshening', () => {
      const news = { requestedAtMs: nowMs + 100, receivedAtMs: nowMs + 200 };

      test('changes fields and times, and nothing else', () => {
        const store = opened();
        store.put([entryOf(a, { vary: [['accept', 'x']] }), entryOf(b)]);
        const before = only(store, a);
        const headers: NewEntry['headers'] = [['etag', '"2"']];
        store.freshen(before.id, { ...news, headers });
        expect(only(store, a)).toStrictEqual({ ...before, ...news, headers });
        expect(bodyOf(store, a)?.toString()).toBe(`the body of ${a}`);
        expect(only(store, b).headers).toEqual(entryOf(b).headers);
      });

      test('counts the new fields', () => {
        const store = opened();
        store.put([entryOf(a, { headers: [] })]);
        const { bytes } = store.size();
        store.freshen(only(store, a).id, { ...news, headers: [['etag', '"2"']] });
        expect(store.size()).toEqual({ entries: 1, bytes: bytes + 'etag: "2"\r\n'.length });
      });

      test('over the cap lets the least recently used go', () => {
        const store = opened(200);
        store.put([entryOfBytes(a, 100), entryOfBytes(b, 100)]);
        store.freshen(only(store, b).id, { ...news, headers: [['x', '']] });
        expect(urlsIn(store)).toEqual(['b']);
      });

      test('what is gone is nothing', () => {
        const store = opened();
        store.put([entryOf(a)]);
        const { id } = only(store, a);
        store.remove([id]);
        store.freshen(id, { ...news, headers: [] });
        expect(store.size()).toEqual({ entries: 0, bytes: 0 });
      });
    });

    describe('removing', () => {
      test('by id takes these', () => {
        const store = opened();
        store.put([entryOf(a), entryOf(b), entryOf(c)]);
        const ids = [a, c].map((url) => only(store, url).id);
        store.remove([...ids, ...ids, 123_456_789]);
        store.remove([]);
        expect(urlsIn(store)).toEqual(['b']);
        for (const id of ids) expect(store.body(id)).toBeNull();
      });

      test('by URL takes all of it', () => {
        const store = opened();
        store.put([entryOf(a), entryOf(a, { vary: [['accept', 'x']] }), entryOf(`${a}/`)]);
        const ids = store.find(a).map(({ id }) => id);
        store.removeUrl(a);
        store.removeUrl('http://never.example/');
        expect(store.find(a)).toEqual([]);
        for (const id of ids) expect(store.body(id)).toBeNull();
        expect(store.size().entries).toBe(1);
      });
    });

    describe('the cap', () => {
      test('is told', () => {
        expect(opened(200).maxBytes).toBe(200);
        expect(opened().maxBytes).toBeGreaterThan(2 ** 20);
      });

      test('counts bodies, URLs and fields, and nothing stays counted', () => {
        const store = opened();
        const headers: NewEntry['headers'] = [['ab', 'cde']];
        store.put([entryOf(a, { headers, vary: [['f', 'gh']], body: Buffer.alloc(1000) })]);
        const bytes = 1000 + a.length + 'ab: cde\r\nf: gh\r\n'.length;
        expect(store.size()).toEqual({ entries: 1, bytes });
        store.put([entryOfBytes(b, 500), entryOfBytes(c, 50)]);
        store.put([entryOfBytes(b, 300)]);
        expect(store.size()).toEqual({ entries: 3, bytes: bytes + 350 });
        store.removeUrl(b);
        store.remove([a, c].map((url) => only(store, url).id));
        expect(store.size()).toEqual({ entries: 0, bytes: 0 });
      });

      test('may be reached, not passed', () => {
        const store = opened(200);
        store.put([entryOfBytes(a, 100), entryOfBytes(b, 100)]);
        expect(urlsIn(store)).toEqual(['a', 'b']);
        store.put([entryOfBytes(c, 30)]);
        expect(urlsIn(store)).toEqual(['b', 'c']);
        expect(store.size()).toEqual({ entries: 2, bytes: 130 });
      });

      test('takes what was used least recently; reading a body is using it', () => {
        const store = opened(300);
        store.put([a, b, c].map((url) => entryOfBytes(url, 100)));
        bodyOf(store, a);
        store.find(b);
        store.put([entryOfBytes('http://one.example/d', 100)]);
        expect(urlsIn(store)).toEqual(['a', 'c']);
      });

      test('holds for what is put together', () => {
        const store = opened(200);
        store.put([entryOfBytes(a, 100), entryOfBytes(b, 90), entryOfBytes(c, 90)]);
        expect(urlsIn(store)).toEqual(['b', 'c']);
      });

      test('keeps no entry that is alone above it, nor the one it replaces', () => {
        const store = opened(200);
        store.put([entryOfBytes(a, 90), entryOfBytes(b, 90)]);
        store.put([entryOfBytes(a, 201)]);
        expect(urlsIn(store)).toEqual(['b']);
        store.put([entryOfBytes(c, 200)]);
        expect(urlsIn(store)).toEqual(['c']);
      });
    });

    test('closed, it refuses every call but another close', () => {
      const store = opened();
      store.put([entryOf(a)]);
      const { id } = only(store, a);
      store.close();
      store.close();
      const head = { headers: [], requestedAtMs: 0, receivedAtMs: 0 };
      const calls = [
        () => store.find(a),
        () => store.recent('http://one.example', 1),
        () => store.body(id),
        () => store.put([entryOf(b)]),
        () => store.put([]),
        () => store.freshen(id, head),
        () => store.remove([id]),
        () => store.remove([]),
        () => store.removeUrl(a),
        () => store.size(),
      ];
      const closed = expect.objectContaining({ name: 'LoaderError', code: 'loader-closed' });
      for (const call of calls) expect(call).toThrow(closed);
    });
  });
}
