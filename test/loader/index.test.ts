// What programs may import: nothing more, nothing less, until a release says so.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as loadahead from '../../loader/index.ts';
import * as scan from '../../loader/scan/index.ts';

/** Names after `export`, types marked, from a module whose exports stand in lists or declarations. */
function exported(path: string): string[] {
  const source = readFileSync(new URL(path, import.meta.url), 'utf8');
  const names: string[] = [];
  for (const [, type, list] of source.matchAll(/^export (type )?\{([^}]*)\}/gm)) {
    for (const part of (list ?? '').split(',')) {
      const name = part.trim();
      if (name !== '') names.push(type === undefined ? name : `type ${name}`);
    }
  }
  for (const [, kind, name] of source.matchAll(
    /^export (?:async )?(function|class|const|interface|type) (\w+)/gm,
  )) {
    names.push(kind === 'interface' || kind === 'type' ? `type ${name}` : `${name}`);
  }
  return names.sort();
}

describe('the public names', () => {
  it('of loadahead', () => {
    expect(Object.keys(loadahead).sort()).toEqual([
      'LoaderError',
      'createFetch',
      'createHttpCache',
      'createLoader',
      'createMemoryStore',
      'loadPage',
      'createSqliteStore',
    ]);
    expect(exported('../../loader/index.ts')).toEqual(
      [
        'LoaderError',
        'createFetch',
        'createHttpCache',
        'createLoader',
        'createMemoryStore',
        'loadPage',
        'createSqliteStore',
        'type BatchOptions',
        'type BatchRecord',
        'type CacheMode',
        'type CacheRequest',
        'type CacheResponse',
        'type CacheStore',
        'type CachedResponse',
        'type ConnectionRecord',
        'type Fetch',
        'type FetchOptions',
        'type HeaderPair',
        'type HttpCache',
        'type HttpCacheOptions',
        'type LimitOptions',
        'type LoadOptions',
        'type LoadProgress',
        'type Loader',
        'type LoaderErrorCode',
        'type LoaderOptions',
        'type Lookup',
        'type MemoryStoreOptions',
        'type NewEntry',
        'type PageLoad',
        'type PageTiming',
        'type PageTotals',
        'type PipelineOptions',
        'type PrefetchOptions',
        'type PrefetchTotals',
        'type Storable',
        'type Protocol',
        'type ResourceError',
        'type ResourceKind',
        'type ResourceRecord',
        'type SqliteStoreOptions',
        'type StoredHead',
        'type StoredRange',
        'type TimeoutOptions',
        'type TlsOptions',
        'type Validation',
      ].sort(),
    );
  });

  it('of loadahead/scan', () => {
    expect(Object.keys(scan)).toEqual(['createScanner']);
    expect(exported('../../loader/scan/index.ts')).toEqual([
      'createScanner',
      'type OnReference',
      'type Reference',
      'type Scanner',
      'type ScannerOptions',
    ]);
  });
});

describe('createScanner', () => {
  it('throws a TypeError when its url is none', () => {
    expect(() => scan.createScanner({ url: '/relative', onReference: () => {} })).toThrow(
      TypeError,
    );
  });

  it('what its listener throws comes out of write', () => {
    const onReference = () => {
      throw new Error('mine');
    };
    const scanner = scan.createScanner({ url: 'http://a.example/', onReference });
    expect(() => scanner.write('<img src=/a>')).toThrow('mine');
  });
});
