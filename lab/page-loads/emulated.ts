// The page over an emulated WAN and LAN, each protocol and nghttp, interleaved by round: the experiment of Nielsen,
// Gettys et al. 1997 (Tables 4-9) with a current kernel and server.

import type { LoaderOptions } from '../../loader/index.ts';
import { type LinkSettings, linkUnavailable } from '../link/link.ts';
import type { BenchResult, Cell, Column, Table, Target } from '../result.ts';
import { ratios, spreadOf } from '../spread.ts';
import { links, onLink } from './links.ts';
import type { Coding } from './nginx.ts';
import type { PageFolder } from './page-folder.ts';
import { interleave, ours, type Place, type Sample, theirs, type Way } from './ways.ts';

export interface EmulatedSettings {
  page: PageFolder;
  rounds: number;
  /** The modem too: a minute a load. */
  withPpp: boolean;
  say: (line: string) => void;
}

const kinds: Array<[name: string, coding: Coding, options: LoaderOptions]> = [
  ['http1.0 x4', 'plain', { protocol: 'http1.0', connections: 4 }],
  ['persistent x1', 'plain', { protocol: 'persistent', connections: 1 }],
  ['persistent x6', 'plain', { protocol: 'persistent', connections: 6 }],
  ['pipelined', 'plain', { protocol: 'pipelined', connections: 1 }],
  ['pipelined x2', 'plain', { protocol: 'pipelined', connections: 2 }],
  ['pipelined x4', 'plain', { protocol: 'pipelined', connections: 4 }],
  ['pipelined x6', 'plain', { protocol: 'pipelined', connections: 6 }],
  ['h2', 'plain', { protocol: 'h2' }],
  ['pipelined, gzip', 'gzip', { protocol: 'pipelined', connections: 1 }],
  ['pipelined x2, gzip', 'gzip', { protocol: 'pipelined', connections: 2 }],
  ['h2, gzip', 'gzip', { protocol: 'h2' }],
];
/** 64 KB of flow control window hold nghttp back on the WAN; with 16 MB nothing does. */
const largeWindows = ['-w', '24', '-W', '24'];
const peers: Array<[name: string, coding: Coding, flags: string[]]> = [
  ['nghttp', 'plain', []],
  ['nghttp -w24 -W24', 'plain', largeWindows],
  ['nghttp, gzip', 'gzip', []],
  ['nghttp -w24 -W24, gzip', 'gzip', largeWindows],
];

const columns: Column[] = [
  { name: 'way', meaning: 'protocol and connections; gzip: nginx compresses the HTML' },
  {
    name: 'ms',
    meaning:
      'from the start of connecting to the last byte, as the client itself tells it: completeMs of a load with new connections in a warm process; for nghttp its last responseEnd, which it counts from connected on, plus the handshake as the link saw it. Starting the process is in neither',
    digits: 1,
  },
  {
    name: 'wire ms',
    meaning:
      'the same seen by the link: from taking the first packet of the client to delivering the last packet with data from the server',
    digits: 1,
  },
  {
    name: 'to nghttp',
    meaning: '`ms` over that of `nghttp -an` in the same round, both without gzip or both with it',
  },
  {
    name: 'to nghttp -W24',
    meaning:
      'the same with 16 MB of flow control window for nghttp (`-w 24 -W 24`) in place of its 64 KB',
  },
  { name: 'packets up', meaning: 'from the client, all of TCP counted', digits: 0 },
  { name: 'packets down', meaning: 'from the server', digits: 0 },
  { name: 'KB down', meaning: '1,000 bytes of IP packets from the server', digits: 1 },
  { name: 'batches', meaning: "writes that carried the images' requests", digits: 0 },
];

export async function emulated(settings: EmulatedSettings): Promise<BenchResult> {
  const title = 'Page loads over an emulated link';
  const missing = linkUnavailable(['nginx', 'nghttp', 'ss']);
  if (missing !== null) {
    return { name: 'emulated', title, method: [], tables: [], targets: [], skipped: missing };
  }
  const tables: Table[] = [];
  const targets: Target[] = [];
  for (const link of settings.withPpp
    ? [links.wan, links.lan, links.ppp]
    : [links.wan, links.lan]) {
    const rounds = link === links.ppp ? 1 : settings.rounds;
    const samples = await measure(link, settings, rounds);
    tables.push(tabulate(link, samples));
    if (link === links.wan) targets.push(...judge(samples));
  }
  const { images, bytes } = settings.page;
  return {
    name: 'emulated',
    title,
    method: [
      `The page (${images} images, ${bytes} bytes in all) is served by nginx in one network namespace and loaded from another. The two are joined by an emulated link: it delays, paces and counts packets; TCP at both ends is the kernel's, cubic, initial window 10, nothing kept from earlier connections.`,
      `Rounds are interleaved: every way has its turn in each round, ${settings.rounds} rounds count, one before them does not. Ratios are taken within a round.`,
      "nghttp's process time is not used: it holds the start of a process, ours does not. The link's own clock is the check on both clients' own times.",
    ],
    tables,
    targets,
  };
}

function measure(link: LinkSettings, { page, say }: EmulatedSettings, rounds: number) {
  say(link.name);
  return onLink(link, page, (place) => interleave(ways(place), rounds, say));
}

function ways(place: Place): Way[] {
  return [
    ...kinds.map(([name, coding, options]) => ours(place, name, coding, options)),
    ...peers.map(([name, coding, flags]) => theirs(place, name, coding, flags)),
  ];
}

function tabulate(link: LinkSettings, samples: Map<string, Sample[]>): Table {
  const rows = [...samples].map(([name, taken]): Cell[] => {
    const of = (value: (sample: Sample) => number) => spreadOf(taken.map(value));
    const coding = name.endsWith(', gzip') ? ', gzip' : '';
    return [
      name,
      of(({ ownMs }) => ownMs),
      of(({ wireMs }) => wireMs),
      spreadOf(ratioTo(samples, name, `nghttp${coding}`)),
      spreadOf(ratioTo(samples, name, `nghttp -w24 -W24${coding}`)),
      of(({ packetsUp }) => packetsUp),
      of(({ packetsDown }) => packetsDown),
      of(({ bytesDown }) => bytesDown / 1000),
      taken[0]?.batches === null ? null : of(({ batches }) => batches ?? 0),
    ];
  });
  return { title: link.name, columns, rows };
}

function judge(samples: Map<string, Sample[]>): Target[] {
  return ['', ', gzip'].flatMap((coding) =>
    ['nghttp', 'nghttp -w24 -W24'].map((peer) => ({
      what: `WAN: time of pipelined over ${peer}${coding}`,
      measured: spreadOf(ratioTo(samples, `pipelined${coding}`, `${peer}${coding}`)),
      limit: 0.9,
      unit: '',
      judgedBy: 'median' as const,
    })),
  );
}

function ratioTo(samples: Map<string, Sample[]>, name: string, base: string): number[] {
  const times = (way: string) => (samples.get(way) ?? []).map(({ ownMs }) => ownMs);
  return ratios(times(name), times(base));
}
