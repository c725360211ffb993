// What the paper concludes of Tables 4 to 9, each as a ratio: printed, and as measured here.

import type { Cell, Column } from '../../result.ts';
import type { Figures, PaperTable, WayOfPaper } from './printed.ts';
import { packets, payload, type Row, seconds } from './rows.ts';

export const claimColumns: Column[] = [
  { name: 'table', meaning: 'of the paper', digits: 0 },
  { name: 'server', meaning: 'here', text: true },
  { name: 'claim', meaning: 'in its words or figures', text: true },
  { name: 'printed', meaning: 'the ratio as printed, or of printed figures' },
  { name: 'here', meaning: 'the same ratio' },
  { name: 'holds', meaning: 'yes or no', text: true },
  { name: 'reason', meaning: 'what makes it so', text: true },
];

type RowOf = (way: WayOfPaper, visit: Row['visit']) => Row;
type Ratio = [printed: number, here: number];

/** Connections of a page over HTTP/1.0: the page and 42 images. */
const connections = 43;

const shared = 'requests and responses share segments';
const gathersFew = 'requests share segments, but this server gathers only a few responses in one';
const acknowledged =
  'requests and responses share segments, and on so slow a line each of the few is acknowledged by itself';

/** Ratios are to HTTP/1.0 or, on the modem, where there is none, to HTTP/1.1. */
export function claimsOf(
  { number, rows: printed }: PaperTable,
  server: string,
  rowOf: RowOf,
): Cell[][] {
  const notShared = server === 'Apache 2.4' ? gathersFew : acknowledged;
  const base: WayOfPaper = printed['HTTP/1.0 x4'] === undefined ? 'HTTP/1.1' : 'HTTP/1.0 x4';
  const of = (way: WayOfPaper, visit: Row['visit']) =>
    printed[way]?.[visit === 'first' ? 0 : 1] as Figures;
  const ratio = (
    [way, to]: [WayOfPaper, WayOfPaper],
    visit: Row['visit'],
    was: (figures: Figures) => number,
    is: (row: Row) => number,
  ): Ratio => [
    was(of(way, visit)) / was(of(to, visit)),
    is(rowOf(way, visit)) / is(rowOf(to, visit)),
  ];
  const claim = (words: string, [was, is]: Ratio, holds: boolean, reason: string): Cell[] => [
    ...[number, server, words, was, is],
    ...[holds ? 'yes' : 'no', reason],
  ];
  const pa = (pair: [WayOfPaper, WayOfPaper], visit: Row['visit']) =>
    ratio(pair, visit, ([packetsPrinted]) => packetsPrinted, packets);
  const sec = (pair: [WayOfPaper, WayOfPaper], visit: Row['visit']) =>
    ratio(pair, visit, ([, , secondsPrinted]) => secondsPrinted, seconds);
  const pipelined: [WayOfPaper, WayOfPaper] = ['pipelined', base];
  const size = ratio(
    pipelined,
    'first',
    ([count, bytes, , overhead]) => bytes / (1 - overhead / 100) / count,
    ({ packetBytes }) => packetBytes.median,
  );
  const bytes = ratio(
    ['pipelined, compressed', 'pipelined'],
    'first',
    ([, bytesPrinted]) => bytesPrinted,
    payload,
  );
  const [first, again] = [pa(pipelined, 'first'), pa(pipelined, 'revalidate')];
  const [faster, validated] = [sec(pipelined, 'first'), sec(pipelined, 'revalidate')];
  const third = pa(['pipelined', 'HTTP/1.1'], 'revalidate');
  const fewSyns =
    base === 'HTTP/1.1' ? 'ACKs travel with data' : 'no handshake and close for each image';
  return [
    claim(`pipelining takes fewer packets than ${base}, first visit`, first, first[1] < 1, fewSyns),
    ...(base === 'HTTP/1.1'
      ? []
      : [
          claim(
            'and less than a tenth to validate',
            again,
            again[1] < 0.1,
            again[1] < 0.1 ? shared : notShared,
          ),
        ]),
    claim(
      'a validation takes a third of the packets of HTTP/1.1 without buffers',
      third,
      third[1] < 0.4,
      third[1] < 0.4 ? shared : notShared,
    ),
    claim(
      `it is faster than ${base}, first visit`,
      faster,
      faster[1] < 1,
      'no round trip for each image',
    ),
    claim('and to validate', validated, validated[1] < 1, 'the same'),
    ...(base === 'HTTP/1.1' ? [] : ofOneConnection()),
    claim(
      'compressing the HTML alone saves about 19 % of the bytes',
      bytes,
      bytes[1] < 0.85,
      '42 KB of HTML become 11',
    ),
  ];

  function ofOneConnection(): Cell[][] {
    const slower = sec(['HTTP/1.1', base], 'first');
    const trains = (visit: Row['visit']): Ratio => [
      of('pipelined', visit)[0] / (of(base, visit)[0] / connections),
      rowOf('pipelined', visit).packetsPerConnection.median /
        rowOf(base, visit).packetsPerConnection.median,
    ];
    const [long, longAgain] = [trains('first'), trains('revalidate')];
    return [
      claim(
        'one persistent connection without pipelining is slower than four',
        slower,
        slower[1] > 1,
        'a round trip for each image, one after the other',
      ),
      claim(
        'the mean size of a packet doubles',
        size,
        size[1] > 1.8,
        'fewer packets carry only headers',
      ),
      claim(
        'packet trains become 2 to 10 times as long, first visit',
        long,
        long[1] > 2,
        'all packets are of one connection in place of 43',
      ),
      claim('and to validate', longAgain, longAgain[1] > 2, 'the same, with far fewer packets'),
    ];
  }
}
