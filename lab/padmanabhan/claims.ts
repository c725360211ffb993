// What the paper says of its figures 2 to 8 in words (Padmanabhan 1995, 3.2, 4 and 6), beside what was measured: pure.

import { formatSpread, type Spread, spreadOf } from '../spread.ts';
import { type Exchange, exchangeWays } from './exchanges.ts';
import { type Latency, savedShares } from './latency.ts';
import type { Throughput } from './throughput.ts';

export interface Claim {
  says: string;
  /** Why it may not hold today; the bench `papers-padmanabhan` measures it, and the shape in which it holds. */
  whyNot?: string;
  /** When it counts as true here. */
  rule: string;
  measured: string;
  holds: boolean;
}

export interface Measured {
  remote: readonly Throughput[];
  local: readonly Throughput[];
  remoteLoads: readonly Latency[];
  localLoads: readonly Latency[];
  visits: readonly Exchange[];
}

const small = 2_544;
const large = 45_566;
/** A moderate number of images. */
const images = 10;

const whyNot = {
  window: 'the best is that of 16 KB, which fill the T1; of the best with 8 KB it is about 45 %',
  processor:
    'a connection costs a processor of today less; it holds if the server works 3 ms for each',
  halves:
    'the pipeline saves a round trip less than the connection; it holds if the client works 20 ms on each image',
  rate: 'his line was shared: over half a T1 about 21 % is saved, and over a whole one with two images',
  machines:
    'nothing but connections and bytes takes time; it holds if the client works 20 ms on each image',
};

export function claimsOf({ remote, local, remoteLoads, localLoads, visits }: Measured): Claim[] {
  return [
    twoForFour(visits),
    fewerPackets(visits),
    part(remote, 2, 'remote: 2 KB get less than 10 % of the best throughput', [0, 0.1]),
    {
      ...part(remote, 20, 'remote: 20 KB get about 50 %', [0.4, 0.6]),
      whyNot: whyNot.window,
    },
    {
      ...part(local, 2, 'local: 2 KB get about 25 % of capacity', [0.15, 0.35]),
      whyNot: whyNot.processor,
    },
    {
      ...part(local, 20, 'local: 20 KB get about 70 %', [0.6, 0.8]),
      whyNot: whyNot.processor,
    },
    smallWindow(remote),
    saved(remoteLoads, small, 'pipelined', 'remote, 2,544 B: more than half is saved', [0.5, 1]),
    { ...fromPipelining(remoteLoads), whyNot: whyNot.halves },
    {
      ...saved(
        remoteLoads,
        large,
        'pipelined',
        'remote, 45,566 B: about 22 % is saved',
        [0.12, 0.32],
      ),
      whyNot: whyNot.rate,
    },
    {
      ...saved(
        localLoads,
        small,
        'long-lived',
        'local, without pipelining: 5 to 15 %',
        [0.05, 0.15],
      ),
      whyNot: whyNot.machines,
    },
    smallImagesGain(remoteLoads),
  ];
}

function eachAndOpen(all: readonly Exchange[], value: (visit: Exchange) => number) {
  const [each = 0, open = 0] = exchangeWays.map(
    ({ name }) => spreadOf(all.filter(({ way }) => way === name).map(value)).median,
  );
  return { each, open };
}

function twoForFour(all: readonly Exchange[]): Claim {
  const { each, open } = eachAndOpen(all, ({ roundTripsToImage }) => roundTripsToImage);
  return {
    says: 'figure 4: the first image arrives after two round trips rather than four',
    rule: 'two less, by whole round trips',
    measured: `${open.toFixed(1)} rather than ${each.toFixed(1)}`,
    holds: Math.floor(each) === 4 && Math.floor(open) === 2,
  };
}

function fewerPackets(all: readonly Exchange[]): Claim {
  const { each, open } = eachAndOpen(all, ({ packets }) => packets.length);
  return {
    says: 'figure 4: the total number of packets is much smaller',
    rule: 'at most two thirds',
    measured: `${open} rather than ${each}`,
    holds: open <= (2 / 3) * each,
  };
}

/** As the paper's machines sent: the first window is one segment. */
export const asThen = '16 KB, first window 1';

function medianOf(all: readonly Throughput[], window: string, kB: number): number {
  const found = all.find((one) => one.window === window && one.bytes === kB * 1024);
  return spreadOf(found?.kBPerS ?? []).median;
}

function best(all: readonly Throughput[]): number {
  return Math.max(...all.map(({ kBPerS }) => spreadOf(kBPerS).median));
}

function part(
  all: readonly Throughput[],
  kB: number,
  says: string,
  [least, most]: readonly [number, number],
): Claim {
  const share = (window: string) => medianOf(all, window, kB) / best(all);
  const then = share(asThen);
  return {
    says,
    rule: `${percent(least)} to ${percent(most)} with a first window of 1`,
    measured: `${percent(then)}; ${percent(share('16 KB'))} with a first window of 10`,
    holds: then >= least && then <= most,
  };
}

function smallWindow(all: readonly Throughput[]): Claim {
  const largest = Math.max(...all.map(({ bytes }) => bytes)) / 1024;
  const share = medianOf(all, '4 KB', largest) / best(all);
  return {
    says: 'remote: too small a window limits the throughput, whatever the length',
    rule: '4 KB of window get less than half, at the greatest length',
    measured: percent(share),
    holds: share < 0.5,
  };
}

function saved(
  all: readonly Latency[],
  imageBytes: number,
  way: string,
  says: string,
  [least, most]: readonly [number, number],
): Claim {
  const shares = spreadOf(savedShares(all, { imageBytes, images }, way));
  return {
    says,
    rule: `${percent(least)} to ${percent(most)} for ${images} images`,
    measured: percents(shares),
    holds: shares.median >= least && shares.median <= most,
  };
}

function fromPipelining(all: readonly Latency[]): Claim {
  const page = { imageBytes: small, images };
  const [kept, piped] = ['long-lived', 'pipelined'].map((way) => savedShares(all, page, way));
  const parts = (piped ?? []).map((share, round) => (share - (kept?.[round] ?? 0)) / share);
  const share = spreadOf(parts);
  return {
    says: 'remote, 2,544 B: more than half of that comes from pipelining',
    rule: `more than half of what is saved for ${images} images`,
    measured: percents(share),
    holds: share.median > 0.5,
  };
}

function smallImagesGain(all: readonly Latency[]): Claim {
  const of = (imageBytes: number) =>
    spreadOf(savedShares(all, { imageBytes, images }, 'pipelined')).median;
  return {
    says: 'the benefit is greatest for small images',
    rule: `2,544 B gain more than 45,566 B, ${images} images, remote`,
    measured: `${percent(of(small))} and ${percent(of(large))}`,
    holds: of(small) > of(large),
  };
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

function percents({ median, min, max, runs }: Spread): string {
  const of = (share: number) => 100 * share;
  return `${formatSpread({ median: of(median), min: of(min), max: of(max), runs }, 0)} %`;
}
