// The two pieces of undici the transport is built on, by their own paths: the whole of undici takes
// about 120 ms to load, these two a third of it, and a command line feels that. The client is loaded
// when a loader's first page begins, before its clock starts. Their types stand in undici-paths.d.ts.

import type { Client } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';

let loading: Promise<typeof Client> | null = null;

/** undici's HTTP/1.1 client for one connection. */
export function loadClient(): Promise<typeof Client> {
  loading ??= import('undici/lib/dispatcher/client.js').then((module) => module.default);
  return loading;
}

let http2: Promise<typeof import('node:http2')> | null = null;

/** Only where a server speaks it: HTTP/1.x does without. */
export function loadHttp2(): Promise<typeof import('node:http2')> {
  http2 ??= import('node:http2');
  return http2;
}

export { buildConnector };
