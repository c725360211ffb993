import { expect, test } from 'vitest';
import {
  DamagedRecord,
  eraColumns,
  type GraphSize,
  RecordReader,
} from '../../../../prefetchd/store/sqlite/record.ts';
import { RowWriter } from '../../../../prefetchd/store/sqlite/row.ts';

const head = { id: 4_000_000_000, kind: 1, accesses: 0.1, urlLength: 2 ** 30 - 1 };
const size = { nodes: 2 ** 32 - 1, graphs: 3 };
const all = 2 ** 32 - 1;

/** Three arcs in the first graph, one in the last. */
function row(accesses = head.accesses): Uint8Array {
  const writer = new RowWriter(size.graphs);
  writer.begin({ ...head, accesses }, 4);
  // Six fingerprints of ten bits, and 6 clients seen: its low bits in the first word, the high one in the other.
  const low = (1023 | (1 << 10) | (1022 << 20) | (2 << 30)) >>> 0;
  const high = (512 | (1023 << 10) | (1023 << 20) | (1 << 30)) >>> 0;
  writer.arc(1e-300, low, high, 4_294_967_294, 1);
  writer.arc(2 ** 60, 0, 0, 0, 0);
  writer.arc(1, 1 | (2 << 10) | (3 << 20), 4, 1, all);
  writer.end(0, 3);
  writer.end(1, 0);
  writer.arc(3, 3 * 2 ** 30, 0, 7, 9);
  writer.end(2, 1);
  return writer.bytes().slice();
}

function read(bytes: Uint8Array, ofSize: GraphSize = size) {
  const reader = new RecordReader(bytes, ofSize);
  const { arcs, ...fields } = reader.head();
  const columns = arcs.map((length) => {
    const graph = eraColumns(length);
    reader.arcs(graph, 0, length, fields.id);
    return Object.fromEntries(Object.entries(graph).map(([name, column]) => [name, [...column]]));
  });
  if (!reader.isAtEnd) throw new DamagedRecord('longer than it says');
  return { ...fields, columns };
}

test('a row comes out as it went in', () => {
  const { columns, ...fields } = read(row());
  expect(fields).toEqual(head);
  expect(columns).toEqual([
    {
      from: [head.id, head.id, head.id],
      to: [4_294_967_294, 0, 1],
      counts: [1e-300, 2 ** 60, 1],
      clients: [1023, 1, 1022, 512, 1023, 1023, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0],
      seen: [6, 0, 0],
      eras: [1, 0, all],
    },
    { from: [], to: [], counts: [], clients: [], seen: [], eras: [] },
    { from: [head.id], to: [7], counts: [3], clients: [0, 0, 0, 0, 0, 0], seen: [3], eras: [9] },
  ]);
});

test('a count beyond all doubles stays one', () => {
  expect(read(row(Number.POSITIVE_INFINITY)).accesses).toBe(Number.MAX_VALUE);
});

test('a row cut anywhere, or longer than it says, is damaged', () => {
  const bytes = row();
  for (let length = 0; length < bytes.length; length++) {
    expect(() => read(bytes.subarray(0, length))).toThrow(DamagedRecord);
  }
  expect(() => read(new Uint8Array([...bytes, 0]))).toThrow();
});

test('an arc to a URL that is not there is damage', () => {
  expect(() => read(row(), { ...size, nodes: 100 })).toThrow(DamagedRecord);
});
