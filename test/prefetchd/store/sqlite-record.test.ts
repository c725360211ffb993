import { expect, test } from 'vitest';
import {
  bytesOfRecord,
  DamagedRecord,
  recordOfBytes,
} from '../../../prefetchd/store/sqlite-record.ts';

const record = {
  id: 4_000_000_000,
  kind: 1,
  accesses: 0.1,
  urlLength: 2 ** 31 - 1,
  arcs: [
    [
      {
        to: 4_294_967_294,
        count: 1e-300,
        prints: [1023, 1, 1022, 512, 1023, 1023],
        era: 1,
        seen: 6,
      },
      { to: 0, count: 2 ** 60, prints: [], era: 0, seen: 0 },
      { to: 1, count: 1, prints: [1, 2, 3, 4], era: 4_294_967_295, seen: 5 },
    ],
    [],
    [{ to: 7, count: 3, prints: [], era: 9, seen: 3 }],
  ],
};
const size = { nodes: 2 ** 32 - 1, graphs: 3 };

test('a row comes out as it went in', () => {
  expect(recordOfBytes(bytesOfRecord(record), size)).toEqual(record);
});

test('a count beyond all doubles stays one', () => {
  const bytes = bytesOfRecord({ ...record, accesses: Infinity });
  expect(recordOfBytes(bytes, size).accesses).toBe(Number.MAX_VALUE);
});

test('a row cut anywhere, or longer than it says, is damaged', () => {
  const bytes = bytesOfRecord(record);
  for (let length = 0; length < bytes.length; length++) {
    expect(() => recordOfBytes(bytes.subarray(0, length), size)).toThrow(DamagedRecord);
  }
  expect(() => recordOfBytes(new Uint8Array([...bytes, 0]), size)).toThrow(DamagedRecord);
});

test('an arc to a URL that is not there is damage', () => {
  expect(() => recordOfBytes(bytesOfRecord(record), { ...size, nodes: 100 })).toThrow(
    DamagedRecord,
  );
});
