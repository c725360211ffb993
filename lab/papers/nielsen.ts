// Tables 4 to 11 of Nielsen, Gettys et al. 1997 ("Network Performance Effects of HTTP/1.1, CSS1, and PNG"): Microscape over
// their three networks, first visit and validation, printed figures beside those of `loadahead compare` and of a robot.

import { existsSync } from 'node:fs';
import { type LinkSettings, linkUnavailable } from '../link/link.ts';
import { links } from '../page-loads/links.ts';
import type { BenchResult, Cell, Column, Table } from '../result.ts';
import { claimColumns, claimsOf } from './nielsen/claims.ts';
import { type Compared, differencesOf } from './nielsen/differences.ts';
import { imagesSentAgain } from './nielsen/images-sent-again.ts';
import {
  browsers,
  type Figures,
  type PaperTable,
  tables,
  type WayOfPaper,
} from './nielsen/printed.ts';
import { robotWays } from './nielsen/robot-rows.ts';
import { byRobot, compared, packets, payload, type Row, rowOf, seconds } from './nielsen/rows.ts';
import type { ServerName } from './robot-place.ts';

/** The ways of `loadahead compare` that stand for those of the paper. */
const ways: Record<WayOfPaper, string> = {
  'HTTP/1.0 x4': 'http1.0:plain',
  'HTTP/1.1': 'persistent:plain',
  pipelined: 'pipelined:plain',
  'pipelined, compressed': 'pipelined',
};

type Visit = Row['visit'];
const visits: Visit[] = ['first', 'revalidate'];
type LineName = PaperTable['link'];

const columns: Column[] = [
  {
    name: 'way',
    meaning:
      'as the paper calls it; HTTP/1.0: a connection for each request; Keep-Alive: HTTP/1.0 with that field, as the browsers of footnotes 1 and 2',
    text: true,
  },
  { name: 'Pa printed', meaning: 'packets both ways, as printed', digits: 0 },
  { name: 'Pa', meaning: 'packets both ways, counted by the link', digits: 0 },
  { name: 'up', meaning: 'packets from client to server', digits: 0 },
  { name: 'down', meaning: 'packets from server to client', digits: 0 },
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
  {
    name: '%ov of 40',
    meaning: 'the same if each header had 40 bytes, as in 1997, without the 12 of timestamps',
    digits: 1,
  },
  { name: 'B/Pa', meaning: 'mean size of a packet, bytes with headers', digits: 0 },
  { name: 'conns', meaning: 'connections, counted by the link', digits: 0 },
  { name: 'Pa/conn', meaning: 'length of a packet train: packets of a connection', digits: 1 },
];

const serverNames: Record<ServerName, string> = {
  own: 'our server',
  nginx: 'nginx',
  apache: 'Apache 2.4',
};

interface Measured {
  table: PaperTable;
  server: ServerName;
  rows: Row[];
}

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
  const all: Measured[] = [];
  const ofBrowsers: Table[] = [];
  // Whoever waits for a modem or for round trips needs no processor, so all servers have their turn at once there.
  if (withPpp) {
    say('tables 8 to 11, all at once');
    const [measured, found] = await Promise.all([
      Promise.all(
        tables.filter(({ link }) => link === 'ppp').flatMap((each) => onServers(each, 1)),
      ),
      browserRows(),
    ]);
    all.push(...measured);
    ofBrowsers.push(...browserTables(found, measured));
  }
  say('tables 6 and 7, all at once');
  all.unshift(
    ...(await Promise.all(
      tables.filter(({ link }) => link === 'wan').flatMap((each) => onServers(each, rounds)),
    )),
  );
  const lan: Measured[] = [];
  for (const table of tables.filter(({ link }) => link === 'lan')) {
    say(`table ${table.number}`);
    for (const server of serversOf(table)) lan.push(await measure(table, server, rounds));
  }
  all.unshift(...lan);
  return {
    name: 'papers-nielsen',
    title,
    method: [
      'Microscape is made anew after its description, 42 KB of HTML with 42 images. `loadahead compare` loads it over emulated links: LAN 10 Mbit/s and 0.6 ms, WAN 10 Mbit/s and 90 ms, PPP 28.8 kbit/s and 150 ms round trip (the paper measured on an Ethernet, the Internet of a quiet night, and a modem).',
      'Jigsaw, which ran interpreted Java, stands beside our own server; Apache 1.2b10 beside Apache 2.4 and nginx. The rows HTTP/1.0 with HEAD are those of a robot on plain sockets (`lab/papers/robot.ts`), which validates as libwww 4.1D did: it fetches the page and asks for the images by HEAD, four connections at once, one request on each. Requests of all rows HTTP/1.0 say so on the wire; the servers answer with HTTP/1.1, as its rules want. Nothing is printed for If-Modified-Since over HTTP/1.0, nor for Keep-Alive by the robot: the paper describes Navigator by four connections with Keep-Alive and Internet Explorer by six, in Tables 10 and 11.',
      'Claims are judged in their own strength. Words that are no figures: a factor of three begins at 2.5, halved ends at 0.6 of the time, much less at 0.5, doubled begins at 1.8, a few percent end at 10, about 16 and 12 % begin at 14 and 10. Which figures differ, and why, stands in a table of its own; `%ov` is higher by the 12 bytes of timestamps that each header has today, and what differs in `%ov of 40` follows from packets and bytes.',
      'The first visits of HTTP/1.0 have 25 to 60 KB more in print. Requests and header sections are those of the validation by HEAD, so it is the images that were received 1.2 times on the LAN and 1.5 times on the WAN, from either server, and not over HTTP/1.1: 20 to 45 full segments sent again. The paper does not say by whom; it tells of a series of TCP faults of its Solaris server, and believes its data unaffected (12). `Bandwidth savings` of a few percent are so in print only without these.',
      "What today's programs do shows as well. Our server and Node close a connection with HTTP/1.0 behind a 304, as that has no length, so Keep-Alive validates on 43 connections there. Apache and nginx keep an idle connection for 75 s here (Apache's own 5 s are over while the modem still brings what the kernel has taken, and made 16 and 24 connections of Table 11's four and six). Chromium's reload is no validation: since version 54 it asks again for the document alone and takes images that are fresh from its cache; from Apache the compressed document comes whole. Its rows stand there for what a visitor has today.",
    ],
    tables: [
      {
        title: 'What the paper concludes of them',
        columns: claimColumns,
        rows: all.flatMap(({ table, server, rows }) =>
          claimsOf(table, serverNames[server], (way, visit) =>
            way === 'browser'
              ? rowOf(rows, robotWays.keepAlive4, visit)
              : rowOfPaper(rows, way, visit),
          ),
        ),
      },
      differencesOf(all.flatMap(comparedRows)),
      imagesSentAgain(
        all
          .filter(({ table }) => table.link !== 'ppp')
          .map(({ table, server, rows }) => ({
            ...{ table, server: serverNames[server] },
            first: rowOfPaper(rows, 'HTTP/1.0 x4', 'first'),
            head: rowOfPaper(rows, 'HTTP/1.0 x4', 'revalidate'),
          })),
      ),
      ...all.flatMap((each) => visits.map((visit) => tableOf(each, visit))),
      ...ofBrowsers,
    ],
    targets: [],
  };
}

const serversOf = ({ server }: PaperTable): ServerName[] =>
  server === 'own' ? ['own'] : existsSync('/usr/sbin/apache2') ? ['apache', 'nginx'] : ['nginx'];

const onServers = (table: PaperTable, rounds: number): Promise<Measured>[] =>
  serversOf(table).map((server) => measure(table, server, rounds));

const settings: Record<LineName, LinkSettings> = links;

async function measure(table: PaperTable, server: ServerName, rounds: number): Promise<Measured> {
  const { link, rows } = table;
  const names = (Object.keys(rows) as WayOfPaper[]).map((way) => ways[way]).join(',');
  const flags = ['--links', link, '--ways', names, '--server', server, '--runs', String(rounds)];
  const ofCompare = () => compared(flags);
  const ofRobot = () =>
    byRobot({ link: settings[link], server, rounds: link === 'ppp' ? 0 : rounds });
  // On the LAN one would disturb the other.
  const [found, robot] =
    link === 'lan'
      ? [await ofCompare(), await ofRobot()]
      : await Promise.all([ofCompare(), ofRobot()]);
  return { table, server, rows: [...found, ...robot] };
}

/** The row that stands for one of the paper: HTTP/1.0 validated by HEAD. */
function rowOfPaper(rows: readonly Row[], way: WayOfPaper, visit: Visit): Row {
  const isHead = way === 'HTTP/1.0 x4' && visit === 'revalidate';
  return rowOf(rows, isHead ? robotWays.head : ways[way], visit);
}

function tableOf({ table, server, rows }: Measured, visit: Visit): Table {
  const { number, title, link, rows: printed } = table;
  const of = (way: WayOfPaper) => printed[way]?.[visit === 'first' ? 0 : 1];
  const others: Array<[name: string, way: string]> = [
    ...(visit === 'first'
      ? []
      : [['HTTP/1.0 x4, If-Modified-Since', robotWays.since] as [string, string]]),
    ['Keep-Alive x4', robotWays.keepAlive4],
    ['Keep-Alive x6', robotWays.keepAlive6],
  ];
  const oldName = visit === 'first' ? 'HTTP/1.0 x4' : 'HTTP/1.0 x4, HEAD';
  const old = of('HTTP/1.0 x4');
  return {
    title: `Table ${number}: ${title}, ${nameOf(visit)}; here ${serverNames[server]}`,
    columns,
    rows: [
      link === 'ppp'
        ? cells(oldName, undefined, rowOf(rows, robotWays.head, visit))
        : cells(oldName, old, rowOfPaper(rows, 'HTTP/1.0 x4', visit)),
      ...others.map(([name, way]) => cells(name, undefined, rowOf(rows, way, visit))),
      ...(['HTTP/1.1', 'pipelined', 'pipelined, compressed'] as const).map((way) =>
        cells(way, of(way), rowOfPaper(rows, way, visit)),
      ),
    ],
  };
}

/** One row: printed figures, if there are any, beside those measured. */
function cells(name: string, printed: Figures | undefined, row: Row): Cell[] {
  const [pa, bytes, sec, ov] = printed ?? [null, null, null, null];
  const train = row.packetsPerConnection.median;
  const headers = 40 * packets(row);
  return [
    ...[name, pa, packets(row), row.packetsUp.median, row.packetsDown.median],
    ...[bytes && bytes / 1000, payload(row) / 1000, sec, seconds(row)],
    ...[ov, row.overheadPercent.median, (100 * headers) / (payload(row) + headers)],
    ...[row.packetBytes.median, packets(row) / train, train],
  ];
}

const nameOf = (visit: Visit) => (visit === 'first' ? 'first time retrieval' : 'cache validation');

type BrowserRows = Partial<Record<ServerName, Row[]>>;

async function browserRows(): Promise<BrowserRows> {
  if (!existsSync('/usr/bin/chromium')) return {};
  const servers = tables.filter(({ link }) => link === 'ppp').flatMap(serversOf);
  const found = servers.map(async (server) => {
    const flags = ['--links', 'ppp', '--ways', 'pipelined', '--server', server, '--runs', '1'];
    return [server, await compared([...flags, '--browser', 'chromium'])] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

/** Each printed row of a table, and of the browsers' table beside it, over the one that stands for it. */
function comparedRows({ table, server, rows }: Measured): Compared[] {
  const compared = (number: number, way: string, visit: Visit, printed: Figures, row: Row) => ({
    ...{ table: number, link: table.link, server: serverNames[server], visit, way },
    ratios: {
      packets: packets(row) / printed[0],
      bytes: payload(row) / printed[1],
      seconds: seconds(row) / printed[2],
    },
    connections: packets(row) / row.packetsPerConnection.median,
  });
  const own = (Object.entries(table.rows) as Array<[WayOfPaper, [Figures, Figures]]>).flatMap(
    ([way, printed]) =>
      visits.map((visit, index) =>
        compared(table.number, way, visit, printed[index] as Figures, rowOfPaper(rows, way, visit)),
      ),
  );
  const ofBrowsers = browsers
    .filter((each) => table.link === 'ppp' && each.server === table.server)
    .flatMap(({ number, rows: printed }) =>
      Object.entries(robotOf).flatMap(([way, robot]) =>
        visits.map((visit, index) =>
          compared(number, way, visit, printed[way]?.[index] as Figures, rowOf(rows, robot, visit)),
        ),
      ),
    );
  return [...own, ...ofBrowsers];
}

/** The robot's rows that stand for browsers. */
const robotOf: Record<string, string> = {
  'Netscape Navigator': robotWays.keepAlive4,
  'Internet Explorer': robotWays.keepAlive6,
};

/** Browsers of the time with the robot on as many connections with Keep-Alive; Chromium, with nothing printed, is last. */
function browserTables(found: BrowserRows, measured: readonly Measured[]): Table[] {
  return browsers.flatMap(({ number, server: printedServer, rows: printed }) =>
    measured
      .filter(({ table }) => table.server === printedServer)
      .flatMap(({ server, rows }) =>
        visits.map((visit, index): Table => {
          const chromium = found[server]?.find(
            (row) => row.way === 'chromium' && row.visit === visit,
          );
          return {
            title: `Table ${number}: browsers over the modem, ${nameOf(visit)}; here ${serverNames[server]}`,
            columns,
            rows: [
              ...Object.entries(robotOf).map(([name, way]) =>
                cells(`${name}; here ${way}`, printed[name]?.[index], rowOf(rows, way, visit)),
              ),
              ...(chromium === undefined
                ? []
                : [
                    cells(visit === 'first' ? 'Chromium' : 'Chromium, reload', undefined, chromium),
                  ]),
            ],
          };
        }),
      ),
  );
}
