// Each fault of Heidemann 1996 by itself and with others, for his documents and for a page with 42 images, interleaved by
// round, beside a client and a kernel of today.

import { join } from 'node:path';
import { connectionsOf, readTrace, stallsOf } from '../link/trace.ts';
import { links } from '../page-loads/links.ts';
import type { Cell, Column, Table } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { ratios, spreadOf } from '../spread.ts';
import { asIn1996, clientOf1996 } from './client-of-1996.ts';
import { Place } from './place.ts';
import { fixtures, images, inRounds, type TcpStudySettings, threeDocuments } from './rounds.ts';

interface Way {
  name: string;
  study: string;
  closes?: boolean;
}

const ways: Way[] = [
  { name: 'persistent, none', study: '' },
  { name: 'a connection each (HTTP)', study: 'small-buffers', closes: true },
  {
    name: 'split headers, Nagle, 4 KB writes (P-HTTP)',
    study: 'split-headers,nagle,small-buffers',
  },
  { name: 'Nagle, 4 KB writes (first fix)', study: 'nagle,small-buffers' },
  { name: '4 KB writes (both fixes)', study: 'small-buffers' },
  { name: 'split headers, Nagle', study: 'split-headers,nagle' },
  { name: 'split headers', study: 'split-headers' },
  { name: 'Nagle', study: 'nagle' },
];
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
    meaning: 'of the server, by the names of `--study`; none: `loadahead serve` as it is',
  },
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

export async function faultsTable({ rounds, say }: TcpStudySettings): Promise<Table> {
  const measured = new Map<string, Map<Way, Sample[]>>();
  for (const client of clients) {
    say(`LAN, first window ${client.initialWindow}`);
    using scratch = new Scratch();
    const traceFile = join(scratch.path, 'trace');
    await using place = await Place.open({ ...links.lan, traceFile, ...client }, fixtures);
    if (client === clientOf1996) await asIn1996(place.link);
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
  return { title: 'Each fault by itself, and a page with 42 images', columns, rows: ways.map(row) };

  function row(way: Way): Cell[] {
    return [
      way.name,
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
