// A process that gets one document at a time, without what it names: one line of JSON in (url and coding), one line
// out. Each document comes over a new connection, and is decoded as it arrives.

import { createInterface } from 'node:readline';
import { createFetch } from '../../loader/index.ts';

export interface HtmlRequest {
  url: string;
  /** What is sent as Accept-Encoding. */
  coding: 'identity' | 'deflate' | 'gzip';
}

export interface HtmlAnswer {
  /** From the start of connecting to the last byte. */
  ms: number;
  /** Decoded. */
  bytes: number;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { url, coding } = JSON.parse(line) as HtmlRequest;
  const startedAt = performance.now();
  const fetch = createFetch({ extraHeaders: { 'accept-encoding': coding } });
  const response = await fetch(url);
  const bytes = (await response.arrayBuffer()).byteLength;
  const answer: HtmlAnswer = { ms: performance.now() - startedAt, bytes };
  await fetch.destroy();
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
