// The picture that shows a stall (Heidemann 1996, figures 1 and 3): payload against time, packet by packet, of one visit
// to a server with the faults and of one to a server without them.

import { join } from 'node:path';
import {
  connectionsOf,
  readTrace,
  type Stall,
  stallsOf,
  type TracedPacket,
} from '../link/trace.ts';
import { links } from '../page-loads/links.ts';
import { toSvg } from '../prefetchd/charts/svg.ts';
import type { DrawnChart } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { asIn1996, clientOf1996 } from './client-of-1996.ts';
import { Place } from './place.ts';
import { fixtures, images } from './rounds.ts';

const servers = [
  { name: 'split headers, Nagle, 4 KB writes', study: 'split-headers,nagle,small-buffers' },
  { name: 'none of them', study: '' },
];
const leastStallMs = 30;

interface Point {
  server: string;
  ms: number;
  kB: number;
}

interface Sequence {
  sent: Point[];
  acknowledged: Point[];
  stalls: Array<{ server: string; fromMs: number; toMs: number }>;
}

export async function sequenceChart(say: (line: string) => void): Promise<DrawnChart> {
  say('sequence of packets');
  using scratch = new Scratch();
  const traceFile = join(scratch.path, 'trace');
  await using place = await Place.open({ ...links.lan, traceFile, ...clientOf1996 }, fixtures);
  await asIn1996(place.link);
  const sequences: Sequence[] = [];
  for (const { name, study } of servers) {
    await place.visit(study, { paths: images });
    const before = readTrace(traceFile).length;
    await place.visit(study, { paths: images });
    await place.link.counts();
    // The end of the connection before is among them.
    const connections = connectionsOf(readTrace(traceFile).slice(before));
    const packets = connections.find(([first]) => first?.isSyn) ?? [];
    sequences.push(sequenceOf(name, packets));
  }
  return {
    file: 'tcp-stalls.svg',
    alt: 'payload against time of 42 images, one after the other on one connection: with the faults of 1996 the server waits again and again for a delayed acknowledgment, without them it never does',
    svg: await toSvg(spec(sequences)),
  };
}

function sequenceOf(server: string, packets: readonly TracedPacket[]): Sequence {
  const startMs = packets[0]?.atMs ?? 0;
  const first = packets.find(({ direction, dataBytes }) => direction === 'down' && dataBytes > 0);
  const kBAt = (sequence: number) => ((sequence - (first?.seq ?? 0)) >>> 0) / 1000;
  const data = packets.filter(({ direction, dataBytes }) => direction === 'down' && dataBytes > 0);
  const acks = packets.filter(
    ({ direction, atMs }) => direction === 'up' && atMs > (first?.atMs ?? 0),
  );
  return {
    sent: data.map(({ atMs, seq, dataBytes }) => ({
      ...{ server, ms: atMs - startMs },
      kB: kBAt(seq + dataBytes),
    })),
    acknowledged: acks.map(({ atMs, ack }) => ({ server, ms: atMs - startMs, kB: kBAt(ack) })),
    stalls: stallsOf(packets, leastStallMs).map(({ fromMs, toMs }: Stall) => ({
      ...{ server, fromMs: fromMs - startMs, toMs: toMs - startMs },
    })),
  };
}

type Spec = Parameters<typeof toSvg>[0];

function spec(sequences: readonly Sequence[]): Spec {
  const rows = [
    ...sequences.flatMap(({ sent }) => sent.map((one) => ({ ...one, what: 'sent by the server' }))),
    ...sequences.flatMap(({ acknowledged }) =>
      acknowledged.map((one) => ({ ...one, what: 'acknowledgment arrives' })),
    ),
    ...sequences.flatMap(({ stalls }) =>
      stalls.map(({ server, fromMs, toMs }) => ({
        ...{ server, ms: fromMs, toMs, what: 'server waits, with more to send' },
      })),
    ),
  ];
  const what = ['sent by the server', 'acknowledgment arrives', 'server waits, with more to send'];
  const colors = ['#1b6ec2', '#5e8c00', '#f3b1a6'];
  const color = {
    ...{
      field: 'what',
      type: 'nominal',
      title: null,
      legend: { orient: 'top', labelLimit: 0, labelFontSize: 12 },
    },
    scale: { domain: what, range: colors },
  };
  const x = { field: 'ms', type: 'quantitative', title: 'ms since the connection began to open' };
  const y = { field: 'kB', type: 'quantitative', title: 'payload, kB' };
  const only = (one: string | undefined) => [{ filter: `datum.what === '${one}'` }];
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: {
      ...{
        text: 'Forty-two images, one after the other on one connection, packet by packet',
        anchor: 'start',
      },
      ...{ subtitle: 'LAN of 10 Mbit/s, first window of two segments', subtitleColor: '#555' },
    },
    background: 'white',
    config: { font: 'sans-serif', axis: { labelFontSize: 12, titleFontSize: 13 } },
    data: { values: rows },
    facet: {
      row: {
        ...{ field: 'server', type: 'nominal', title: null, sort: servers.map(({ name }) => name) },
        header: { labelOrient: 'top', labelAnchor: 'start', labelFontSize: 13 },
      },
    },
    spec: {
      ...{ width: 560, height: 200 },
      layer: [
        {
          transform: only(what[2]),
          mark: { type: 'rect' },
          encoding: { x, x2: { field: 'toMs' }, color },
        },
        {
          transform: only(what[1]),
          mark: { type: 'line', interpolate: 'step-after' },
          encoding: { x, y, color },
        },
        {
          transform: only(what[0]),
          mark: { type: 'point', filled: true, size: 36 },
          encoding: { x, y, color },
        },
      ],
    },
  } as Spec;
}
