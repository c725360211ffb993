// Section 4 of Nielsen, Gettys et al. 1997 and what belongs to it: Table 3, the tuning of buffer, timer and flush, Nagle's
// algorithm (4.1.2), the first segment (8.1), and the processor time of the server (11).

import { linkUnavailable } from '../link/link.ts';
import type { BenchResult, Cell } from '../result.ts';
import type { TcpStudySettings } from '../tcp-study/rounds.ts';
import { buffers, rules, sizes, type Tuned } from './tuning/buffers.ts';
import { type FirstSegment, firstSegment } from './tuning/first-segment.ts';
import { type NagleFigures, nagle } from './tuning/nagle.ts';
import { packets, type Sample, spread } from './tuning/samples.ts';
import { type ServerCpu, serverCpu } from './tuning/server-cpu.ts';
import { type Table3, table3 } from './tuning/table-3.ts';

export async function tuning(bench: TcpStudySettings): Promise<BenchResult> {
  const title = 'Nielsen, Gettys et al. 1997, Table 3: tuning';
  const name = 'papers-tuning';
  const missing = linkUnavailable();
  if (missing !== null)
    return { name, title, method: [], tables: [], targets: [], skipped: missing };
  const initial = await table3(bench);
  const tuned = await buffers(bench);
  const nagled = await nagle({ ...bench, rounds: Math.max(nagleRounds, bench.rounds) });
  const segment = await firstSegment(bench);
  const cpu = await serverCpu(bench);
  return {
    name,
    title,
    method: [
      'Microscape from our own server, in place of Jigsaw, over the LAN of the paper: 10 Mbit/s and 0.6 ms round trip. The robot of `lab/papers/robot.ts` stands for theirs: requests of 190 bytes on plain sockets, to validate a GET of the page and HEAD for the 42 images, a write buffer that is written when it is full, by its timer, or by a flush. `ms 1997` and `Sec 1997`: first windows have two segments, and the link makes the client acknowledge a lone segment at the next beat of 200 ms.',
      `Each setting has its turn in each round; ${bench.rounds === 1 ? 'one round counts' : `${bench.rounds} rounds count`}, one before does not. Claims about time take the fastest round, as other work of the machine can only add to it; those about Nagle take the median of ${Math.max(nagleRounds, bench.rounds)}, as a wait for the beat of 200 ms has any length below it.`,
      "Table 3 comes out in packets: HTTP/1.0 takes as many, persistent and pipelined take fewer, as today's client acknowledges every second segment at most and our server gathers responses. Seconds are those of the machines of 1997 for HTTP/1.0 and persistent (libwww took about 40 ms a request); of the pipeline's 3.02 s two were its timer, once for the page's own request and once for what stayed in the buffer behind the last full one, and those two are here as well. In the table of the loader's `batch` no timer runs out, as the loader always flushes behind the last image.",
      "Nagle's algorithm is turned on at the client by `node --import`, as Node tells of each new socket (`diagnostics_channel`); at the server by a handler of `createOrigin`. Without buffers: `batch.maxBytes` of 1, and each response in a write of its own. Nagle at the server then does what the buffer does, half the packets and fewer, and the price is a wait for the last short segment.",
      'The first segment: windows begin with two segments, as in 1997. zstd gives a client nothing of a page before its block is complete, and one block holds this page; so its images are asked for when all of it is there, as without a scan of pieces.',
      'Processor time is what Linux counts for all threads of the server and of its children (`/proc/PID/task/*/schedstat`), user and system. What the kernel does for arriving packets is counted for the process that runs the link, so the saving of fewer packets is not in it in full.',
    ],
    tables: [
      {
        title: 'What the paper says of it',
        columns: claimColumns,
        rows: claims(initial, tuned, nagled, segment, cpu),
      },
      initial.table,
      ...tuned.tables,
      nagled.table,
      segment.table,
      cpu.table,
    ],
    targets: [],
  };
}

/** A delay by the beat of 200 ms has any length below it, so that one round says little. */
const nagleRounds = 5;

/** A quarter of the beat of 200 ms at which a client of 1997 acknowledges. */
const significantMs = 50;

const claimColumns = [
  { name: 'section', meaning: 'of the paper', text: true as const },
  { name: 'claim', meaning: 'in its words or figures', text: true as const },
  { name: 'printed', meaning: 'the figure as printed, where there is one' },
  { name: 'here', meaning: 'the same figure' },
  { name: 'holds', meaning: 'yes or no', text: true as const },
  { name: 'reason', meaning: 'what makes it so', text: true as const },
];

function claims(
  { byWay }: Table3,
  { byRule, bySize }: Tuned,
  nagled: NagleFigures,
  { named }: FirstSegment,
  cpu: ServerCpu,
): Cell[][] {
  const claim = (
    section: string,
    words: string,
    was: number | null,
    is: number,
    holds: boolean,
    yes: string,
    no: string,
  ): Cell[] => [section, words, was, is, ...(holds ? ['yes', yes] : ['no', no])];
  const [old, persistent, pipelined] = byWay as [Median, Median, Median];
  const over = (one: Median, other: Median, key: 'packets' | 'seconds'): [number, number] => [
    key === 'packets' ? one.printedPackets / other.printedPackets : one.printedS / other.printedS,
    one[key] / other[key],
  ];
  const less = over(pipelined, old, 'packets');
  const slower = over(persistent, old, 'seconds');
  const worse = over(pipelined, old, 'seconds');
  const msOf = (samples: readonly Sample[] | undefined) =>
    spread(samples ?? [], ({ ms }) => ms).min;
  const packetsOf = (samples: readonly Sample[] | undefined) =>
    spread(samples ?? [], packets).median;
  const ruleMs = (name: string) => msOf(byRule[rules.findIndex((each) => each.name === name)]);
  const tunedMs = ruleMs("page's request, 50 ms");
  const timerMs = ruleMs('50 ms');
  const lastMs = ruleMs("page's request, last image");
  const segmentMs = ruleMs("page's request, first segment's images");
  const sizePackets = (bytes: number) => packetsOf(bySize[sizes.indexOf(bytes)]);
  const validationMs = (
    buffers: 'both' | 'client' | 'neither',
    client: 'on' | 'off',
    server: 'on' | 'off',
    tcp: 'today' | 'old' = 'old',
  ) => spread(nagled.of(buffers, client, server)[tcp].again, ({ ms }) => ms).median;
  const off = validationMs('both', 'off', 'off');
  const withBuffers = validationMs('both', 'on', 'on') - off;
  const ofClient = validationMs('both', 'on', 'off') - off;
  const ofServer = validationMs('both', 'off', 'on') - off;
  const today =
    validationMs('both', 'on', 'on', 'today') - validationMs('both', 'off', 'off', 'today');
  const others = (['client', 'neither'] as const).flatMap((buffers) =>
    (['on', 'off'] as const).flatMap((client) =>
      (['on', 'off'] as const).map((server) => ({
        name: `buffers: ${buffers}, Nagle at the client ${client}, at the server ${server}`,
        ms: validationMs(buffers, client, server) - validationMs(buffers, 'off', 'off'),
      })),
    ),
  );
  const without = Math.max(...others.map(({ ms }) => ms));
  const worst = others.find(({ ms }) => ms === without)?.name;
  const third =
    packetsOf(nagled.of('both', 'off', 'off').today.again) /
    packetsOf(nagled.of('neither', 'off', 'off').today.again);
  return [
    claim(
      'table 3',
      'the untuned pipeline takes far fewer packets than HTTP/1.0',
      ...less,
      less[1] < 0.25,
      'one connection, and several requests a packet',
      'too few requests share a packet',
    ),
    claim(
      'table 3',
      'one persistent connection takes longer than HTTP/1.0 on six',
      ...slower,
      slower[1] > 1,
      'each request waits for the response before it',
      'each request waits for the response before it, but here that takes less than a handshake and a close; libwww took 40 ms a request',
    ),
    claim(
      'table 3',
      'the untuned pipeline takes longer than HTTP/1.0, too',
      ...worse,
      worse[1] > 1,
      'its timer runs twice',
      'its timer does not run twice',
    ),
    claim(
      '4.1.1',
      "a flush behind the page's request, with the 50 ms of all later tests, makes it faster than HTTP/1.0: tables 4, 0.54 of 0.78 s",
      0.54 / 0.78,
      tunedMs / 1000 / old.seconds,
      tunedMs / 1000 < old.seconds,
      'the first wait is gone, the second is a twentieth',
      `HTTP/1.0 takes ${Math.round(1000 * old.seconds)} ms here, and of the ${Math.round(tunedMs)} ms of the pipeline ${Math.round(tunedMs - lastMs)} are the wait for the timer behind the last image; a flush there needs ${Math.round(lastMs)} in all`,
    ),
    claim(
      '4.1.1',
      'an explicit flush is considerably faster than relying on the timer: 50 ms with a flush behind the page, over 50 ms alone',
      null,
      tunedMs / timerMs,
      tunedMs / timerMs < 0.8,
      "the page's own request does not wait for the timer",
      'the wait for the timer is a small part of the time',
    ),
    claim(
      '8.1',
      "a flush behind the first segment's images, which they had not tried, over the 50 ms rule",
      null,
      segmentMs / tunedMs,
      segmentMs < tunedMs,
      'no request waits for the timer',
      'more writes take as long as the wait for the timer',
    ),
    claim(
      '4.1',
      'a buffer of 1,024 bytes is a good compromise: its packets over those of 4,096',
      null,
      sizePackets(1024) / sizePackets(4096),
      sizePackets(1024) / sizePackets(4096) < 1.15,
      'it fills most of one segment; a larger one saves few packets',
      'a larger buffer saves more packets',
    ),
    claim(
      '4.1.2',
      'with buffers at both ends Nagle makes no significant difference: ms that it adds to a validation, TCP of 1997',
      null,
      withBuffers,
      withBuffers < significantMs,
      'writes fill segments, so few of them are held back',
      `the last write of requests is short: at the client alone Nagle adds ${Math.round(ofClient)} ms, at the server alone ${Math.round(ofServer)}; with the TCP of today both add ${Math.round(today)}`,
    ),
    claim(
      '4.1.2',
      'with other buffers it delays significantly, sometimes dramatically: the most that it adds with each response in a write of its own',
      null,
      without,
      without > significantMs,
      `${worst}: a short segment waits for the acknowledgment of the one before it, and nothing is sent that would carry it`,
      'Linux holds back a short segment only behind another short one (Minshall), and responses that wait fill whole segments, which leave; requested one by one they do stall: bench tcp-study',
    ),
    claim(
      '7',
      'with buffers a validation takes a third of the packets of HTTP/1.1 without: table 5, 29.2 of 98.4',
      29.2 / 98.4,
      third,
      third < 0.4,
      'here the same pipeline, with and without buffers',
      'here the same pipeline; without buffers responses share segments as well, as they wait in the kernel',
    ),
    claim(
      '8.1',
      'in clear the first segment does not name enough images for a batch of 1,024 bytes: images, of 6 that fill it',
      null,
      named.plain,
      named.plain < 6,
      'the beginning of the page is text',
      'our Microscape names its images earlier than theirs did',
    ),
    claim(
      '8.1',
      'compressed, it names about three times as many',
      3,
      named.gzip / named.plain,
      named.gzip / named.plain > 2,
      'as the page compresses',
      'the beginning of a page compresses less than the whole',
    ),
    ...cpu.ratios.flatMap(({ server, first, again }) => [
      claim(
        '11',
        `pipelining saves processor time at the server, first visit, ${server}`,
        null,
        first,
        first < 1,
        'one connection to accept and close in place of 43',
        'the connections saved cost the server nothing to speak of',
      ),
      claim(
        '11',
        `and to validate, ${server}`,
        null,
        again,
        again < 1,
        'the same, and responses share writes',
        'the connections saved cost the server nothing to speak of',
      ),
    ]),
  ];
}
type Median = Table3['byWay'][number];
