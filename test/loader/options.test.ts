// Every option: its default, its range, what a wrong value says. docs/options.md is held by
// test/repository/option-documents.test.ts.

import { beforeAll, describe, expect, it } from 'vitest';
import { auditPage } from '../../loader/audit-page.ts';
import { invalidOption, LoaderError } from '../../loader/errors.ts';
import {
  createFetch,
  createHttpCache,
  createLoader,
  createMemoryStore,
  loadPage,
} from '../../loader/index.ts';
import { type LoaderOptions, loaderKind, resolveOptions } from '../../loader/options.ts';
import { prefetchTable } from '../../loader/prefetch/prefetch-options.ts';
import { protocols } from '../../loader/transport/transport-options.ts';
import { checked, defaultsOf } from '../../options/options.ts';
import { makeTestCertificate } from '../support/tls.ts';

const defaults = resolveOptions();
const options = checked(loaderKind, {}, invalidOption);
const prefetchDefaults = defaultsOf(prefetchTable);

let pem: string;
beforeAll(async () => {
  ({ cert: pem } = await makeTestCertificate());
});

/** What a program without types may hand us. */
const resolve = (options: unknown) => resolveOptions(options as LoaderOptions);

function refusal(options: unknown): LoaderError {
  try {
    resolve(options);
  } catch (error) {
    expect(error).toBeInstanceOf(LoaderError);
    expect((error as LoaderError).code).toBe('invalid-option');
    return error as LoaderError;
  }
  throw new Error(`accepted ${JSON.stringify(options)}`);
}

/** { a: { b: 1 } } from 'a.b' and 1. */
function at(path: string, value: unknown): unknown {
  return path.split('.').reduceRight((inner, key) => ({ [key]: inner }), value);
}

describe('defaults', () => {
  it('are these', () => {
    expect(options).toEqual({
      protocol: 'auto',
      dictionaries: true,
      discovery: {
        ...{ viewport: '1280x800', also: [], exclude: [] },
      },
      connections: null,
      batch: { maxBytes: 14_600, flush: 'segment' },
      holdLine: false,
      timeouts: { responseMs: 15_000, pageMs: 120_000 },
      limits: { maxResourceBytes: 64 * 1024 * 1024 },
      tls: { verify: true },
      headers: 'minimal',
      extraHeaders: [],
      getAll: 'auto',
      cookies: true,
      refusePrivateAddresses: false,
      dispatcher: null,
      cache: null,
      images: 'whole',
      prefetch: null,
      layers: [],
    });
  });

  it('hold for what is undefined, at any depth', () => {
    const given = Object.fromEntries(Object.keys(options).map((key) => [key, undefined]));
    expect(resolve(given)).toEqual(resolveOptions());
    for (const [name, section] of sections()) {
      const undefinedOnes = Object.fromEntries(Object.keys(section).map((key) => [key, undefined]));
      expect(resolve({ [name]: undefinedOnes })).toEqual(resolveOptions());
    }
  });

  it.each([
    [{}, 60_000, 256 * 1024 * 1024],
    [{ timeouts: { pageMs: 600_000 }, limits: { maxResourceBytes: 10 } }, 300_000, 40],
    [{ timeouts: { pageMs: 1_000 } }, 60_000, 256 * 1024 * 1024],
  ])('of %o: the time of a response, the bytes of a page', (given, resourceMs, maxPageBytes) => {
    const { timeouts, limits } = resolveOptions(given);
    expect([timeouts.resourceMs, limits.maxPageBytes]).toEqual([resourceMs, maxPageBytes]);
  });

  it('are not changed by what a loader is given, nor is that changed', () => {
    const given = { batch: { maxBytes: 1024 }, tls: { verify: false }, extraHeaders: { A: 'b' } };
    const before = structuredClone(given);
    const resolved = resolveOptions(given);
    expect(resolved.batch).toMatchObject({ maxBytes: 1024, flush: 'segment' });
    expect(given).toEqual(before);
    given.batch.maxBytes = 7;
    expect(resolved.batch.maxBytes).toBe(1024);
    expect(defaults.batch.maxBytes).toBe(14_600);
    expect(defaults.tls.verify).toBe(true);
  });
});

describe('null switches a rule off', () => {
  it.each(['connections', 'batch.maxBytes', 'batch.flush'])('%s may be null', (path) => {
    const [first = '', second] = path.split('.');
    const resolved = resolve(at(path, null)) as unknown as Record<string, unknown>;
    const value = resolved[first];
    expect(second === undefined ? value : (value as Record<string, unknown>)[second]).toBeNull();
  });
});

describe('a wrong value is refused, and the message says option, rule and value', () => {
  // Of these null would leave a load without a rule, or say nothing.
  const withoutNull =
    'protocol batch timeouts timeouts.responseMs timeouts.pageMs limits limits.maxResourceBytes tls tls.verify tls.ca headers extraHeaders cookies refusePrivateAddresses images';
  const wrong: Array<[path: string, value: unknown, shown: string]> = [
    ...withoutNull.split(' ').map((path): (typeof wrong)[number] => [path, null, 'null']),
    ['protocol', 'http2', '"http2"'],
    ['connections', 0, '0'],
    ['connections', 1.5, '1.5'],
    ['connections', '4', 'the string "4"'],
    ['batch', 1460, '1460'],
    ['batch', [], 'a list'],
    ['batch.maxBytes', 0, '0'],
    ['batch.maxBytes', 2 ** 25, '33554432'],
    ['batch.flush', 'yes', '"yes"'],
    ['batch.flush', -1, '-1'],
    ['batch.flush', Number.POSITIVE_INFINITY, 'Infinity'],
    ['batch.flush', 2 ** 31, '2147483648'],
    ['holdLine', 0, '0'],
    ['holdLine', 3_601, '3601'],
    ['timeouts', 1000, '1000'],
    ['timeouts.responseMs', -1, '-1'],
    ['timeouts.responseMs', Number.NaN, 'NaN'],
    ['timeouts.pageMs', Number.POSITIVE_INFINITY, 'Infinity'],
    ['limits', '64MB', 'the string "64MB"'],
    ['limits.maxResourceBytes', -1, '-1'],
    ['limits.maxResourceBytes', Number.POSITIVE_INFINITY, 'Infinity'],
    ['tls', false, 'false'],
    ['tls.verify', 'false', 'the string "false"'],
    ['tls.ca', 1, '1'],
    ['discovery.viewport', '390x844@0', '"390x844@0"'],
    ['discovery.viewport', '390x844@100', '"390x844@100"'],
    ['discovery.viewport', '390x844 phone', '"390x844 phone"'],
    ['headers', 'chrome', '"chrome"'],
    ['extraHeaders', 'a: b', '"a: b"'],
    ['extraHeaders', [1], '1'],
    ['extraHeaders', ['ab'], '"ab"'],
    ['extraHeaders', [['a', 'b', 'c']], 'a list'],
    ['extraHeaders', { 'a b': 'c' }, '"a b"'],
    ['extraHeaders', { a: 1 }, '1'],
    ['extraHeaders', { a: ['b'] }, 'a list'],
    ['extraHeaders', { a: 'b\r\nc' }, '"b\\r\\nc"'],
    ['extraHeaders', { Host: 'x' }, '"Host"'],
    ['extraHeaders', { a: '\u4e2d' }, '"\u4e2d"'],
    ['cookies', 'no', 'the string "no"'],
    ['refusePrivateAddresses', 'yes', 'the string "yes"'],
    ['cache', 'folder', '"folder"'],
    ['images', 'first', '"first"'],
    ['layers', 'dispatch', 'the string "dispatch"'],
  ];
  it.each(wrong)('%s: %o', (path, value, shown) => {
    const { message } = refusal(at(path, value));
    expect(message.startsWith(path)).toBe(true);
    expect(message).toMatch(/^\S+ must be \S.*, not /);
    expect(message.endsWith(`, not ${shown}`), message).toBe(true);
  });

  it('values of any kind are shown, never thrown over, and never in full length', () => {
    for (const value of [Symbol('x'), () => 1, Object.create(null), 10n, new Map()]) {
      expect(refusal({ protocol: value }).message).toMatch(/, not .+$/);
    }
    expect(refusal({ protocol: 'x'.repeat(100_000) }).message.length).toBeLessThan(1_000);
  });

  it.each([[1], ['x'], [true], [null], [[]], [() => {}]])('options may not be %o', (options) => {
    expect(refusal(options).message).toMatch(/^options must be an object/);
  });

  it('authorities that cannot be read are refused when the loader is made, not by every server', () => {
    expect(refusal({ tls: { ca: [1] } }).message).toMatch(
      /^tls\.ca must be .*, or a list of these$/,
    );
    const junk = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    for (const ca of ['junk', '', junk, pem + junk, [pem, 'junk'], Buffer.from('junk')]) {
      for (const make of [createLoader, createFetch]) {
        expect(() => make({ tls: { ca } }), JSON.stringify(ca)).toThrow(
          /^tls\.ca must be certificates in PEM; one entry holds (no|a) certificate/,
        );
      }
    }
  });

  it('at the edges it is accepted', () => {
    for (const [path, value] of [
      ['connections', 1],
      ['connections', 64],
      ['batch.maxBytes', 1],
      ['batch.flush', 0],
      ['batch.flush', 0.5],
      ['batch.flush', 2 ** 31 - 1],
      ['limits.maxResourceBytes', 0],
      ['tls.ca', pem],
      ['tls.ca', Buffer.from(pem)],
      ['tls.ca', [pem, Buffer.from(pem + pem)]],
      ['extraHeaders', []],
      ['extraHeaders', {}],
      ['extraHeaders', { 'X-Empty': '' }],
      ['extraHeaders', { 'X-Latin': 'caf\u00e9\tx' }],
    ] as const) {
      expect(() => resolve(at(path, value)), path).not.toThrow();
    }
    for (const protocol of protocols) expect(resolveOptions({ protocol }).protocol).toBe(protocol);
  });
});

describe('unknown names are refused, with the one that may be meant or all there are', () => {
  it.each([
    ['timeout', 'timeout is unknown; did you mean timeouts?'],
    ['Protocol', 'Protocol is unknown; did you mean protocol?'],
    ['batch.maxbytes', 'batch.maxbytes is unknown; did you mean maxBytes?'],
    ['timeouts.totalMs', 'timeouts.totalMs is unknown; there are responseMs, '],
    ['limits.maxByte', 'limits.maxByte is unknown; there are maxResourceBytes'],
    ['tls.rejectUnauthorized', 'tls.rejectUnauthorized is unknown; there are ca, verify'],
    ['toString', 'toString is unknown; there are protocol, '],
    ['constructor', 'constructor is unknown; there are protocol, '],
    ['batch.toString', 'batch.toString is unknown; there are maxBytes, '],
    ['tls.hasOwnProperty', 'tls.hasOwnProperty is unknown; there are ca, verify'],
  ])('%s', (path, told) => {
    const { message } = refusal(at(path, 1));
    expect(message.startsWith(`option ${told}`), message).toBe(true);
  });

  it('createLoader and loadPage refuse before they do anything', async () => {
    const options = { protocoll: 'h2' } as LoaderOptions;
    expect(() => createLoader(options)).toThrow(
      expect.objectContaining({ code: 'invalid-option' }),
    );
    const url = 'http://127.0.0.1:9/';
    await expect(loadPage(url, options)).rejects.toThrow('did you mean protocol?');
    await expect(loadPage(url, { onProgess: 1 } as object)).rejects.toThrow('mean onProgress?');
    await expect(auditPage(url, { onTrail: 1 } as object)).rejects.toThrow('mean onTrial?');
    await expect(auditPage(url, { convertMs: -1 })).rejects.toThrow(/^convertMs must be milli/);
  });
});

describe('prefetch', () => {
  const prefetch = (given: unknown) => ({
    cache: createHttpCache(createMemoryStore()),
    prefetch: given,
  });

  it('takes its defaults, and each of them may be given', () => {
    expect(resolveOptions().prefetch).toBeNull();
    for (const given of [{}, prefetchDefaults, { maxBytes: undefined }]) {
      expect((resolve(prefetch(given)) as { prefetch: unknown }).prefetch).toEqual(
        prefetchDefaults,
      );
    }
    expect(resolveOptions({ prefetch: null }).prefetch).toBeNull();
  });

  it('is of use with a cache only', () => {
    const message = /^prefetch must be used with a cache/;
    expect(refusal({ prefetch: {} }).message).toMatch(message);
  });

  it.each([
    ['threshold', [0, 1], [-0.1, 1.1, Number.NaN, '0.5', null]],
    ['maxBytes', [0, Number.MAX_SAFE_INTEGER], [-1, 0.5, Number.POSITIVE_INFINITY]],
    ['maxResourceBytes', [0, Number.MAX_SAFE_INTEGER], [-1, 0.5, '1']],
    ['subresources', [true, false], [0, 'yes', null]],
    [
      'deny',
      [{}, { extra: ['word', '/path', /x/], allow: [], replace: null }, { extra: undefined }],
      [null, 'logout', [], { extras: [] }, { extra: 'logout' }, { allow: [5] }, { extra: [''] }],
    ],
  ])('prefetch.%s has its range', (name, good, bad) => {
    for (const value of good) resolve(prefetch({ [name]: value }));
    for (const value of bad) {
      expect(refusal(prefetch({ [name]: value })).message).toMatch(
        new RegExp(`^(option )?prefetch\\.${name}\\b`),
      );
    }
  });

  it('refuses what it does not know', () => {
    for (const given of [{ probability: 1 }, { toString: 1 }, [], true]) {
      expect(refusal(prefetch(given)).message).toMatch(/^(option )?prefetch/);
    }
  });
});

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sections(): Array<[string, Record<string, unknown>]> {
  return Object.entries(options).flatMap(([name, value]) =>
    isSection(value) ? [[name, value] as [string, Record<string, unknown>]] : [],
  );
}
