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

const again: Way = { name: 'slow start again', falls: true, idleMs: 1_500 };
const kept: Way = { name: 'window kept', falls: false, idleMs: 1_500 };
const byRate: Way = { ...kept, name: 'window kept, sent by rate', study: paced };
const decays: Way = { name: 'window decays, idle for one time-out', falls: true, idleMs: 400 };
const closed: Way = { ...again, name: 'closed when idle, opened again', closes: true };
const ways: Way[] = [again, kept, byRate, decays, closed];
const queues = [1_000, 20] as const;
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
    meaning:
      'the second document of 200,000 bytes, from its request; with the handshake where it has a connection of its own',
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
  const all = new Map<number, Map<Way, Sample[]>>();
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
    all.set(queuePackets, samples);
    const times = (way: Way) => (samples.get(way) ?? []).map(({ ms }) => ms);
    const rows = ways.map((way): Cell[] => {
      const of = (value: (sample: Sample) => number) =>
        spreadOf((samples.get(way) ?? []).map(value));
      return [
        way.name,
        of(({ ms }) => ms),
        spreadOf(ratios(times(way), times(again))),
        ...[of(({ flight }) => flight), of(({ burst }) => burst), of(({ again }) => again)],
      ];
    });
    const room = queuePackets === 20 ? 'a queue of 20 packets' : 'a queue with room';
    tables.push({ title: `Idle time: WAN (2 x 45 ms, 10 Mbit/s), ${room}`, columns, rows });
  }
  return [...tables, claims(all)];
}

function claims(all: ReadonlyMap<number, ReadonlyMap<Way, Sample[]>>): Table {
  const [roomy, short] = queues;
  const of = (queue: number, way: Way, value: (sample: Sample) => number) =>
    spreadOf((all.get(queue)?.get(way) ?? []).map(value)).median;
  const ms = (queue: number, way: Way) => of(queue, way, (sample) => sample.ms);
  const burst = (way: Way) => of(roomy, way, (sample) => sample.burst);
  const lost = (way: Way) => of(short, way, (sample) => sample.again);
  const claim = (words: string, here: number, holds: boolean, why: string): Cell[] => [
    ...[words, here, holds ? 'yes' : 'no', why],
  ];
  const slower = ms(roomy, again) / ms(roomy, kept);
  const dearer = ms(roomy, closed) / ms(roomy, again);
  const smoother = burst(byRate) / burst(kept);
  const faster = ms(short, byRate) / ms(short, again);
  return {
    title: 'What he says of idle times (2.4)',
    columns: [
      { name: 'claim', meaning: 'of the paper', text: true },
      { name: 'here', meaning: 'the same in ours, or the ratio that decides it' },
      { name: 'holds', meaning: 'yes or no', text: true },
      { name: 'why', meaning: 'what makes it so', text: true },
    ],
    rows: [
      claim(
        'a connection begins slow start again when the user follows a link: its time to that with the window kept',
        ...([slower, slower > 1.2] as const),
        'Linux still does so; it has halved the window with each time-out down to ten segments',
      ),
      claim(
        'a window that is kept is sent as a burst, which a short queue loses: packets sent again, to slow start',
        ...([lost(kept) / lost(again), lost(kept) > lost(again)] as const),
        'all of the window leaves within 5 ms',
      ),
      claim(
        'closing connections when idle limits the advantage: time to that of slow start again',
        ...([dearer, dearer > 1] as const),
        'a round trip for the handshake on top of slow start',
      ),
      claim(
        'sending by rate avoids the burst: most packets in 5 ms, to the window kept',
        ...([smoother, smoother < 0.5] as const),
        'the kernel spreads the window over a round trip',
      ),
      claim(
        'and performs well, also with a short queue: time to that of slow start again',
        ...([faster, faster < 1] as const),
        'the router can pass on what comes at its own rate',
      ),
    ],
  };
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
