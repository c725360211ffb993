// What the paper concludes of Tables 4 to 9, in its strength: the printed ratio, the same as measured, a verdict, and what
// makes it so. A saving holds when it is reached, a range when the figure lies in it.

import { links } from '../../page-loads/links.ts';
import type { Cell, Column } from '../../result.ts';
import { browsers, type Figures, type PaperTable, type WayOfPaper } from './printed.ts';
import { packets, payload, type Row, seconds } from './rows.ts';

export const claimColumns: Column[] = [
  { name: 'table', meaning: 'of the paper', digits: 0 },
  { name: 'server', meaning: 'here', text: true },
  { name: 'claim', meaning: 'in its words, with the section', text: true },
  { name: 'printed', meaning: 'the ratio of printed figures' },
  { name: 'here', meaning: 'the same ratio' },
  {
    name: 'holds',
    meaning: 'yes or no: a saving holds when it is reached, a range when the ratio lies in it',
    text: true,
  },
  { name: 'reason', meaning: 'what makes it so', text: true },
];

type Visit = Row['visit'];
type RowOf = (way: WayOfPaper | 'browser', visit: Visit) => Row;
type Pair = [way: WayOfPaper, to: WayOfPaper | 'browser'];
type Ratio = [printed: number, here: number];

/** Connections of a page over HTTP/1.0: the page and 42 images. */
const connections = 43;
const segmentBytes = 1448;
const firstWindow = 10;

const wireBytes = ([count, bytes]: Figures) => bytes + 40 * count;
const wire = ({ bytesUp, bytesDown }: Row) => bytesUp.median + bytesDown.median;
const percentSaved = (ratio: number) => `${Math.round(100 * (1 - ratio))} %`;

/** In how many flights slow start sends what a row received. */
const flights = ({ bytesDown }: Row) =>
  Math.ceil(Math.log2(bytesDown.median / segmentBytes / firstWindow + 1));

/** Ratios are to HTTP/1.0 or, on the modem, where none is printed, to HTTP/1.1 and to a browser with Keep-Alive. */
export function claimsOf(
  { number, link, server: printedServer, rows: printed }: PaperTable,
  server: string,
  rowOf: RowOf,
): Cell[][] {
  const navigator = browsers.find((each) => each.server === printedServer)?.rows[
    'Netscape Navigator'
  ];
  const of = (way: WayOfPaper | 'browser', visit: Visit) =>
    (way === 'browser' ? navigator : printed[way])?.[visit === 'first' ? 0 : 1] as Figures;
  const ratio = (
    [way, to]: Pair,
    visit: Visit,
    was: (figures: Figures) => number,
    is: (row: Row) => number,
  ): Ratio => [
    was(of(way, visit)) / was(of(to, visit)),
    is(rowOf(way, visit)) / is(rowOf(to, visit)),
  ];
  const claim = (words: string, [was, is]: Ratio, holds: boolean, yes: string, no: string) => [
    ...[number, server, words, was, is],
    ...(holds ? ['yes', yes] : ['no', no]),
  ];
  const pa = (pair: Pair, visit: Visit) => ratio(pair, visit, ([count]) => count, packets);
  const sec = (pair: Pair, visit: Visit) => ratio(pair, visit, ([, , sec]) => sec, seconds);
  const bytes = (pair: Pair) => ratio(pair, 'first', ([, count]) => count, payload);

  const shared = 'requests and responses share segments';
  const third = pa(['pipelined', 'HTTP/1.1'], 'revalidate');
  const [validated, unbuffered] = [
    rowOf('pipelined', 'revalidate'),
    rowOf('HTTP/1.1', 'revalidate'),
  ];
  const twice = payload(validated) / payload(unbuffered) - 1;
  const notShared =
    server === 'Apache 2.4'
      ? 'requests share segments, but this server gathers only two or so of its responses in one'
      : twice > 0.05
        ? `requests and responses share segments, but ${Math.round(100 * twice)} % of the bytes are sent again by mistake, as acknowledgments take longer over the full line than TCP waits for them`
        : 'the few segments that are left are each acknowledged by themselves';
  return [
    ...(link === 'ppp' ? againstBrowser() : againstOld()),
    claim(
      'buffered, a validation is a factor of three better than HTTP/1.1 without buffers (7): packets',
      third,
      third[1] <= 1 / 2.5,
      shared,
      notShared,
    ),
    ...compression(),
  ];

  function againstBrowser(): Cell[][] {
    const pair: Pair = ['pipelined', 'browser'];
    const [first, again] = [sec(pair, 'first'), sec(pair, 'revalidate')];
    return [
      claim(
        'pipelining outperforms HTTP/1.0 on several connections under all circumstances (12): seconds of Navigator, here of Keep-Alive on four, first visit',
        first,
        first[1] < 1,
        'the line is never idle',
        'four connections keep the line as busy',
      ),
      claim(
        'and to validate',
        again,
        again[1] < 1,
        'more is sent for four connections, or for the 43 of a server that closes behind each 304',
        twice > 0.05
          ? `four connections keep so slow a line as busy, and of the pipeline ${Math.round(100 * twice)} % of the bytes are sent again by mistake, as acknowledgments take longer over the full line than TCP waits for them`
          : 'four connections keep so slow a line as busy',
      ),
    ];
  }

  function againstOld(): Cell[][] {
    const base: Pair = ['pipelined', 'HTTP/1.0 x4'];
    const [first, again] = [pa(base, 'first'), pa(base, 'revalidate')];
    const [faster, validates] = [sec(base, 'first'), sec(base, 'revalidate')];
    const serial = sec(['HTTP/1.1', 'HTTP/1.0 x4'], 'first');
    const size = ratio(
      base,
      'first',
      (figures) => wireBytes(figures) / figures[0],
      ({ packetBytes }) => packetBytes.median,
    );
    const content = bytes(base);
    const whole = ratio(base, 'first', wireBytes, wire);
    const pipelined = rowOf('pipelined', 'first');
    const sendS = (pipelined.bytesDown.median * 8) / links[link].downBitsPerSecond;
    const trains = (visit: Visit): Ratio => [
      of('pipelined', visit)[0] / (of('HTTP/1.0 x4', visit)[0] / connections),
      rowOf('pipelined', visit).packetsPerConnection.median /
        rowOf('HTTP/1.0 x4', visit).packetsPerConnection.median,
    ];
    const train = (words: string, [was, is]: Ratio) =>
      claim(
        words,
        [was, is],
        is >= 2 && is <= 10,
        `one connection in place of ${connections}, with far fewer packets`,
        is > 10
          ? `they grow by more: one connection in place of ${connections}${was > 10 ? '; the printed figures are beyond as well' : ''}`
          : 'so few packets are left',
      );
    return [
      claim(
        'pipelining saves at least a factor of two in packets (abstract, 12), first visit',
        first,
        first[1] <= 0.5,
        'no handshake and close for each image, and fewer acknowledgments by themselves',
        'acknowledgments by themselves are too many',
      ),
      claim(
        'it uses less than a tenth of the packets of HTTP/1.0 to validate (7)',
        again,
        again[1] < 0.1,
        shared,
        notShared,
      ),
      ...(link === 'wan'
        ? [
            claim(
              'and executes in much less elapsed time on a WAN (7)',
              validates,
              validates[1] <= 0.5,
              'all images take one round trip in place of eleven turns of two',
              'it takes more than half of the time',
            ),
          ]
        : []),
      claim(
        'elapsed time roughly halved on both WAN and LAN, first visit (7)',
        faster,
        faster[1] <= 0.6,
        faster[1] < 0.4
          ? 'more than halved: no round trip for each image, and windows begin with ten segments'
          : 'no round trip for each image',
        `${sendS.toFixed(2)} of ${seconds(pipelined).toFixed(2)} s are its bytes at the rate of the line, so no protocol could halve ${seconds(rowOf('HTTP/1.0 x4', 'first')).toFixed(2)} s${faster[0] > 0.6 ? '; the printed seconds of the LAN are not halved either' : ''}`,
      ),
      claim(
        'bandwidth savings of a first visit are only a few percent (7): bytes without headers of TCP and IP',
        content,
        content[1] > 0.9,
        `requests and bodies are the same; ${percentSaved(content[0])} printed, as HTTP/1.0 received bodies more than once`,
        `${percentSaved(content[1])} are more than a few`,
      ),
      claim(
        'the same with headers of TCP and IP',
        whole,
        whole[1] > 0.9,
        'bodies are most of the bytes',
        `it saves ${percentSaved(whole[1])}, the headers of handshakes, closes and acknowledgments`,
      ),
      claim(
        'HTTP/1.1 without pipelining performs worse than HTTP/1.0 on several connections (7): seconds, first visit',
        serial,
        serial[1] > 1,
        'a round trip for each image, one after the other',
        'a handshake costs no more here than the turn that it saves',
      ),
      claim(
        'the mean size of a packet roughly doubles (7), first visit',
        size,
        size[1] >= 1.8,
        size[1] > 2.4
          ? 'more than doubles: HTTP/1.0 has more packets that carry only headers than theirs had'
          : 'fewer packets carry only headers',
        'too many packets carry only headers',
      ),
      train(
        'packets of a TCP session increase between a factor of two and of ten (7), first visit',
        trains('first'),
      ),
      train('and to validate', trains('revalidate')),
    ];
  }

  function compression(): Cell[][] {
    const pair: Pair = ['pipelined, compressed', 'pipelined'];
    const [less, fewer, sooner] = [bytes(pair), pa(pair, 'first'), sec(pair, 'first')];
    const [coded, clear] = [rowOf(pair[0], 'first'), rowOf('pipelined', 'first')];
    const acks = `${coded.packetsDown.median} packets came for ${clear.packetsDown.median} without it, and ${coded.packetsUp.median} went for ${clear.packetsUp.median}: most of these are acknowledgments, whose number goes with the timing`;
    const fewerBytes = clear.bytesDown.median - coded.bytesDown.median;
    const lineMs = (fewerBytes * 8000) / links[link].downBitsPerSecond;
    return [
      claim(
        'compressing the HTML alone decreases the payload by approximately 19 % (5.1)',
        less,
        less[1] < 0.85,
        '42 KB of HTML become 11',
        'the page compresses less',
      ),
      claim(
        'compression saves about 16 % of the packets, first visit (8.2)',
        fewer,
        fewer[1] < 0.86,
        'a fifth of the bytes need no segments',
        acks,
      ),
      claim(
        'and 12 % of the elapsed time (8.2)',
        sooner,
        sooner[1] < 0.9,
        'the rate of the line sets the time',
        link === 'wan' && flights(coded) === flights(clear)
          ? `round trips set the time: ${flights(clear)} flights of slow start from ten segments with it and without it`
          : `${Math.round(fewerBytes / 1000)} KB less are ${Math.round(lineMs)} ms of the line; the rest is time of the programs`,
      ),
    ];
  }
}
