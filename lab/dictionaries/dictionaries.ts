// What shared dictionaries (RFC 9842) save on sites whose pages have one template: the documents of a visit, beside gzip
// and Zstandard from the same server, over emulated links.

import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { twelvePagesDir } from '../../fixtures/index.ts';
import { Link, linkUnavailable } from '../link/link.ts';
import { links } from '../page-loads/links.ts';
import { LineProcess } from '../processes.ts';
import type { BenchResult, Cell, Column, Table } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { ratios, spreadOf } from '../spread.ts';
import type { Sites } from './server-worker.ts';
import { manual, shop, type TemplateSite } from './template-sites.ts';
import type { Seen, Visit } from './visit-worker.ts';

export interface DictionariesSettings {
  rounds: number;
  say: (line: string) => void;
}

const ways = [
  { name: 'plain', site: 'plain', codings: 'identity' },
  { name: 'gzip', site: 'plain', codings: 'gzip' },
  { name: 'zstd', site: 'plain', codings: 'zstd' },
  { name: 'dcz', site: 'coded', codings: null },
] as const;
type Way = (typeof ways)[number];

const columns: Column[] = [
  { name: 'site', meaning: 'twelve pages: fixtures/twelve-pages', text: true },
  {
    name: 'way',
    meaning: 'coding of the documents; dcz: as the difference to one that the client has',
    text: true,
  },
  { name: 'pages', meaning: 'documents of the visit', digits: 0 },
  { name: 'KB', meaning: '1,000 bytes of all their bodies as sent', digits: 1 },
  { name: 'to gzip', meaning: 'KB over those of gzip' },
  { name: 'to zstd', meaning: 'KB over those of Zstandard' },
  { name: 'median page, bytes', meaning: 'of the bodies after the first, as sent', digits: 0 },
  { name: 'ms', meaning: 'completeMs of the pages after the first, added up', digits: 1 },
  { name: 'ms, to gzip', meaning: 'over that of gzip in the same round' },
  { name: 'ms, to zstd', meaning: 'over that of Zstandard in the same round' },
];

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export async function dictionariesBench(settings: DictionariesSettings): Promise<BenchResult> {
  const { rounds, say } = settings;
  const about = { name: 'dictionaries', title: 'Shared dictionaries' };
  const missing = linkUnavailable();
  if (missing !== null) {
    return { ...about, method: [], tables: [], targets: [], skipped: missing };
  }
  using scratch = new Scratch();
  const sites = [twelvePages(scratch.path), manual(scratch.path), shop(scratch.path)];
  const tables: Table[] = [];
  for (const link of [links.wan, links.t1]) {
    await using open = await Link.open(link);
    const server = [process.execPath, file('server-worker.ts'), scratch.path, open.serverAddress];
    await using far = new LineProcess(...open.at('server', server));
    const where = JSON.parse(await far.nextLine()) as Sites;
    await using near = new LineProcess(
      ...open.at('client', [process.execPath, file('visit-worker.ts')]),
    );
    const rows: Cell[][] = [];
    for (const site of sites) {
      say(`${link.name}: ${site.name}`);
      const seen = new Map<Way, Seen[]>(ways.map((way) => [way, []]));
      for (let round = 0; round <= rounds; round++) {
        for (const way of ways) {
          near.send(JSON.stringify(visitOf(site, way, where)));
          const one = JSON.parse(await near.nextLine()) as Seen;
          if (round > 0) seen.get(way)?.push(one);
        }
      }
      rows.push(...ways.map((way) => rowOf(site, way, seen)));
    }
    tables.push({ title: link.name, columns, rows });
  }
  return {
    ...about,
    method: [
      'The loader visits the pages of a site in turn, on one connection over TLS and with an empty cache; of each page only the document is loaded. The site is our origin; with `dictionaries()` each document it sends is kept as a dictionary for those that follow. The manual is our documentation in the template of mdBook, the shop invented products in a template of Start Bootstrap.',
      `${rounds} interleaved rounds count, one before them does not: from the second on, the server knows the dictionaries. Bytes are the same in each.`,
    ],
    tables,
    targets: [],
  };
}

function twelvePages(folder: string): TemplateSite {
  cpSync(twelvePagesDir, join(folder, 'twelve'), { recursive: true });
  const walk = JSON.parse(readFileSync(join(twelvePagesDir, 'walk.json'), 'utf8')) as string[];
  return { name: 'twelve pages', folder, paths: walk.map((path) => `/twelve${path}`) };
}

function visitOf({ paths }: TemplateSite, { site, codings }: Way, { ca, urls }: Sites): Visit {
  return { ca, urls: paths.map((path) => new URL(path, urls[site]).href), codings };
}

const bytesOf = ({ pages }: Seen) => pages.reduce((sum, { encodedBytes }) => sum + encodedBytes, 0);

const msOf = ({ pages }: Seen) =>
  pages.slice(1).reduce((sum, { completeMs }) => sum + completeMs, 0);

function rowOf(site: TemplateSite, way: Way, seen: ReadonlyMap<Way, Seen[]>): Cell[] {
  const taken = (of: Way) => seen.get(of) ?? [];
  const [, gzip, zstd] = ways;
  const over = (base: Way, value: (one: Seen) => number) =>
    spreadOf(ratios(taken(way).map(value), taken(base).map(value)));
  const later = taken(way)[0]?.pages.slice(1) ?? [];
  return [
    site.name,
    way.name,
    site.paths.length,
    spreadOf(taken(way).map((one) => bytesOf(one) / 1000)),
    over(gzip, bytesOf),
    over(zstd, bytesOf),
    spreadOf(later.map(({ encodedBytes }) => encodedBytes)).median,
    spreadOf(taken(way).map(msOf)),
    over(gzip, msOf),
    over(zstd, msOf),
  ];
}
