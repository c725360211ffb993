// The hold time that follows the load (Hauck 1994, 4), as a picture: clients come and go at our server, and the time that
// it grants and the lines that it holds are read four times a second.

import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hauckDir } from '../../fixtures/index.ts';
import { createOrigin, holdLine } from '../../server/index.ts';
import { toSvg } from '../prefetchd/charts/svg.ts';
import { randomOf } from '../prefetchd/random.ts';
import type { DrawnChart } from '../result.ts';

/** The server's defaults, which the picture marks. */
const thresholds = { minimum: 250, threshold: 500 };
/** Clients that come in a second, from a time on, s. */
const rates: ReadonlyArray<[fromS: number, perSecond: number]> = [
  [0, 10],
  [15, 60],
  [35, 150],
  [55, 15],
];
const endS = 90;
/** Mean time after which a client leaves, if the server has not closed its line, s. */
const staysS = 40;

interface Reading {
  s: number;
  held: number;
  seconds: number;
  arrivals: number;
}

export interface HoldTimes {
  readings: Reading[];
  granted: number;
  refused: number;
  closedEarly: number;
}

export async function holdTimes(say: (line: string) => void): Promise<HoldTimes> {
  say(`hold time by load, ${endS} s`);
  const lines = holdLine();
  const origin = createOrigin(join(hauckDir, 'document1'), { handlers: [lines] });
  const { port } = await origin.listen();
  const random = randomOf(1994);
  const rateAt = (s: number) => rates.findLast(([fromS]) => fromS <= s)?.[1] ?? 0;
  const startedAt = performance.now();
  const now = () => (performance.now() - startedAt) / 1000;
  const readings: Reading[] = [];
  const clients = new Set<Promise<void>>();
  const ending = new AbortController();
  const visit = (): void => {
    const visiting = client(port, -Math.log(1 - random()) * staysS, ending.signal);
    clients.add(visiting);
    void visiting.finally(() => clients.delete(visiting));
  };
  let owed = 0;
  for (let before = 0; now() < endS; ) {
    const s = now();
    owed += (s - before) * rateAt(s);
    before = s;
    for (; owed >= 1; owed--) visit();
    const { held, seconds } = lines.stats();
    if (s >= readings.length / 4) readings.push({ s, held, seconds, arrivals: rateAt(s) });
    await sleep(10);
  }
  ending.abort();
  await Promise.all(clients);
  const { granted, refused, closedEarly } = lines.stats();
  await origin.close();
  return { readings, granted, refused, closedEarly };
}

/** Asks for a document with Hold-Line, and stays until the server closes the line or its own time is over. */
async function client(port: number, seconds: number, signal: AbortSignal): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.resume();
  socket.write('GET / HTTP/1.0\r\nHold-Line: 20\r\n\r\n');
  const leave = () => socket.destroy();
  const timer = setTimeout(leave, 1000 * seconds);
  signal.addEventListener('abort', leave);
  await once(socket, 'close').catch(() => {});
  clearTimeout(timer);
  signal.removeEventListener('abort', leave);
}

type Spec = Parameters<typeof toSvg>[0];

export async function holdTimeChart({ readings }: HoldTimes): Promise<DrawnChart> {
  return {
    file: 'hauck-hold-time.svg',
    alt: 'time granted to a line, lines held, and clients that come in a second: above 500 held lines the time falls from 20 to 1 s, and rises again when fewer than 250 are held',
    svg: await toSvg(spec(readings)),
  };
}

function spec(readings: readonly Reading[]): Spec {
  const x = { field: 's', type: 'quantitative', title: 'seconds' };
  const panel = (field: keyof Reading, title: string, color: string, height: number) => ({
    ...{ width: 560, height },
    mark: { type: 'line', interpolate: 'step-after', color },
    encoding: { x, y: { field, type: 'quantitative', title } },
  });
  const held = panel('held', 'held lines', '#1b6ec2', 180);
  const rule = (y: number, text: string) => [
    {
      data: { values: [{ y }] },
      mark: { type: 'rule', strokeDash: [4, 3], color: '#d95f02' },
      encoding: { y: { field: 'y', type: 'quantitative' } },
    },
    {
      data: { values: [{ y, text, s: 0 }] },
      mark: { type: 'text', align: 'left', baseline: 'bottom', dx: 4, fontSize: 11 },
      encoding: {
        x: { field: 's', type: 'quantitative' },
        y: { field: 'y', type: 'quantitative' },
        text: { field: 'text', type: 'nominal' },
      },
    },
  ];
  const { width, height, mark, encoding } = held;
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: {
      ...{ text: 'The hold time follows the load (Hauck 1994, 4)', anchor: 'start' },
      ...{ subtitle: 'our server with its defaults, clients over loopback', subtitleColor: '#555' },
    },
    background: 'white',
    config: { font: 'sans-serif', axis: { labelFontSize: 12, titleFontSize: 13 } },
    data: { values: readings },
    vconcat: [
      panel('seconds', 'granted, s', '#5e8c00', 120),
      {
        ...{ width, height },
        layer: [
          { mark, encoding },
          ...rule(thresholds.threshold, 'above 500: less time'),
          ...rule(thresholds.minimum, 'below 250: more time'),
        ],
      },
      panel('arrivals', 'clients / s', '#7570b3', 70),
    ],
  } as Spec;
}
