// Imports the parts of undici that the transport uses by their own paths: all of undici takes about 120 ms to load,
// these parts a third of that. The client is loaded when a loader's first page begins, before its clock starts.
// undici-paths.d.ts declares their types.

import type { Client } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import symbols from 'undici/lib/core/symbols.js';

let loading: Promise<typeof Client> | null = null;

/** undici's HTTP/1.1 client for one connection. */
export function loadClient(): Promise<typeof Client> {
  loading ??= import('undici/lib/dispatcher/client.js').then((module) => module.default);
  return loading;
}

let http2: Promise<typeof import('node:http2')> | null = null;

/** node:http2, which is loaded only if a server speaks HTTP/2. */
export function loadHttp2(): Promise<typeof import('node:http2')> {
  http2 ??= import('node:http2');
  return http2;
}

export { buildConnector };
export const { kParser } = symbols;
