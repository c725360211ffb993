// Tables 4 to 11 of Nielsen, Gettys et al. 1997 ("Network Performance Effects of HTTP/1.1, CSS1, and PNG"): Microscape over
// their three networks, first visit and validation, printed figures beside those of `loadahead compare`.

import { existsSync } from 'node:fs';
import { linkUnavailable } from '../link/link.ts';
import { microscape, sourceCommand } from '../paths.ts';
import { run } from '../processes.ts';
import type { BenchResult, Cell, Column, Table } from '../result.ts';

type Figures = [packets: number, bytes: number, seconds: number, overhead: number];
type WayOfPaper = 'HTTP/1.0 x4' | 'HTTP/1.1' | 'pipelined' | 'pipelined, compressed';

interface PaperTable {
  number: number;
  title: string;
  link: 'lan' | 'wan' | 'ppp';
  /** Jigsaw ran interpreted Java, as ours runs JavaScript; Apache is C, as nginx. */
  server: 'own' | 'nginx';
  rows: Partial<Record<WayOfPaper, [first: Figures, validation: Figures]>>;
}

const tables: PaperTable[] = [
  {
    ...{ number: 4, title: 'Jigsaw, high bandwidth, low latency', link: 'lan', server: 'own' },
    rows: {
      'HTTP/1.0 x4': [
        [510.2, 216_289, 0.97, 8.6],
        [374.8, 61_117, 0.78, 19.7],
      ],
      'HTTP/1.1': [
        [281, 191_843, 1.25, 5.5],
        [133.4, 17_694, 0.89, 23.2],
      ],
      pipelined: [
        [181.8, 191_551, 0.68, 3.7],
        [32.8, 17_694, 0.54, 6.9],
      ],
      'pipelined, compressed': [
        [148.8, 159_654, 0.71, 3.6],
        [32.6, 17_687, 0.54, 6.9],
      ],
    },
  },
  {
    ...{ number: 5, title: 'Apache, high bandwidth, low latency', link: 'lan', server: 'nginx' },
    rows: {
      'HTTP/1.0 x4': [
        [489.4, 215_536, 0.72, 8.3],
        [365.4, 60_605, 0.41, 19.4],
      ],
      'HTTP/1.1': [
        [244.2, 189_023, 0.81, 4.9],
        [98.4, 14_009, 0.4, 21.9],
      ],
      pipelined: [
        [175.8, 189_607, 0.49, 3.6],
        [29.2, 14_009, 0.23, 7.7],
      ],
      'pipelined, compressed': [
        [139.8, 156_834, 0.41, 3.4],
        [28.4, 14_002, 0.23, 7.5],
      ],
    },
  },
  {
    ...{ number: 6, title: 'Jigsaw, high bandwidth, high latency', link: 'wan', server: 'own' },
    rows: {
      'HTTP/1.0 x4': [
        [565.8, 251_913, 4.17, 8.2],
        [389.2, 62_348, 2.96, 20],
      ],
      'HTTP/1.1': [
        [304, 193_595, 6.64, 5.9],
        [137, 18_065.6, 4.95, 23.3],
      ],
      pipelined: [
        [214.2, 193_887, 2.33, 4.2],
        [34.8, 18_233.2, 1.1, 7.1],
      ],
      'pipelined, compressed': [
        [183.2, 161_698, 2.09, 4.3],
        [35.4, 19_102.2, 1.15, 6.9],
      ],
    },
  },
  {
    ...{ number: 7, title: 'Apache, high bandwidth, high latency', link: 'wan', server: 'nginx' },
    rows: {
      'HTTP/1.0 x4': [
        [559.6, 248_655.2, 4.09, 8.3],
        [370, 61_887, 2.64, 19.3],
      ],
      'HTTP/1.1': [
        [309.4, 191_436, 6.14, 6.1],
        [104.2, 14_255, 4.43, 22.6],
      ],
      pipelined: [
        [221.4, 191_180.6, 2.23, 4.4],
        [29.8, 15_352, 0.86, 7.2],
      ],
      'pipelined, compressed': [
        [182, 159_170, 2.11, 4.4],
        [29, 15_088, 0.83, 7.2],
      ],
    },
  },
  {
    ...{ number: 8, title: 'Jigsaw, low bandwidth, high latency', link: 'ppp', server: 'own' },
    rows: {
      'HTTP/1.1': [
        [309.6, 190_687, 63.8, 6.1],
        [89.2, 17_528, 12.9, 16.9],
      ],
      pipelined: [
        [284.4, 190_735, 53.3, 5.6],
        [31, 17_598, 5.4, 6.6],
      ],
      'pipelined, compressed': [
        [234.2, 159_449, 47.4, 5.5],
        [31, 17_591, 5.4, 6.6],
      ],
    },
  },
  {
    ...{ number: 9, title: 'Apache, low bandwidth, high latency', link: 'ppp', server: 'nginx' },
    rows: {
      'HTTP/1.1': [
        [308.6, 187_869, 65.6, 6.2],
        [89, 13_843, 11.1, 20.5],
      ],
      pipelined: [
        [281.4, 187_918, 53.4, 5.7],
        [26, 13_912, 3.4, 7],
      ],
      'pipelined, compressed': [
        [233, 157_214, 47.2, 5.6],
        [26, 13_905, 3.4, 7],
      ],
    },
  },
];

/** Tables 10 and 11: browsers of the time over the modem. */
const browsers: Array<{
  number: number;
  server: PaperTable['server'];
  rows: Record<string, [first: Figures, validation: Figures]>;
}> = [
  {
    ...{ number: 10, server: 'own' },
    rows: {
      'Netscape Navigator': [
        [339.4, 201_807, 58.8, 6.3],
        [108, 19_282, 14.9, 18.3],
      ],
      'Internet Explorer': [
        [360.3, 199_934, 63, 6.7],
        [301, 61_009, 17, 16.5],
      ],
    },
  },
  {
    ...{ number: 11, server: 'nginx' },
    rows: {
      'Netscape Navigator': [
        [334.3, 199_243, 58.7, 6.3],
        [103.3, 23_741, 5.9, 14.8],
      ],
      'Internet Explorer': [
        [381.3, 204_219, 60.6, 6.9],
        [117, 23_056, 8.3, 16.9],
      ],
    },
  },
];

const ways: Record<WayOfPaper, string> = {
  'HTTP/1.0 x4': 'http1.0:plain',
  'HTTP/1.1': 'persistent:plain',
  pipelined: 'pipelined:plain',
  'pipelined, compressed': 'pipelined',
};

interface Spread {
  median: number;
  min: number;
  max: number;
}

interface Row {
  way: string;
  visit: 'first' | 'revalidate';
  completeMs: Spread;
  packetsUp: Spread;
  packetsDown: Spread;
  bytesUp: Spread;
  bytesDown: Spread;
  overheadPercent: Spread;
}

const columns: Column[] = [
  { name: 'way', meaning: 'as the paper calls it; HTTP/1.0 with four connections', text: true },
  { name: 'Pa printed', meaning: 'packets both ways, as printed', digits: 0 },
  { name: 'Pa', meaning: 'packets both ways, counted by the link', digits: 0 },
  {
    name: 'KB printed',
    meaning: '1,000 bytes without headers of TCP and IP, as printed',
    digits: 1,
  },
  { name: 'KB', meaning: 'the same, counted by the link', digits: 1 },
  { name: 'Sec printed', meaning: 'seconds, as printed' },
  { name: 'Sec', meaning: 'seconds of a load with new connections in a warm process' },
  {
    name: '%ov printed',
    meaning: 'share of the header bytes of TCP and IP, as printed',
    digits: 1,
  },
  { name: '%ov', meaning: 'the same, counted by the link', digits: 1 },
];

export async function nielsen({
  rounds,
  withPpp,
  say,
}: {
  rounds: number;
  withPpp: boolean;
  say: (line: string) => void;
}): Promise<BenchResult> {
  const title = 'Nielsen, Gettys et al. 1997, Tables 4 to 11';
  const missing = linkUnavailable(['nginx']);
  if (missing !== null) {
    return { name: 'papers-nielsen', title, method: [], tables: [], targets: [], skipped: missing };
  }
  const ofBrowsers = withPpp ? await browserTables(say) : [];
  const measured: Table[] = [];
  const claims: Cell[][] = [];
  // The last ones first: what disturbs this machine disturbs a modem least.
  for (const table of tables.toReversed()) {
    if (table.link === 'ppp' && !withPpp) continue;
    say(`table ${table.number}`);
    const rows = await compared(table, table.link === 'ppp' ? 1 : rounds);
    measured.unshift(tableOf(table, rows, 'first'), tableOf(table, rows, 'revalidate'));
    claims.unshift(...claimsOf(table, rows));
  }
  return {
    name: 'papers-nielsen',
    title,
    method: [
      'Microscape is made anew after its description, 42 KB of HTML with 42 images. `loadahead compare` loads it over emulated links: LAN 10 Mbit/s and 0.6 ms, WAN 10 Mbit/s and 90 ms, PPP 28.8 kbit/s and 150 ms round trip (the paper measured on an Ethernet, the Internet of a quiet night, and a modem).',
      'Jigsaw, which ran interpreted Java, stands beside our own server, Apache 1.2b10 beside nginx. HTTP/1.0 opens four connections, one request each.',
      'What differs has few reasons. Packets are nearly as many: segments are as large, and are acknowledged as they were; a new connection begins with ten of them (RFC 6928) in place of one or two, which saves round trips, not packets. Bytes are somewhat fewer, as requests are shorter than the 190 bytes of 1997, and those of HTTP/1.0 to validate were HEAD and full responses. %ov is higher: today each header has 12 bytes of timestamps. Seconds on the LAN are those of machines 300 times as fast; on the WAN and the modem the round trips and the rate set them, now as then.',
    ],
    tables: [
      ...measured,
      ...ofBrowsers,
      {
        title: 'What the paper concludes of them',
        columns: [
          { name: 'table', meaning: 'of the paper', digits: 0 },
          { name: 'claim', meaning: 'in its words or figures', text: true },
          { name: 'printed', meaning: 'the ratio as printed' },
          { name: 'here', meaning: 'the same ratio' },
          { name: 'holds', meaning: 'yes or no', text: true },
        ],
        rows: claims,
      },
    ],
    targets: [],
  };
}

function compared({ link, server, rows }: PaperTable, runs: number): Promise<Row[]> {
  const names = (Object.keys(rows) as WayOfPaper[]).map((way) => ways[way]).join(',');
  return compare(['--links', link, '--ways', names, '--server', server, '--runs', String(runs)]);
}

async function compare(flags: string[]): Promise<Row[]> {
  const visits = ['--visits', 'first,revalidate', '--json'];
  const args = [sourceCommand, 'compare', microscape, ...visits, ...flags];
  const { stdout } = await run(process.execPath, args);
  return JSON.parse(stdout).rows;
}

/** Chromium's row stands last, with nothing printed. */
async function browserTables(say: (line: string) => void): Promise<Table[]> {
  if (!existsSync('/usr/bin/chromium')) return [];
  const all: Table[] = [];
  for (const { number, server, rows } of browsers) {
    say(`table ${number}`);
    const flags = ['--links', 'ppp', '--ways', 'auto', '--server', server, '--runs', '1'];
    const found = await compare([...flags, '--browser', 'chromium']);
    for (const [index, visit] of (['first', 'revalidate'] as const).entries()) {
      const here = found.find((row) => row.way === 'chromium' && row.visit === visit) as Row;
      const printed = Object.entries(rows).map(([name, visits]): Cell[] => {
        const [pa, bytes, sec, ov] = visits[index] as Figures;
        return [name, pa, null, bytes / 1000, null, sec, null, ov, null];
      });
      const seconds = here.completeMs.median / 1000;
      const own = [null, packets(here), null, payload(here) / 1000, null, seconds];
      all.push({
        title: `Table ${number}: browsers over the modem, ${nameOf(visit)}, from ${server === 'own' ? 'our server' : 'nginx'}`,
        columns,
        rows: [...printed, ['Chromium', ...own, null, here.overheadPercent.median]],
      });
    }
  }
  return all;
}

const nameOf = (visit: Row['visit']) =>
  visit === 'first' ? 'first time retrieval' : 'cache validation';

const rowOf = (rows: readonly Row[], way: WayOfPaper, visit: Row['visit']) =>
  rows.find((row) => row.way === ways[way] && row.visit === visit) as Row;
const packets = ({ packetsUp, packetsDown }: Row) => packetsUp.median + packetsDown.median;
const payload = ({ bytesUp, bytesDown, overheadPercent }: Row) =>
  (bytesUp.median + bytesDown.median) * (1 - overheadPercent.median / 100);

function tableOf(
  { number, title, rows: printed }: PaperTable,
  rows: Row[],
  visit: Row['visit'],
): Table {
  return {
    title: `Table ${number}: ${title}, ${nameOf(visit)}`,
    columns,
    rows: Object.entries(printed).map(([way, [first, validation]]): Cell[] => {
      const [pa, bytes, sec, ov] = visit === 'first' ? first : validation;
      const row = rowOf(rows, way as WayOfPaper, visit);
      return [
        ...[way, pa, packets(row), bytes / 1000, payload(row) / 1000],
        ...[sec, row.completeMs.median / 1000, ov, row.overheadPercent.median],
      ];
    }),
  };
}

/** The conclusions that can be read off a table: ratios to HTTP/1.0 or, on the modem, to HTTP/1.1. */
function claimsOf({ number, rows: printed }: PaperTable, rows: Row[]): Cell[][] {
  const base: WayOfPaper = printed['HTTP/1.0 x4'] === undefined ? 'HTTP/1.1' : 'HTTP/1.0 x4';
  const of = (way: WayOfPaper, visit: 0 | 1) => printed[way]?.[visit] as Figures;
  const here = (way: WayOfPaper, visit: 0 | 1) =>
    rowOf(rows, way, visit === 0 ? 'first' : 'revalidate');
  const claim = (words: string, was: number, is: number, holds: boolean): Cell[] => [
    number,
    words,
    was,
    is,
    holds ? 'yes' : 'no',
  ];
  const pa = (visit: 0 | 1): [number, number] => [
    of('pipelined', visit)[0] / of(base, visit)[0],
    packets(here('pipelined', visit)) / packets(here(base, visit)),
  ];
  const sec = (way: WayOfPaper, to: WayOfPaper, visit: 0 | 1): [number, number] => [
    of(way, visit)[2] / of(to, visit)[2],
    here(way, visit).completeMs.median / here(to, visit).completeMs.median,
  ];
  const bytes: [number, number] = [
    of('pipelined, compressed', 0)[1] / of('pipelined', 0)[1],
    payload(here('pipelined, compressed', 0)) / payload(here('pipelined', 0)),
  ];
  const [first, again] = [pa(0), pa(1)];
  const [faster, validated] = [sec('pipelined', base, 0), sec('pipelined', base, 1)];
  const slower = base === 'HTTP/1.1' ? null : sec('HTTP/1.1', base, 0);
  return [
    claim(`pipelining takes fewer packets than ${base}, first visit`, ...first, first[1] < 1),
    claim(`and far fewer to validate`, ...again, again[1] < again[0] * 1.5),
    claim(`it is faster than ${base}, first visit`, ...faster, faster[1] < 1),
    claim(`and to validate`, ...validated, validated[1] < 1),
    ...(slower === null
      ? []
      : [
          claim(
            'one persistent connection without pipelining is slower than four',
            ...slower,
            slower[1] > 1,
          ),
        ]),
    claim('compressing the HTML alone saves about 19 % of the bytes', ...bytes, bytes[1] < 0.85),
  ];
}
