// What a user of the command waits for: `loadahead load`, started anew for each page, compared with the same loader
// in a warm process and with nghttp, over an emulated WAN and LAN. Times are taken on the link, so startup work that
// delays a packet (reading or compiling code) counts as time on the wire.

import { join } from 'node:path';
import { type LinkSettings, linkUnavailable } from '../link/link.ts';
import { builtCommand, microscape } from '../paths.ts';
import type { BenchResult, Cell, Column, Table, Target } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { ratios, spreadOf } from '../spread.ts';
import { links, onLink } from './links.ts';
import type { Coding } from './nginx.ts';
import { type PageFolder, pageFolder } from './page-folder.ts';
import { makePage, pageShapes } from './page-shapes.ts';
import {
  type BuiltCommand,
  commanded,
  interleave,
  ours,
  type Place,
  type Sample,
  theirs,
  type Way,
} from './ways.ts';

interface NamedPage {
  name: string;
  page: PageFolder;
}

type Samples = Map<string, Sample[]>;

const codings: ReadonlyArray<[coding: Coding, suffix: string]> = [
  ['plain', ''],
  ['gzip', ', gzip'],
];
/** null: as the loader chooses. */
const connectionCounts = [null, 1, 2, 6];
const largeWindows = ['-w', '24', '-W', '24'];

const columns: Column[] = [
  {
    name: 'way',
    meaning:
      'command: a process a load; warm: the same loader in a process that has loaded before, new connections. auto: protocol and connections by default; x1, x2, x6: --connections. again: all stored, all validated. gzip: nginx compresses the HTML',
  },
  {
    name: 'wire ms',
    meaning:
      'seen by the link: from taking the first packet of the client to delivering the last packet with data from the server',
    digits: 1,
  },
  { name: 'to warm', meaning: '`wire ms` over that of the warm loader in the same round' },
  { name: 'to nghttp', meaning: '`wire ms` over that of `nghttp -an` in the same round' },
  { name: 'to nghttp -W24', meaning: 'the same with 16 MB of flow control window for nghttp' },
  {
    name: 'own ms',
    meaning:
      'as the client itself tells it: completeMs; for nghttp its last responseEnd and the handshake as the link saw it. Starting the process is in neither',
    digits: 1,
  },
  {
    name: 'first packet ms',
    meaning: 'from starting the process to its first packet at the link',
    digits: 1,
  },
  { name: 'process ms', meaning: 'from starting the process to its end', digits: 1 },
  { name: 'connections', meaning: 'that carried requests', digits: 0 },
  { name: 'packets', meaning: 'both ways, all of TCP counted', digits: 0 },
];

export async function coldLoad(settings: {
  rounds: number;
  say: (line: string) => void;
}): Promise<BenchResult> {
  const { rounds, say } = settings;
  const title = 'The command, started for each page, over an emulated link';
  const missing = linkUnavailable(['nginx', 'nghttp', 'ss']);
  if (missing !== null) {
    return { name: 'cold-load', title, method: [], tables: [], targets: [], skipped: missing };
  }
  using scratch = new Scratch();
  const command: BuiltCommand = {
    file: builtCommand,
    compileCache: join(scratch.path, 'compile-cache'),
  };
  const pages: NamedPage[] = [
    { name: 'Microscape', page: pageFolder(microscape) },
    ...pageShapes.map((shape, index) => ({
      name: shape.name,
      page: makePage(shape, join(scratch.path, `page-${index}`)),
    })),
  ];
  const tables: Table[] = [];
  const targets: Target[] = [];
  for (const link of [links.wan, links.lan]) {
    for (const [index, { name, page }] of pages.entries()) {
      say(`${link.name}: ${name}`);
      const cache = join(scratch.path, `cache-${link.delayMs}-${index}`);
      const samples = await onLink(link, page, (place) =>
        measure(place, command, cache, rounds, say),
      );
      tables.push(tabulate(link, name, samples));
      if (index === 0) targets.push(...judge(link, samples));
    }
  }
  return {
    name: 'cold-load',
    title,
    method: [
      `The links and server of the comparison with nghttp; ${rounds} interleaved rounds count, one before them does not. The command is compiled for this run; its compile cache is filled by what does not count, as by a user's first run.`,
      'Pages: Microscape, and two made from a seed: 3 KB of HTML with 12 images of 20 to 60 KB, and 120 KB of HTML with 120 images of 300 to 1,500 bytes.',
      'Again: the command with `--cache` on a folder that a run before filled, the warm loader with a cache in memory; both validate all (`no-cache`).',
      'Judged are the defaults on Microscape; the other rows are shown.',
    ],
    tables,
    targets,
  };
}

async function measure(
  place: Place,
  command: BuiltCommand,
  cache: string,
  rounds: number,
  say: (line: string) => void,
): Promise<Samples> {
  await commanded(place, command, 'fills the cache', 'plain', ['--cache', cache]).load();
  return await interleave(ways(place, command, cache), rounds, say);
}

function ways(place: Place, command: BuiltCommand, cache: string): Way[] {
  const stored = ['--cache', cache, '--cache-mode', 'no-cache'];
  return [
    ...codings.flatMap(([coding, suffix]) => [
      ...connectionCounts.flatMap((count) => {
        const name = `${count === null ? 'auto' : `x${count}`}${suffix}`;
        const flags = count === null ? [] : ['--connections', String(count)];
        const options = count === null ? {} : { connections: count };
        return [
          commanded(place, command, `command, ${name}`, coding, flags),
          ours(place, `warm, ${name}`, coding, options),
        ];
      }),
      theirs(place, `nghttp -an${suffix}`, coding),
      theirs(place, `nghttp -an -w24 -W24${suffix}`, coding, largeWindows),
    ]),
    commanded(place, command, 'command, again', 'plain', stored),
    ours(place, 'warm, first', 'plain', {}, 'first'),
    ours(place, 'warm, again', 'plain', {}, 'again'),
  ];
}

function tabulate({ name: link }: LinkSettings, page: string, samples: Samples): Table {
  const rows = [...samples].map(([name, taken]): Cell[] => {
    const of = (value: (sample: Sample) => number | null) => {
      const values = taken.map(value);
      return values.includes(null) ? null : spreadOf(values as number[]);
    };
    const suffix = name.endsWith(', gzip') ? ', gzip' : '';
    const isOurs = !name.startsWith('nghttp');
    const isLoad = isOurs && !name.endsWith(', again');
    const over = (base: string) => spreadOf(wireRatios(samples, name, base));
    return [
      name,
      of(({ wireMs }) => wireMs),
      name.startsWith('command') ? over(name.replace('command', 'warm')) : null,
      isLoad ? over(`nghttp -an${suffix}`) : null,
      isLoad ? over(`nghttp -an -w24 -W24${suffix}`) : null,
      of(({ ownMs }) => ownMs),
      of(({ firstPacketMs }) => firstPacketMs),
      of(({ processMs }) => processMs),
      of(({ connections }) => connections),
      of(({ packetsUp, packetsDown }) => packetsUp + packetsDown),
    ];
  });
  return { title: `${link}: ${page}`, columns, rows };
}

function judge(link: LinkSettings, samples: Samples): Target[] {
  const target = (what: string, limit: number, way: string, base: string): Target => ({
    what: `${link.name.split(',')[0]}: wire time of the command${what}`,
    limit,
    unit: '',
    measured: spreadOf(wireRatios(samples, way, base)),
    judgedBy: 'median',
  });
  if (link === links.lan) {
    return codings.map(([, suffix]) =>
      target(` over nghttp -an${suffix}`, 1.25, `command, auto${suffix}`, `nghttp -an${suffix}`),
    );
  }
  return [
    ...codings.map(([, suffix]) =>
      target(
        ` over the warm loader${suffix}`,
        1.06,
        `command, auto${suffix}`,
        `warm, auto${suffix}`,
      ),
    ),
    target(' over the warm loader, revalidation', 1.15, 'command, again', 'warm, again'),
  ];
}

function wireRatios(samples: Samples, name: string, base: string): number[] {
  const times = (way: string) => (samples.get(way) ?? []).map(({ wireMs }) => wireMs);
  return ratios(times(name), times(base));
}
