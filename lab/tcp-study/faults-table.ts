// Table 1 of Heidemann 1996 again: HTTP, and P-HTTP with both faults, with the first mended, and with both mended.

import { join } from 'node:path';
import type { Link } from '../link/link.ts';
import { connectionsOf, readTrace, stallsOf } from '../link/trace.ts';
import { links } from '../page-loads/links.ts';
import type { Cell, Column, Table } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { ratios, spreadOf } from '../spread.ts';
import { Place } from './place.ts';
import { fixtures, images, inRounds, type TcpStudySettings, threeDocuments } from './rounds.ts';

interface Way {
  name: string;
  study: string;
  closes?: boolean;
  /** Of three documents in the paper. */
  paperMs?: number;
}

const ways: Way[] = [
  { name: 'persistent, none', study: '' },
  { name: 'a connection each (HTTP)', study: 'small-buffers', closes: true, paperMs: 43 },
  {
    name: 'split headers, Nagle, 4 KB writes (P-HTTP)',
    study: 'split-headers,nagle,small-buffers',
    paperMs: 605,
  },
  { name: 'Nagle, 4 KB writes (first fix)', study: 'nagle,small-buffers', paperMs: 195 },
  { name: '4 KB writes (both fixes)', study: 'small-buffers', paperMs: 26 },
  { name: 'split headers, Nagle', study: 'split-headers,nagle' },
  { name: 'split headers', study: 'split-headers' },
  { name: 'Nagle', study: 'nagle' },
];
/** His client delayed acknowledgments by up to 200 ms, and his server's windows began with two segments. */
export const clientOf1996 = { initialWindow: 2, delayedAckMs: 200 };
const clients = [clientOf1996, { initialWindow: 10, delayedAckMs: 0 }];
const pages = [
  { name: '3 documents', paths: threeDocuments },
  { name: `${images.length} images`, paths: images },
];
/** Linux delays an acknowledgment by 40 ms; the beat of 1996 can come at any time. */
const leastStallMs = 30;

const columns: Column[] = [
  {
    name: 'faults',
    meaning: 'of the server, all documents on one connection; none: `loadahead serve` as it is',
  },
  { name: 'paper ms', meaning: 'Heidemann 1996, Table 1, with three documents', digits: 0 },
  { name: 'paper ratio', meaning: 'over its last line, both fixes', digits: 1 },
  ...pages.flatMap(({ name }): Column[] => [
    {
      name: `${name}, ms`,
      meaning:
        'from the start of connecting to the last byte; the client acknowledges a lone segment at the next beat of 200 ms, the first window is two segments',
      digits: 1,
    },
    { name: `${name}, ratio`, meaning: 'over the server without faults in the same round' },
    {
      name: `${name}, stalls`,
      meaning: 'waits of 30 ms or more for a delayed acknowledgment with more to send',
      digits: 0,
    },
    {
      name: `${name}, ratio today`,
      meaning: "the same with the kernel's own acknowledgments and a first window of 10 segments",
    },
  ]),
];

interface Sample {
  ms: number;
  stalls: number;
}

/** A kernel of today sends the next segment when an acknowledgment is late (RFC 8985 7), which ends a stall in 10 ms. */
export function withoutTailLossProbe(link: Link): Promise<void> {
  return link.setKernel('server', 'net.ipv4.tcp_early_retrans', '0');
}

export async function faultsTable({ rounds, say }: TcpStudySettings): Promise<Table> {
  const measured = new Map<string, Map<Way, Sample[]>>();
  for (const client of clients) {
    say(`LAN, first window ${client.initialWindow}`);
    using scratch = new Scratch();
    const traceFile = join(scratch.path, 'trace');
    await using place = await Place.open({ ...links.lan, traceFile, ...client }, fixtures);
    if (client === clientOf1996) await withoutTailLossProbe(place.link);
    for (const { name, paths } of pages) {
      const samples = await inRounds(ways, rounds, async ({ study, closes }) => {
        const before = readTrace(traceFile).length;
        const { ms } = await place.visit(study, { paths, ...(closes && { closes }) });
        await place.link.counts();
        const packets = readTrace(traceFile).slice(before);
        const stalls = connectionsOf(packets).flatMap((each) => stallsOf(each, leastStallMs));
        return { ms, stalls: stalls.length };
      });
      measured.set(`${name} ${client.initialWindow}`, samples);
    }
  }
  return { title: 'Table 1 of Heidemann 1996', columns, rows: ways.map(row) };

  function row(way: Way): Cell[] {
    const { name, paperMs } = way;
    const both = 26;
    return [
      name,
      paperMs ?? null,
      paperMs === undefined ? null : paperMs / both,
      ...pages.flatMap((page): Cell[] => {
        const [old, today] = clients.map(({ initialWindow }) => {
          const samples = measured.get(`${page.name} ${initialWindow}`);
          const of = (each: Way) => samples?.get(each) ?? [];
          const times = (each: Way) => of(each).map(({ ms }) => ms);
          return {
            ms: spreadOf(times(way)),
            ratio: spreadOf(ratios(times(way), times(ways[0] as Way))),
            stalls: spreadOf(of(way).map(({ stalls }) => stalls)),
          };
        });
        if (old === undefined || today === undefined) return [];
        return [old.ms, old.ratio, old.stalls, today.ratio];
      }),
    ];
  }
}
