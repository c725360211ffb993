// A page and its images in one response (GETALL, Padmanabhan 1995, 5.1), beside the same page pipelined and over HTTP/2,
// from our origin and from nginx.

import type { LoaderOptions } from '../../loader/index.ts';
import { linkUnavailable } from '../link/link.ts';
import type { BenchResult, Cell, Column, Table, Target } from '../result.ts';
import { ratios, spreadOf } from '../spread.ts';
import { links, onLink } from './links.ts';
import { originPort } from './nginx.ts';
import { startNginxAndOrigin } from './nginx-and-origin.ts';
import type { PageFolder } from './page-folder.ts';
import { interleave, ours, oursAt, type Place, type Sample, theirs, type Way } from './ways.ts';

export interface GetAllSettings {
  page: PageFolder;
  rounds: number;
  say: (line: string) => void;
}

/** Our origin compresses for whom it suits; nginx has a port for each. */
const asItIs = { extraHeaders: { 'accept-encoding': 'identity' } };
const pipelined = { protocol: 'pipelined', connections: 1, getAll: false } as const;
const inOne = { protocol: 'pipelined', connections: 1, getAll: true } as const;

const columns: Column[] = [
  {
    name: 'way',
    meaning:
      'pipelined: one connection. get-all: one request. nghttp: `nghttp -an`. gzip: the HTML is compressed',
    text: true,
  },
  { name: 'server', meaning: 'origin: `createOrigin` with `getAll()`', text: true },
  {
    name: 'ms',
    meaning:
      'from the start of connecting to the last byte; for nghttp its last responseEnd and the handshake as the link saw it',
    digits: 1,
  },
  {
    name: 'to pipelined',
    meaning: '`ms` over that of pipelined from nginx, same coding and round',
  },
  { name: 'to nghttp', meaning: '`ms` over that of `nghttp -an`, same coding and round' },
  { name: 'requests', meaning: 'that left the client', digits: 0 },
  { name: 'packets up', meaning: 'from the client, all of TCP counted', digits: 0 },
  { name: 'packets down', meaning: 'from the server', digits: 0 },
  { name: 'KB', meaning: '1,000 bytes of IP packets, both ways', digits: 1 },
];

export async function getAllBench({ page, rounds, say }: GetAllSettings): Promise<BenchResult> {
  const title = 'A page in one response';
  const missing = linkUnavailable(['nginx', 'nghttp', 'ss']);
  if (missing !== null) {
    return { name: 'get-all', title, method: [], tables: [], targets: [], skipped: missing };
  }
  const tables: Table[] = [];
  const targets: Target[] = [];
  for (const link of [links.wan, links.lan, links.t1]) {
    say(link.name);
    const samples = await onLink(
      link,
      page,
      (place) => interleave(waysOf(place), rounds, say),
      startNginxAndOrigin,
    );
    tables.push({ title: link.name, columns, rows: rowsOf(samples, page) });
    targets.push(...targetsOf(link, samples));
  }
  return {
    name: 'get-all',
    title,
    method: [
      'Our origin with `getAll()` reads the page for what it names each time. Our origin and nginx serve the same folder at the far end of the link; a warm loader and nghttp load it with new connections at the near end, first visits all.',
      `${rounds} interleaved rounds count, one before them does not; ratios are taken within a round.`,
    ],
    tables,
    targets,
  };
}

interface Compared {
  name: string;
  server: 'nginx' | 'origin';
  coding: 'plain' | 'gzip';
}

const compared: ReadonlyArray<Compared & { options?: LoaderOptions }> = [
  { name: 'pipelined', server: 'nginx', coding: 'plain', options: pipelined },
  { name: 'pipelined', server: 'origin', coding: 'plain', options: { ...pipelined, ...asItIs } },
  { name: 'get-all', server: 'origin', coding: 'plain', options: { ...inOne, ...asItIs } },
  { name: 'nghttp', server: 'nginx', coding: 'plain' },
  { name: 'pipelined', server: 'nginx', coding: 'gzip', options: pipelined },
  { name: 'pipelined', server: 'origin', coding: 'gzip', options: pipelined },
  { name: 'get-all', server: 'origin', coding: 'gzip', options: inOne },
  { name: 'nghttp', server: 'nginx', coding: 'gzip' },
];

const keyOf = ({ name, server, coding }: Compared) => `${name}, ${server}, ${coding}`;

function waysOf(place: Place): Way[] {
  return compared.map((each) => {
    const { server, coding, options } = each;
    const key = keyOf(each);
    if (options === undefined) return theirs(place, key, coding);
    return server === 'origin'
      ? oursAt(originPort, place, key, options)
      : ours(place, key, coding, options);
  });
}

type Samples = Map<string, Sample[]>;

const msOf = (samples: Samples, key: string) => (samples.get(key) ?? []).map(({ ownMs }) => ownMs);

const over = (samples: Samples, key: string, base: string) =>
  spreadOf(ratios(msOf(samples, key), msOf(samples, base)));

const bytesOf = ({ bytesUp, bytesDown }: Sample) => bytesUp + bytesDown;

function rowsOf(samples: Samples, page: PageFolder): Cell[][] {
  return compared.map((each) => {
    const { name, server, coding } = each;
    const key = keyOf(each);
    const taken = samples.get(key) ?? [];
    const of = (value: (sample: Sample) => number) => spreadOf(taken.map(value));
    return [
      coding === 'gzip' ? `${name}, gzip` : name,
      server,
      of(({ ownMs }) => ownMs),
      over(samples, key, `pipelined, nginx, ${coding}`),
      over(samples, key, `nghttp, nginx, ${coding}`),
      of(({ answer }) => answer?.requests ?? page.images + 1),
      of(({ packetsUp }) => packetsUp),
      of(({ packetsDown }) => packetsDown),
      of((sample) => bytesOf(sample) / 1000),
    ];
  });
}

function targetsOf({ name: linkName }: { name: string }, samples: Samples): Target[] {
  const link = linkName.split(',')[0] as string;
  const isWan = linkName === links.wan.name;
  const limits = isWan
    ? [
        ['pipelined', 0.95],
        ['nghttp', 0.8],
      ]
    : linkName === links.lan.name
      ? [['nghttp', 1]]
      : [];
  const times = (['plain', 'gzip'] as const).flatMap((coding) =>
    limits.map(([peer, limit]) => ({
      what: `${link}: time of get-all over ${peer} from nginx${coding === 'gzip' ? ', gzip' : ''}`,
      measured: over(samples, `get-all, origin, ${coding}`, `${peer}, nginx, ${coding}`),
      limit: limit as number,
      unit: '',
      judgedBy: 'median' as const,
    })),
  );
  return [
    ...times,
    ...(['plain', 'gzip'] as const).map((coding) => bytesTarget(link, coding, samples)),
  ];
}

/** Over the least of all other ways with this coding. */
function bytesTarget(link: string, coding: Compared['coding'], samples: Samples): Target {
  const own = (samples.get(`get-all, origin, ${coding}`) ?? []).map(bytesOf);
  const others = compared
    .filter((each) => each.coding === coding && each.name !== 'get-all')
    .map((each) => (samples.get(keyOf(each)) ?? []).map(bytesOf));
  const least = own.map((_, round) => Math.min(...others.map((bytes) => bytes[round] ?? Infinity)));
  return {
    what: `${link}: bytes of get-all over those of the shortest other way${coding === 'gzip' ? ', gzip' : ''}`,
    measured: spreadOf(ratios(own, least)),
    limit: 1,
    unit: '',
    judgedBy: 'median',
  };
}
