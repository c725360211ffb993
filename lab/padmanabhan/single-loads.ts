// Loads of one document by the client of single-client.ts, from nginx over a link: what a connection for each image, one
// connection and a pipeline take, and how many segments the server had on the way at most.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Link, type LinkSettings } from '../link/link.ts';
import { connectionsOf, readTrace, type TracedPacket } from '../link/trace.ts';
import { ports, startNginx } from '../page-loads/nginx.ts';
import { makePage } from '../page-loads/page-shapes.ts';
import { LineProcess } from '../processes.ts';
import { Scratch } from '../scratch.ts';
import type { SingleLoad } from './single-client.ts';

export const singleWays = ['standard', 'long-lived', 'pipelined'] as const;

export interface SingleShape {
  link: LinkSettings;
  imageBytes: number;
  images: number;
  workMs: number;
}

export interface SingleTimes {
  /** Times of each round, ms, by way. */
  ms: Record<SingleLoad['way'], number[]>;
  /** Most segments with data that the server sent before it heard of the first of them, by way. */
  inFlight: Record<SingleLoad['way'], number>;
}

const clientFile = fileURLToPath(new URL('single-client.ts', import.meta.url));

export async function singleLoads(shape: SingleShape, rounds: number): Promise<SingleTimes> {
  const { link: settings, imageBytes, images, workMs } = shape;
  using scratch = new Scratch();
  const folder = join(scratch.path, 'site');
  const page = { name: 'page', htmlBytes: 2_000, images };
  makePage({ ...page, imageBytes: [imageBytes, imageBytes] }, folder);
  const traceFile = join(scratch.path, 'trace');
  await using link = await Link.open({ ...settings, traceFile });
  await using _server = await startNginx(link, folder, scratch.path);
  await using client = new LineProcess(...link.at('client', [process.execPath, clientFile]));
  const times: SingleTimes = {
    ms: { standard: [], 'long-lived': [], pipelined: [] },
    inFlight: { standard: 0, 'long-lived': 0, pipelined: 0 },
  };
  for (let round = 0; round <= rounds; round++) {
    for (const way of singleWays) {
      const before = existsSync(traceFile) ? readTrace(traceFile).length : 0;
      const port = ports.plain.http1;
      const asked: SingleLoad = { host: link.serverAddress, port, path: '/', way, workMs };
      client.send(JSON.stringify(asked));
      const tookMs = Number(await client.nextLine(120_000));
      await link.counts(); // waits until the link is quiet
      if (round === 0) continue;
      times.ms[way].push(tookMs);
      const packets = readTrace(traceFile).slice(before);
      times.inFlight[way] = Math.max(times.inFlight[way], mostInFlight(packets));
    }
  }
  return times;
}

/** Counts the segments that a server has on the way: those with data since the last acknowledgment of all before. */
export function mostInFlight(packets: readonly TracedPacket[]): number {
  let most = 0;
  for (const connection of connectionsOf(packets)) {
    const sent: number[] = [];
    for (const { direction, dataBytes, seq, ack } of connection) {
      if (direction === 'down' && dataBytes > 0) sent.push(seq + dataBytes);
      else if (direction === 'up') {
        // Sequence numbers begin anew after 4 GB.
        while (sent.length > 0 && (ack - (sent[0] as number)) >>> 0 < 2 ** 31) sent.shift();
      }
      most = Math.max(most, sent.length);
    }
  }
  return most;
}

/** Share of the time of the standard client that a way saves, by rounds. */
export function savedBy(times: SingleTimes, way: 'long-lived' | 'pipelined'): number[] {
  return times.ms[way].map((ms, round) => 1 - ms / (times.ms.standard[round] as number));
}
