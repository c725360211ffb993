// Slow start again after an idle time (Heidemann 1996, 2.4), which he had not verified, and each way out of it that he
// names: the second document of a connection over the WAN, with a router that has room and one with a short queue.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTrace, type TracedPacket } from '../link/trace.ts';
import { links } from '../page-loads/links.ts';
import type { Cell, Column, Table } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { ratios, spreadOf } from '../spread.ts';
import { Place, paced } from './place.ts';
import { inRounds, type TcpStudySettings } from './rounds.ts';

export const restart = 'net.ipv4.tcp_slow_start_after_idle';

interface Way {
  name: string;
  /** Whether the window falls while the connection is idle; the kernel halves it with each time-out (RFC 2861). */
  falls: boolean;
  idleMs: number;
  study?: string;
  closes?: true;
}

const ways: Way[] = [
  { name: 'slow start again', falls: true, idleMs: 1_500 },
  { name: 'window kept', falls: false, idleMs: 1_500 },
  { name: 'window kept, sent by rate', falls: false, idleMs: 1_500, study: paced },
  { name: 'window decays, idle for one time-out', falls: true, idleMs: 400 },
  { name: 'closed when idle, opened again', falls: true, idleMs: 1_500, closes: true },
];
const queues = [1_000, 20];
const documentBytes = 200_000;

interface Sample {
  ms: number;
  flight: number;
  burst: number;
  again: number;
}

const columns: Column[] = [
  { name: 'way', meaning: 'what happens to the window while nothing is sent', text: true },
  {
    name: 'document, ms',
    meaning: 'second document of 200,000 bytes, from its request; with the handshake where closed',
    digits: 1,
  },
  { name: 'to slow start', meaning: '`document, ms` over that of slow start again, same round' },
  {
    name: 'first flight',
    meaning: 'its packets before the client could acknowledge one',
    digits: 0,
  },
  { name: 'burst', meaning: 'most packets that the server sent within 5 ms', digits: 0 },
  {
    name: 'sent again',
    meaning: 'its packets that were sent a second time, lost in the queue',
    digits: 0,
  },
];

export async function restartTables({ rounds, say }: TcpStudySettings): Promise<Table[]> {
  using documents = new Scratch();
  writeFileSync(join(documents.path, 'document.gif'), Buffer.alloc(documentBytes, 'x'));
  const tables: Table[] = [];
  for (const queuePackets of queues) {
    say(`WAN, idle time, queue of ${queuePackets}`);
    using scratch = new Scratch();
    const traceFile = join(scratch.path, 'trace');
    const settings = { ...links.wan, queuePackets, traceFile };
    await using place = await Place.open(settings, documents.path);
    const { link } = place;
    // Rate-based sending as he describes it: n packets in the time of a round trip, one each n-th of it.
    for (const phase of ['ss', 'ca']) {
      await link.setKernel('server', `net.ipv4.tcp_pacing_${phase}_ratio`, '100');
    }
    const samples = await inRounds(ways, rounds, async ({ falls, idleMs, study = '', closes }) => {
      await link.setKernel('server', restart, falls ? '1' : '0');
      const before = readTrace(traceFile).length;
      const paths = ['/document.gif', '/document.gif'];
      const pause = { beforeLast: 1, ms: idleMs };
      const times = await place.visit(study, { paths, pause, ...(closes && { closes }) });
      await link.counts();
      const packets = readTrace(traceFile).slice(before);
      return { ms: times.afterPauseMs ?? Number.NaN, ...afterLastRequest(packets) };
    });
    const times = (way: Way) => (samples.get(way) ?? []).map(({ ms }) => ms);
    const rows = ways.map((way): Cell[] => {
      const of = (value: (sample: Sample) => number) =>
        spreadOf((samples.get(way) ?? []).map(value));
      return [
        way.name,
        of(({ ms }) => ms),
        spreadOf(ratios(times(way), times(ways[0] as Way))),
        ...[of(({ flight }) => flight), of(({ burst }) => burst), of(({ again }) => again)],
      ];
    });
    const room = queuePackets === 20 ? 'a queue of 20 packets' : 'a queue with room';
    tables.push({ title: `Idle time: WAN (2 x 45 ms, 10 Mbit/s), ${room}`, columns, rows });
  }
  return tables;
}

const burstMs = 5;

/** What the server sent in answer to the last request in a capture. */
export function afterLastRequest(packets: readonly TracedPacket[]): Omit<Sample, 'ms'> {
  const at = packets.findLastIndex(
    ({ direction, dataBytes }) => direction === 'up' && dataBytes > 0,
  );
  const { port } = packets[at] as TracedPacket;
  const own = packets.slice(at + 1).filter((packet) => packet.port === port);
  const sent = own.filter(({ direction, dataBytes }) => direction === 'down' && dataBytes > 0);
  const answered = own.findIndex(({ direction }) => direction === 'up');
  const first = own.slice(0, answered).filter((packet) => sent.includes(packet));
  const within = sent.map(
    ({ atMs }, index) => sent.slice(index).filter((next) => next.atMs < atMs + burstMs).length,
  );
  const known = new Set<number>();
  const again = sent.filter(({ seq }) => known.size === known.add(seq).size);
  return { flight: first.length, burst: Math.max(...within), again: again.length };
}
