// Figures 1 and 4: the packets for a document with one image, with a connection for each and on one that is open already
// (Padmanabhan 1995, 3 and 4); beside them GETALL (5.1). Taken from the link's own record.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoaderOptions } from '../../loader/index.ts';
import { Link, type LinkSettings } from '../link/link.ts';
import { connectionsOf, readTrace, type TracedPacket } from '../link/trace.ts';
import { originPort, ports } from '../page-loads/nginx.ts';
import { startNginxAndOrigin } from '../page-loads/nginx-and-origin.ts';
import { makePage } from '../page-loads/page-shapes.ts';
import { LineProcess } from '../processes.ts';
import { Scratch } from '../scratch.ts';

export interface ExchangeWay {
  name: string;
  port: number;
  options: LoaderOptions;
}

export const exchangeWays: readonly ExchangeWay[] = [
  {
    name: 'figure 1: a connection each',
    port: ports.plain.http1,
    options: { protocol: 'http1.0', connections: 1 },
  },
  {
    name: 'figure 4: an open connection',
    port: ports.plain.http1,
    options: { protocol: 'persistent', connections: 1 },
  },
  {
    name: 'GETALL on an open connection',
    port: originPort,
    options: {
      ...{ protocol: 'pipelined', connections: 1, getAll: true },
      extraHeaders: { 'accept-encoding': 'identity' },
    },
  },
];

export interface Exchange {
  way: string;
  /** On the server's clock, from the arrival of the visit's first packet. */
  packets: TracedPacket[];
  /** From the client's first packet to the first byte of the image at the client, in round trips of the bare link. */
  roundTripsToImage: number;
  completeMs: number;
}

const imageBytes = 2_544;
const clientFile = fileURLToPath(new URL('exchange-client.ts', import.meta.url));

/** One visit a way and round, the first of which does not count: the connection opens in it, where it stays open. */
export async function exchanges(link: LinkSettings, rounds: number): Promise<Exchange[]> {
  using scratch = new Scratch();
  const folder = join(scratch.path, 'site');
  const shape = { name: 'one image', htmlBytes: 2_000, images: 1 };
  makePage({ ...shape, imageBytes: [imageBytes, imageBytes] }, folder);
  const traceFile = join(scratch.path, 'trace');
  await using place = await Link.open({ ...link, traceFile });
  await using _servers = await startNginxAndOrigin(place, folder, scratch.path);
  const all: Exchange[] = [];
  for (const { name, port, options } of exchangeWays) {
    const command = [process.execPath, clientFile, JSON.stringify(options)];
    await using client = new LineProcess(...place.at('client', command));
    for (let round = 0; round <= rounds; round++) {
      const before = readTrace(traceFile).length;
      client.send(`http://${place.serverAddress}:${port}/`);
      const completeMs = Number(await client.nextLine());
      await place.counts(); // waits until the link is quiet
      const packets = sinceFirst(readTrace(traceFile).slice(before));
      const roundTripsToImage = roundTrips(packets, link.delayMs);
      if (round > 0) all.push({ way: name, packets, roundTripsToImage, completeMs });
    }
  }
  return all;
}

function sinceFirst(packets: readonly TracedPacket[]): TracedPacket[] {
  const startMs = packets[0]?.atMs ?? 0;
  return packets.map((packet) => ({ ...packet, atMs: packet.atMs - startMs }));
}

/** The image is what the server sends last; both ends of the way there add half a round trip. */
export function roundTrips(packets: readonly TracedPacket[], delayMs: number): number {
  const last = connectionsOf(packets).at(-1) ?? [];
  const data = last.filter(({ direction, dataBytes }) => direction === 'down' && dataBytes > 0);
  let after = 0;
  const first = data.findLast(({ dataBytes }) => {
    after += dataBytes;
    return after >= imageBytes;
  });
  return (first?.atMs ?? Number.NaN) / (2 * delayMs) + 1;
}
