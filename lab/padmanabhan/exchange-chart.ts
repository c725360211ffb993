// Figures 1 and 4 drawn: each packet as a line from one end to the other, time running down.

import type { TracedPacket } from '../link/trace.ts';
import { toSvg } from '../prefetchd/charts/svg.ts';
import type { DrawnChart } from '../result.ts';
import { type Exchange, exchangeWays } from './exchanges.ts';

type Spec = Parameters<typeof toSvg>[0];

const kinds = ['data', 'acknowledgment alone', 'SYN', 'FIN'];
const colors = ['#1b6ec2', '#b5b5b5', '#d95f02', '#7570b3'];

/** @param delayMs of the link, one way: the record has the server's times. */
export async function exchangeChart(
  all: readonly Exchange[],
  { delayMs, name }: { delayMs: number; name: string },
): Promise<DrawnChart> {
  const rows = exchangeWays.flatMap(({ name: way }) => {
    const packets = all.find((one) => one.way === way)?.packets ?? [];
    return packets.map((packet) => ({ way, kind: kindOf(packet), ...lineOf(packet, delayMs) }));
  });
  return {
    file: 'figure-4-packet-exchanges.svg',
    alt: 'packets between client and server, time running down, for a document with one image: four round trips with a connection each, two on an open connection, one with GETALL',
    svg: await toSvg(spec(rows, name)),
  };
}

function kindOf({ isSyn, isFin, dataBytes }: TracedPacket): string {
  if (isSyn) return 'SYN';
  if (dataBytes > 0) return 'data';
  return isFin ? 'FIN' : 'acknowledgment alone';
}

/** 0: the client's side. The client's first packet leaves at 0 ms. */
function lineOf({ direction, atMs }: TracedPacket, delayMs: number) {
  return direction === 'up'
    ? { from: 0, fromMs: atMs, to: 1, toMs: atMs + delayMs }
    : { from: 1, fromMs: atMs + delayMs, to: 0, toMs: atMs + 2 * delayMs };
}

function spec(rows: object[], where: string): Spec {
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: {
      ...{ text: 'Packets for a document with one image (figures 1 and 4)', anchor: 'start' },
      ...{ subtitle: where, subtitleColor: '#555' },
    },
    background: 'white',
    config: { font: 'sans-serif', axis: { labelFontSize: 12, titleFontSize: 13 } },
    data: { values: rows },
    facet: {
      column: {
        ...{ field: 'way', type: 'nominal', title: null },
        sort: exchangeWays.map(({ name }) => name),
        header: { labelFontSize: 13 },
      },
    },
    spec: {
      ...{ width: 190, height: 420 },
      mark: { type: 'rule', strokeWidth: 1.5 },
      encoding: {
        x: {
          ...{ field: 'from', type: 'quantitative', title: null },
          axis: {
            ...{ values: [0, 1], labelExpr: "datum.value === 0 ? 'client' : 'server'" },
            ...{ orient: 'top', gridOpacity: 1 },
          },
        },
        x2: { field: 'to' },
        y: {
          ...{ field: 'fromMs', type: 'quantitative', title: 'ms' },
          ...{ scale: { reverse: true } },
        },
        y2: { field: 'toMs' },
        color: {
          ...{ field: 'kind', type: 'nominal', title: null },
          ...{ legend: { orient: 'bottom', labelFontSize: 12, labelLimit: 0 } },
          scale: { domain: kinds, range: colors },
        },
      },
    },
  } as Spec;
}
