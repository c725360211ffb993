// The page again with everything stored: conditional requests in one batch, compared with the HTTP/1.0 approach; and
// fetching the first bytes of images first. Over the emulated WAN and a T1 line (Nielsen, Gettys et al. 1997, Tables
// 4-9, "cache validation" and "Range Requests").

import type { LoaderOptions } from '../../loader/index.ts';
import { type LinkSettings, linkUnavailable } from '../link/link.ts';
import type { BenchResult, Cell, Column, Table, Target } from '../result.ts';
import { ratios, spreadOf } from '../spread.ts';
import type { EmulatedSettings } from './emulated.ts';
import { links, onLink } from './links.ts';
import { interleave, ours, type Place, type Sample, type Way } from './ways.ts';

const protocols: Array<[name: string, options: LoaderOptions]> = [
  ['http1.0 x4', { protocol: 'http1.0', connections: 4 }],
  ['persistent x6', { protocol: 'persistent', connections: 6 }],
  ['pipelined', { protocol: 'pipelined', connections: 1 }],
  ['h2', { protocol: 'h2' }],
];
const base = 'http1.0 x4, again';
const ranged = 'pipelined, sizes first';

const columns: Column[] = [
  {
    name: 'way',
    meaning:
      'protocol, connections, visit. again: all stored, all validated. sizes first: the first 512 bytes of every image before the rest of any',
  },
  {
    name: 'complete ms',
    meaning: 'from the start of connecting to the last byte (completeMs)',
    digits: 1,
  },
  {
    name: 'sizes ms',
    meaning: 'until width and height of every image were known (sizesKnownMs)',
    digits: 1,
  },
  { name: 'to first', meaning: 'complete ms over that of the first visit in the same round' },
  {
    name: 'to http1.0',
    meaning: 'complete ms over that of http1.0 for the same visit in the same round',
  },
  { name: 'packets', meaning: 'both ways, all of TCP counted', digits: 0 },
  { name: 'KB', meaning: '1,000 bytes of IP packets, both ways', digits: 1 },
  { name: 'requests', meaning: 'requests that left', digits: 0 },
  { name: '304s', meaning: 'answers 304', digits: 0 },
  {
    name: 'batches',
    meaning: "writes that carried requests, the page's own not counted where it left alone",
    digits: 0,
  },
];

export async function revisit(settings: EmulatedSettings): Promise<BenchResult> {
  const title = 'Revalidation, and sizes first, over an emulated link';
  const missing = linkUnavailable(['nginx', 'ss']);
  if (missing !== null) {
    return { name: 'revisit', title, method: [], tables: [], targets: [], skipped: missing };
  }
  const tables: Table[] = [];
  const targets: Target[] = [];
  for (const link of [links.wan, links.t1]) {
    const samples = await measure(link, settings);
    tables.push(tabulate(link, samples));
    targets.push(...(link === links.wan ? judge(samples) : judgeSizes(link, samples)));
  }
  return {
    name: 'revisit',
    title,
    method: [
      'The links, server and page of the comparison with nghttp. Each way begins with an empty cache in memory; its second visit, on new connections, finds all of the page stored and validates all of it (`cacheMode: no-cache`), whatever its age.',
      `Again over http1.0 is the way of the papers' HTTP/1.0 robot: If-Modified-Since when the page has named it, four connections, each closed behind its answer. Again over the others: conditions for the page and all it named before leave together.`,
      `${settings.rounds} interleaved rounds count; ratios are taken within a round.`,
    ],
    tables,
    targets,
  };
}

function measure(link: LinkSettings, { page, rounds, say }: EmulatedSettings) {
  say(link.name);
  return onLink(link, page, (place) => interleave(ways(place), rounds, say));
}

function ways(place: Place): Way[] {
  return [
    ...protocols.flatMap(([name, options]) => [
      ours(place, `${name}, first`, 'plain', options, 'first'),
      ours(place, `${name}, again`, 'plain', options, 'again'),
    ]),
    ours(place, `${ranged}, first`, 'plain', sizesFirst, 'first'),
    ours(place, `${ranged}, again`, 'plain', sizesFirst, 'again'),
  ];
}

const sizesFirst: LoaderOptions = { protocol: 'pipelined', connections: 1, images: 'sizes-first' };

type Samples = Map<string, Sample[]>;

const of = (samples: Samples, name: string, value: (sample: Sample) => number): number[] =>
  (samples.get(name) ?? []).map(value);
const complete = ({ ownMs }: Sample) => ownMs;
const sizesKnown = ({ answer }: Sample) => answer?.sizesKnownMs ?? Number.NaN;
const packets = ({ packetsUp, packetsDown }: Sample) => packetsUp + packetsDown;

function tabulate(link: LinkSettings, samples: Samples): Table {
  const rows = [...samples.keys()].map((name): Cell[] => {
    const spread = (value: (sample: Sample) => number) => spreadOf(of(samples, name, value));
    const over = (other: string) =>
      spreadOf(ratios(of(samples, name, complete), of(samples, other, complete)));
    const visit = name.endsWith(', again') ? 'again' : 'first';
    return [
      name,
      spread(complete),
      spread(sizesKnown),
      visit === 'again' ? over(name.replace(/, again$/, ', first')) : null,
      over(`http1.0 x4, ${visit}`),
      spread(packets),
      spread(({ bytesUp, bytesDown }) => (bytesUp + bytesDown) / 1000),
      spread(({ answer }) => answer?.requests ?? Number.NaN),
      spread(({ answer }) => answer?.notModified ?? Number.NaN),
      spread(({ batches }) => batches ?? Number.NaN),
    ];
  });
  return { title: link.name, columns, rows };
}

function judge(samples: Samples): Target[] {
  const again = 'pipelined, again';
  return [
    {
      what: 'WAN: time of a pipelined revalidation over that of http1.0',
      measured: spreadOf(ratios(of(samples, again, complete), of(samples, base, complete))),
      limit: 0.12,
      unit: '',
      judgedBy: 'median',
    },
    {
      what: 'WAN: packets of a pipelined revalidation, both ways',
      measured: spreadOf(of(samples, again, packets)),
      limit: 30,
      unit: 'packets',
      digits: 0,
      judgedBy: 'median',
    },
    ...judgeSizes(links.wan, samples),
  ];
}

/** No figure was asked for: that it wins at all. */
function judgeSizes({ name }: LinkSettings, samples: Samples): Target[] {
  const [first, plain] = [`${ranged}, first`, 'pipelined, first'];
  return [
    {
      what: `${name.split(',')[0]}: sizes known with sizes-first, over without`,
      measured: spreadOf(ratios(of(samples, first, sizesKnown), of(samples, plain, sizesKnown))),
      limit: 1,
      unit: '',
      judgedBy: 'median',
    },
  ];
}
