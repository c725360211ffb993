// The fall of throughput in figure 2 (Padmanabhan 1995, 3.2): the congestion window outgrows the queue of a router, which
// drops what does not fit, and TCP as of 1994 (Reno, without selective acknowledgments) recovers slowly.

import { links } from '../page-loads/links.ts';
import type { Table } from '../result.ts';
import { spreadOf } from '../spread.ts';
import { throughputs, type WindowSetting } from './throughput.ts';

const kib = 1024;
const queuePackets = 15;
const lengths = [50, 100, 150, 200, 300, 500, 1000].map((size) => size * kib);
const windows: readonly WindowSetting[] = [16, 32].map((size) => ({
  ...{ name: `${size} KB`, windowBytes: size * kib, firstWindow: 1 },
}));
const reno = {
  'net.ipv4.tcp_congestion_control': 'reno',
  'net.ipv4.tcp_sack': '0',
  'net.ipv4.tcp_recovery': '0',
};

export async function routerQueueTable(
  rounds: number,
  say: (line: string) => void,
): Promise<Table> {
  const link = { ...links.t1, queuePackets };
  say('figure 2 behind a router with a short queue, as of 1994');
  const old = await throughputs(link, rounds, () => {}, { windows, lengths, kernel: reno });
  say('the same, as of today');
  const today = await throughputs(link, rounds, () => {}, { windows, lengths });
  const tcps = [
    ['Reno without SACK', old],
    ['as of today', today],
  ] as const;
  return {
    title: `Figure 2's fall: ${links.t1.name}, a router's queue of ${queuePackets} packets, kB/s`,
    columns: [
      { name: 'bytes', meaning: 'length of the connection', digits: 0 },
      ...tcps.flatMap(([tcp]) =>
        windows.map(({ name }) => ({
          ...{ name: `${name}, ${tcp}`, digits: 1 },
          meaning: 'thousands of bytes a second with this window; first window 1',
        })),
      ),
    ],
    rows: lengths.map((bytes) => [
      bytes,
      ...tcps.flatMap(([, all]) =>
        windows.map(({ name }) =>
          spreadOf(all.find((one) => one.window === name && one.bytes === bytes)?.kBPerS ?? []),
        ),
      ),
    ]),
  };
}
