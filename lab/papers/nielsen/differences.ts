// Where measured figures of Tables 4 to 11 are away from the printed ones, and why: rows with the same
// reason share a line. What no reason is known for says so.

import type { Cell, Table } from '../../result.ts';
import { spreadOf } from '../../spread.ts';

export interface Compared {
  table: number;
  link: 'lan' | 'wan' | 'ppp';
  server: string;
  visit: 'first' | 'revalidate';
  /** As the paper calls it. */
  way: string;
  /** Here over printed, by figure. */
  ratios: { packets: number; bytes: number; seconds: number };
  /** Connections here. */
  connections: number;
}

type Figure = keyof Compared['ratios'];
type Reason = [figure: Figure, applies: (row: Compared) => boolean, why: string];

const isOld = ({ way }: Compared) => way === 'HTTP/1.0 x4';
const isBrowser = ({ table }: Compared) => table > 9;
const validates = ({ visit }: Compared) => visit === 'revalidate';
const isApache = ({ server }: Compared) => server === 'Apache 2.4';
const comesWhole = (row: Compared) =>
  isApache(row) && validates(row) && row.way === 'pipelined, compressed';
const isMore = ({ ratios }: Compared, figure: Figure) => ratios[figure] > 1;
const closes304 = (row: Compared) => validates(row) && row.connections > 40;

/** The first that applies is the reason. */
const reasons: Reason[] = [
  [
    'packets',
    (row) => isOld(row) && isMore(row, 'packets'),
    'Linux acknowledges each segment while a connection is new, and all 43 are new',
  ],
  [
    'packets',
    (row) => isBrowser(row) && closes304(row) && isMore(row, 'packets'),
    'our server closes behind each 304 of HTTP/1.0, as that has no length, so that 43 connections are needed',
  ],
  [
    'packets',
    (row) => validates(row) && isApache(row) && !isBrowser(row) && isMore(row, 'packets'),
    'Apache 2.4 gathers only two or so of its 304s in a segment; what it compressed comes whole, as it does not know its validator again',
  ],
  [
    'packets',
    (row) => validates(row) && row.way === 'HTTP/1.1' && !isMore(row, 'packets'),
    "one packet carries a request and one its response; of 133 packets printed each exchange had three: Jigsaw's answers were slower than a delayed acknowledgment, or came in two",
  ],
  [
    'packets',
    (row) => validates(row) && row.link === 'ppp' && isMore(row, 'packets'),
    'segments are sent again by mistake, as acknowledgments take longer over the full line than TCP waits for them',
  ],
  [
    'packets',
    (row) => validates(row) && !isMore(row, 'packets'),
    'the server gathers more of its 304s in a segment than then',
  ],
  [
    'packets',
    (row) => row.link === 'ppp' && isMore(row, 'packets'),
    'on so slow a line each segment is acknowledged by itself; and some are sent again by mistake, as acknowledgments take longer over the full line than TCP waits for them',
  ],
  [
    'packets',
    (row) => !validates(row) && isMore(row, 'packets'),
    'the client sends more acknowledgments (up), whose number goes with the timing',
  ],
  [
    'bytes',
    (row) => isOld(row) && !validates(row) && !isMore(row, 'bytes'),
    'printed, the images came 1.2 to 1.5 times: the next table',
  ],
  [
    'bytes',
    comesWhole,
    "Apache marks the validator of what it compressed with `-gzip`, and does not know it again: the page's 11 KB come whole",
  ],
  [
    'bytes',
    (row) =>
      isBrowser(row) && validates(row) && row.way === 'Internet Explorer' && row.table === 10,
    "Internet Explorer fetched the page again: 61.0 KB are the robot's by HEAD",
  ],
  [
    'bytes',
    (row) => isBrowser(row) && validates(row) && !isMore(row, 'bytes'),
    'requests of these browsers were longer than 190 bytes (4.1), and 304s of today are shorter',
  ],
  [
    'bytes',
    (row) => validates(row) && isMore(row, 'bytes') && row.link === 'ppp',
    'a 304 has 181 bytes of nginx and 229 of Apache 2.4, with Server, Last-Modified and ETag: with its request 402 and 479, where 326 are printed; and on the modem some are sent again by mistake',
  ],
  [
    'bytes',
    (row) => validates(row) && isMore(row, 'bytes'),
    'a 304 has 181 bytes of nginx and 229 of Apache 2.4, with Server, Last-Modified and ETag: with its request 402 and 479, where 326 are printed',
  ],
  [
    'bytes',
    (row) => validates(row) && !isMore(row, 'bytes'),
    "our server's 304 has 88 bytes, ETag and Date: with its request 312, where 411 are printed",
  ],
  [
    'seconds',
    (row) => row.link === 'lan' && !isMore(row, 'seconds'),
    'machines of 1997 took 9 to 29 ms for a request and its response (HTTP/1.1 in Tables 4 and 5); here the bytes at the rate of the line are most of the time',
  ],
  [
    'seconds',
    (row) => row.link === 'wan' && !isMore(row, 'seconds'),
    'windows begin with ten segments in place of one or two, no segment waits for a delayed acknowledgment of 200 ms, and machines are faster',
  ],
  [
    'seconds',
    (row) => row.link === 'ppp' && validates(row) && isMore(row, 'seconds'),
    'as much more is sent (KB)',
  ],
  [
    'seconds',
    (row) => row.link === 'ppp' && validates(row) && !isMore(row, 'seconds'),
    'nobody waits for the programs, and where KB are fewer they take less time',
  ],
];

const names: Record<Figure, string> = { packets: 'Pa', bytes: 'KB', seconds: 'Sec' };
/** Smaller differences are those of days and machines. */
const least: Record<Figure, number> = { packets: 1.2, bytes: 1.1, seconds: 1.2 };

export function differencesOf(rows: readonly Compared[]): Table {
  const found = (Object.keys(names) as Figure[]).flatMap((figure) =>
    rows
      .filter(({ ratios }) => Math.max(ratios[figure], 1 / ratios[figure]) >= least[figure])
      .map((row) => ({ figure, row, why: whyOf(figure, row) })),
  );
  const groups = Map.groupBy(found, ({ figure, row, why }) => `${figure} ${row.visit} ${why}`);
  return {
    title: 'What differs from the printed figures by a fifth or more, KB by a tenth, and why',
    columns: [
      { name: 'figure', meaning: 'that differs: a column of the tables below', text: true },
      { name: 'visit', meaning: 'first visit or validation', text: true },
      { name: 'rows', meaning: 'of the tables', text: true },
      { name: 'tables', meaning: 'in which it differs, with the server here', text: true },
      { name: 'here / printed', meaning: 'median and extremes over these tables' },
      { name: 'why', meaning: 'what makes the difference', text: true },
    ],
    rows: [...groups.values()].map((group): Cell[] => {
      const [{ figure, row, why }] = group as [(typeof group)[number]];
      return [
        ...[names[figure], validates(row) ? 'validation' : 'first'],
        listOf(group.map(({ row: { way } }) => way)),
        listOf(group.map(({ row: { table, server } }) => `${table} ${server}`)),
        spreadOf(group.map(({ row: { ratios } }) => ratios[figure])),
        why,
      ];
    }),
  };
}

const listOf = (names: readonly string[]) => [...new Set(names)].join('; ');

function whyOf(figure: Figure, row: Compared): string {
  const known = reasons.find(([of, applies]) => of === figure && applies(row));
  return known?.[2] ?? 'no reason is known';
}
