// The fields and the head of RFC 9842, in both directions.

import { describe, expect, it } from 'vitest';
import {
  dczHeadBytes,
  hashOf,
  isRawDictionary,
  readAvailableDictionary,
  readDczHead,
  readDictionaryUse,
  writeAvailableDictionary,
  writeDczHead,
  writeDictionaryUse,
} from '../../http/compression-dictionary.ts';

const hash = hashOf(Buffer.from('a page'));

describe('Available-Dictionary (RFC 9842 2.2)', () => {
  it('comes back as it was written', () => {
    expect(readAvailableDictionary(writeAvailableDictionary(hash))).toBe(hash);
  });

  it.each(['', hash, `:${hash}`, ':AAAA:', `:${hash}:, :${hash}:`, ':!!:', `"${hash}"`])(
    'is ignored if it is no hash of 32 bytes: %s',
    (value) => {
      expect(readAvailableDictionary(value)).toBeNull();
    },
  );
});

describe('the head of dcz (RFC 9842 5)', () => {
  it('has 40 bytes, a skippable frame and the hash', () => {
    const head = writeDczHead(hash);
    expect(head.length).toBe(dczHeadBytes);
    expect(head.toString('hex', 0, 8)).toBe('5e2a4d1820000000');
    expect(readDczHead(head)).toBe(hash);
  });

  it('is not taken from other bytes', () => {
    expect(readDczHead(Buffer.alloc(40))).toBeNull();
    expect(readDczHead(writeDczHead(hash).subarray(0, 39))).toBeNull();
  });
});

describe('Use-As-Dictionary (RFC 9842 2.1)', () => {
  it.each([
    { match: '/a/*', destinations: [], id: '' },
    { match: '/a/"b\\*', destinations: ['document', 'iframe'], id: 'one "two"' },
  ])('comes back as it was written: $match', (use) => {
    expect(readDictionaryUse(writeDictionaryUse(use))).toEqual(use);
  });

  it('reads order, type and parameters that it does not know', () => {
    expect(readDictionaryUse('type=raw, id="x";a=1, ttl=5, match="/*"')).toEqual({
      match: '/*',
      destinations: [],
      id: 'x',
    });
  });

  it.each([
    '',
    'id="x"',
    'match=/a',
    'match="/*", type=brotli',
    'match="/*", match-dest="document"',
    'match="/*", match-dest=(1)',
    'match="',
    `match="/${'a'.repeat(5000)}"`,
  ])('is ignored if it is malformed or of another type: %s', (value) => {
    expect(readDictionaryUse(value)).toBeNull();
  });

  it('drops an id above 1,024 characters', () => {
    expect(readDictionaryUse(`match="/*", id="${'x'.repeat(1025)}"`)?.id).toBe('');
  });
});

it('bytes that a decoder takes for a trained dictionary are no raw one', () => {
  expect(isRawDictionary(Buffer.from('37a430ec00', 'hex'))).toBe(false);
  expect(isRawDictionary(Buffer.alloc(0))).toBe(false);
  expect(isRawDictionary(Buffer.from('<html>'))).toBe(true);
});
