// Hauck's client (1994, 3): one request at a time over HTTP/1.0, for a document and then for the images that it names. It
// asks for Hold-Line and uses the line until it finds it closed, with no timer of its own; else it opens a connection for
// each request. One line of JSON in, one line out.

import { createInterface } from 'node:readline';
import { HeldLine, type Target } from './line.ts';

export interface Visit extends Target {
  /** The document. */
  path: string;
}

export interface VisitTimes {
  /** From the first open to the last close, as he measured. */
  ms: number;
  /** From the first open to the last byte. */
  lastByteMs: number;
  connections: number;
  requests: number;
  bytes: number;
}

async function run(visit: Visit): Promise<VisitTimes> {
  const startedAt = performance.now();
  const line = new HeldLine(visit);
  let bytes = 0;
  const load = async (path: string): Promise<Buffer> => {
    const body = await line.load(path);
    bytes += body.length;
    return body;
  };
  const html = (await load(visit.path)).toString('latin1');
  const images = new Set([...html.matchAll(/<img src="?([^" >]+)/gi)].map(([, name]) => name));
  for (const name of images) await load(`${visit.path}${name}`);
  const lastByteMs = performance.now() - startedAt;
  line.close();
  const { connections, requests } = line;
  return { ms: performance.now() - startedAt, lastByteMs, connections, requests, bytes };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line)))}\n`);
}
