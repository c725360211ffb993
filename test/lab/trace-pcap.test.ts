// The link's record as a capture: `loadahead packets` reads it, and finds the stalls that the lab finds.

import { expect, it } from 'vitest';
import { parseTrace, stallsOf } from '../../lab/link/trace.ts';
import { tracePcap } from '../../lab/link/trace-pcap.ts';
import { captureOf } from '../../loader/packets/capture.ts';
import { factsOf } from '../../loader/packets/facts.ts';

const lines = [
  '1000 up 4000 99 0 0 2 0',
  '1000.1 down 4000 499 100 0 2 0',
  '1000.2 up 4000 100 500 0 0 0',
  '1001 up 4000 100 500 100 0 0',
  '1002 down 4000 500 200 300 0 0',
  '1043 up 4000 200 800 0 0 0',
  '1043.5 down 4000 800 200 1000 1 0',
  '1044 up 4000 200 1800 0 4 1',
];

it('headers, times and stalls are those of the record; windows are unknown', async () => {
  const packets = parseTrace(lines.map((line) => `${line}\n`).join(''));
  async function* chunks() {
    yield tracePcap(packets, 8080);
  }
  const { connections, fault, cut, skipped } = await captureOf(chunks());
  expect([fault, cut, skipped]).toEqual([null, null, { other: 0, fragment: 0, short: 0 }]);
  expect(connections).toMatchObject([
    { client: '10.0.0.1:4000', server: '10.0.0.2:8080', windows: 'unknown' },
  ]);
  const [connection] = connections;
  const [stall] = stallsOf(packets, 30);
  expect(connection?.packets.map(({ atMs, dataBytes }) => [atMs, dataBytes])).toEqual([
    ...[0, 0.1, 0.2].map((atMs) => [atMs, 0]),
    [1, 100],
    [2, 300],
    [43, 0],
    [43.5, 1000],
  ]);
  expect(connection && factsOf(connection)).toMatchObject({
    up: { zeroWindows: null },
    stalls: [{ kind: 'acknowledgment', fromMs: 2, toMs: 43 }],
  });
  expect(stall).toMatchObject({ fromMs: 1002, toMs: 1043 });
});
