import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStore, parseStore, storeName } from '../../../prefetchd/store/store-location.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';

describe('the name of a store', () => {
  test('is memory, sqlite:FILE or a redis URL', () => {
    expect(parseStore('memory')).toEqual({ type: 'memory' });
    expect(parseStore('sqlite:a b.db')).toEqual({ type: 'sqlite', path: resolve('a b.db') });
    const written = ['rediss://me:p%40ss@[::1]:6380/3?prefix=shop', 'redis://me:50%@localhost'];
    for (const url of ['redis://localhost', ...written]) {
      expect(parseStore(url)).toEqual({ type: 'redis', url });
    }
  });

  test('that SQLite would read its own meaning into is a file', () => {
    expect(parseStore('sqlite::memory:')).toEqual({ type: 'sqlite', path: resolve(':memory:') });
    expect(parseStore('sqlite:file:x?mode=memory')).toMatchObject({
      path: resolve('file:x?mode=memory'),
    });
  });

  test('of another form is refused, with the forms there are', () => {
    for (const text of ['', 'sqlite', 'sqlite:', 'sqlite:\0', 'SQLITE:x', 'file.db', '__proto__']) {
      expect(() => parseStore(text), text).toThrow(/must be memory, sqlite:FILE or redis:\/\//);
    }
    expect(() => parseStore('file.db')).toThrow(/not "file\.db"; did you mean sqlite:file\.db\?$/);
    for (const text of ['redis://', 'redis://h/x', 'redis://h?prefix=', 'redis://h?db=1']) {
      expect(() => parseStore(text), text).toThrow(/^store must be redis:\/\/\S+, or .*: \S+/);
    }
  });

  test('never shows a password, in an error neither', () => {
    for (const text of ['redis://me:secret%@h/x', 'redis://:secret@h:port', 'redis://:secret@']) {
      expect(() => parseStore(text)).toThrow(expect.not.stringContaining('secret'));
    }
    const shown = storeName(parseStore('rediss://me:secret@h:6380/2?prefix=a'));
    expect(shown).toMatch(/^rediss:\/\/h:6380\/2/);
    expect(storeName(parseStore('memory'))).toBe('memory');
  });
});

describe('opening a store', () => {
  test('makes a file that is not there, and gives a store of that name', async () => {
    const name = `sqlite:${join(folderOfTest(), 'new.db')}`;
    const store = await openStore(parseStore(name));
    expect(store.name).toBe(name);
    expect(await store.identity()).toBeNull();
    await store.close();
  });

  test('tells of wrong options at once, and of what cannot be opened when it is asked', async () => {
    const store = await openStore({ type: 'sqlite', path: '/none/a.db' });
    await expect(store.identity()).rejects.toMatchObject({ code: 'store-unreadable' });
    await store.close();
    const wrong = { code: 'invalid-option', option: expect.any(String) };
    await expect(openStore(parseStore('sqlite:a.db'), { halfLifeMs: 0 })).rejects.toMatchObject(
      wrong,
    );
    await expect(openStore(parseStore('memory'))).rejects.toMatchObject(wrong);
  });
});
