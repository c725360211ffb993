// The link's capture of packets, and the stalls in it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderOfTests } from '../../test/support/folder-of-tests.ts';
import { connectionsOf, readTrace, stallsOf, type TracedPacket } from './trace.ts';

type Row = [
  atMs: number,
  direction: 'up' | 'down',
  seq: number,
  ack: number,
  dataBytes: number,
  flags?: number,
  port?: number,
];

const folder = folderOfTests();

/** A capture as the link writes it. */
function captured(rows: readonly Row[]): TracedPacket[] {
  const file = join(folder, 'trace');
  const records = rows.map(([atMs, direction, seq, ack, dataBytes, flags = 16, port = 4000]) => {
    const bytes = Buffer.alloc(16 + 40 + dataBytes);
    bytes.writeUInt32LE(Math.floor(atMs / 1000), 0);
    bytes.writeUInt32LE((atMs % 1000) * 1e6, 4);
    bytes.writeUInt32LE(40 + dataBytes, 8);
    const ip = bytes.subarray(16);
    ip[0] = 0x45;
    ip.writeUInt16BE(40 + dataBytes, 2);
    ip[9] = 6;
    ip[direction === 'up' ? 15 : 19] = 1;
    ip[direction === 'up' ? 19 : 15] = 2;
    ip.writeUInt16BE(port, direction === 'up' ? 20 : 22);
    ip.writeUInt32BE(seq, 24);
    ip.writeUInt32BE(ack, 28);
    ip[32] = 0x50;
    ip[33] = flags;
    return bytes;
  });
  // The last record is still being written.
  writeFileSync(file, Buffer.concat([Buffer.alloc(24), ...records, Buffer.alloc(20, 1)]));
  return readTrace(file);
}

/** A request, a first segment, 40 ms until its acknowledgment, then the rest at once. */
const stalled: Row[] = [
  [0, 'up', 1, 1, 100],
  [1, 'down', 1, 101, 300],
  [41, 'up', 101, 301, 0],
  [41.5, 'down', 301, 101, 1000],
];

it('a server that waits for an acknowledgment, and then sends at once, has stalled', () => {
  expect(stallsOf(captured(stalled), 30)).toEqual([{ fromMs: 1, toMs: 41 }]);
  expect(stallsOf(captured(stalled), 41)).toEqual([]);
});

it.each<[why: string, rest: Row[]]>([
  [
    'it answers a request',
    [
      [41, 'up', 101, 301, 80],
      [41.5, 'down', 301, 181, 1000],
    ],
  ],
  [
    'it had nothing to send',
    [
      [41, 'up', 101, 301, 0],
      [60, 'down', 301, 101, 1000],
    ],
  ],
  [
    'not all was acknowledged',
    [
      [41, 'up', 101, 201, 0],
      [41.5, 'down', 301, 101, 1000],
    ],
  ],
])('no stall: %s', (_, rest) => {
  expect(stallsOf(captured([...stalled.slice(0, 2), ...rest]), 30)).toEqual([]);
});

it('sequence numbers begin again after 2^32', () => {
  const last = 2 ** 32 - 100;
  const rows: Row[] = [
    [0, 'up', 1, 1, 100],
    [1, 'down', last, 101, 300],
    [41, 'up', 101, 200, 0],
    [41.5, 'down', 200, 101, 1000],
  ];
  expect(stallsOf(captured(rows), 30)).toHaveLength(1);
});

it('packets are told apart by connection, and flags are read', () => {
  const packets = captured([
    [0, 'up', 1, 0, 0, 2],
    [1, 'up', 1, 0, 0, 1, 4001],
    [2, 'down', 1, 2, 5, 4],
  ]);
  expect(connectionsOf(packets).map((each) => each.length)).toEqual([2, 1]);
  expect(packets.map(({ isSyn, isFin, isReset }) => [isSyn, isFin, isReset])).toEqual([
    [true, false, false],
    [false, true, false],
    [false, false, true],
  ]);
});
