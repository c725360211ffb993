// The claims of figures 2 to 8 that do not hold with the machines and kernels of today (claims.ts), each measured as today
// and in the shape of then that makes it hold: one thing is changed at a time.

import { links } from '../page-loads/links.ts';
import type { Cell, Column, Table } from '../result.ts';
import { formatSpread, spreadOf } from '../spread.ts';
import { type SingleShape, type SingleTimes, savedBy, singleLoads } from './single-loads.ts';
import { type Throughput, throughputs, type WindowSetting } from './throughput.ts';

const kib = 1024;
const window16: WindowSetting = { name: '16 KB', windowBytes: 16 * kib };
const window8: WindowSetting = { name: '8 KB', windowBytes: 8 * kib, firstWindow: 1 };
const lengths = [2, 20, 1000].map((size) => size * kib);

/** What the server of then worked for each connection, ms, so that figure 3 comes out (3.2). */
const connectionMs = 3;
/** What the client of then worked for each image, ms. */
const workMs = 20;
/** A T1 of which others take half. */
const sharedT1 = {
  ...links.t1,
  ...{ name: 'half a T1', downBitsPerSecond: 0.772e6, upBitsPerSecond: 0.772e6 },
};

interface Judged {
  says: string;
  within: readonly [least: number, most: number];
  today: readonly number[];
  shaped: readonly number[];
  shape: string;
  reason: string;
}

const columns: Column[] = [
  { name: 'the paper', meaning: 'what it says', text: true },
  { name: 'holds when', meaning: 'the share that is judged, by its median', text: true },
  { name: 'today', meaning: 'as measured with what a kernel does by itself', text: true },
  { name: 'shape of then', meaning: 'what is changed, and nothing else', text: true },
  { name: 'in this shape', meaning: 'as measured so', text: true },
  { name: 'verdict', meaning: 'whether it holds in this shape', text: true },
  { name: 'reason', meaning: 'why it does not hold today', text: true },
];

export async function shapesTable(rounds: number, say: (line: string) => void): Promise<Table> {
  const judged = [...(await connections(rounds, say)), ...(await pages(rounds, say))];
  const rows = judged.map(({ says, within, today, shaped, shape, reason }): Cell[] => {
    const [least, most] = within;
    const { median } = spreadOf(shaped);
    const holds = median >= least && median <= most;
    return [
      ...[says, `${percent(least)} to ${percent(most)}`, percents(today), shape, percents(shaped)],
      ...[holds ? 'holds' : '**does not hold**', reason],
    ];
  });
  return { title: 'What does not hold today, and the shape that makes it hold', columns, rows };
}

async function connections(rounds: number, say: (line: string) => void): Promise<Judged[]> {
  say('throughput of 2 and 20 KB');
  const quiet = () => {};
  const firstOfOne = { ...window16, firstWindow: 1 };
  const remote = await throughputs(links.t1, rounds, quiet, { windows: [firstOfOne], lengths });
  const narrow = await throughputs(links.t1, rounds, quiet, { windows: [window8], lengths });
  const local = { windows: [window16], lengths };
  const free = await throughputs(links.lan, rounds, quiet, local);
  const busy = await throughputs(links.lan, rounds, quiet, { ...local, connectionMs });
  return [
    {
      says: 'remote: 20 KB get about 50 % of the throughput with a reasonable window',
      within: [0.4, 0.6],
      today: shares(remote, 20),
      shaped: shares(narrow, 20),
      shape: 'window of 8 KB in place of 16 KB, first window 1 in both',
      reason:
        'the share is of the best that the window allows: 8 KB in 70 ms are 117 kB/s, 16 KB fill the T1 with 193 kB/s; the 20 KB take as long in both',
    },
    ...[2, 20].map((kB) => ({
      says: `local: ${kB} KB get about ${kB === 2 ? 25 : 70} % of capacity`,
      within: (kB === 2 ? [0.15, 0.35] : [0.6, 0.8]) as [number, number],
      today: shares(free, kB),
      shaped: shares(busy, kB),
      shape: `a server that works ${connectionMs} ms for each connection`,
      reason: `a connection costs ${perConnection(free)} ms beside its bytes here, and ${perConnection(busy)} ms in this shape: the processors of 1994 were the limit, not the line`,
    })),
  ];
}

async function pages(rounds: number, say: (line: string) => void): Promise<Judged[]> {
  const measure = (shape: SingleShape) => {
    const { link, images, imageBytes } = shape;
    say(`${link.name}: ${images} images of ${imageBytes} B, ${shape.workMs} ms of work for each`);
    return singleLoads(shape, rounds);
  };
  const small = { link: links.t1, imageBytes: 2_544, images: 10, workMs: 0 };
  const large = { ...small, imageBytes: 45_566 };
  const local = { ...small, link: links.lan };
  const [free, busy] = [await measure(small), await measure({ ...small, workMs })];
  const [whole, half] = [await measure(large), await measure({ ...large, link: sharedT1 })];
  const [near, nearBusy] = [await measure(local), await measure({ ...local, workMs })];
  return [
    {
      says: 'remote, 2,544 B: more than half of what is saved comes from pipelining',
      within: [0.5, 1],
      today: pipeliningShare(free),
      shaped: pipeliningShare(busy),
      shape: `a client that works ${workMs} ms on each image before it goes on`,
      reason:
        'of 10 images one connection saves 10 round trips and the pipeline 9, as the first request waits for the HTML: less than half, however far; a pipeline also hides the work of a slow client behind the next image',
    },
    {
      says: 'remote, 45,566 B: about 22 % is saved',
      within: [0.17, 0.27],
      today: savedBy(whole, 'pipelined'),
      shaped: savedBy(half, 'pipelined'),
      shape: 'half of the T1, as if others used the rest',
      reason:
        'an image costs two round trips, 140 ms, beside 248 ms of a T1 or 495 ms of half a T1: his line was shared, and gave less than its rate',
    },
    {
      says: 'local, without pipelining: 5 to 15 % is saved',
      within: [0.05, 0.15],
      today: savedBy(near, 'long-lived'),
      shaped: savedBy(nearBusy, 'long-lived'),
      shape: `a client that works ${workMs} ms on each image before it goes on`,
      reason:
        'nothing but connections and bytes takes time here, so that a connection is much of it; with images of 12,000 B it is 11 % as it is',
    },
  ];
}

/** Shares of the throughput of the longest connection, round by round. */
function shares(all: readonly Throughput[], kB: number): number[] {
  const of = (bytes: number) => all.find((one) => one.bytes === bytes)?.kBPerS ?? [];
  const best = spreadOf(of(lengths.at(-1) as number)).median;
  return of(kB * kib).map((kBPerS) => kBPerS / best);
}

/** Time of 2 KB that its bytes at the best rate do not explain, ms. */
function perConnection(all: readonly Throughput[]): string {
  const rates = lengths.map((bytes) => {
    const one = all.find((each) => each.bytes === bytes);
    return spreadOf(one?.kBPerS ?? []).median;
  });
  const [short = 1, , best = 1] = rates;
  return ((lengths[0] as number) * (1 / short - 1 / best)).toFixed(1);
}

function pipeliningShare(times: SingleTimes): number[] {
  const kept = savedBy(times, 'long-lived');
  return savedBy(times, 'pipelined').map((all, round) => 1 - (kept[round] as number) / all);
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;
const percents = (all: readonly number[]): string =>
  `${formatSpread(spreadOf(all.map((share) => 100 * share)), 0)} %`;
