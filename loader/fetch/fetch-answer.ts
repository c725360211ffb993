// What a request comes to, whether the network or the store gave it: all that a Response is made of, and
// all that the next hop of a redirect is told by.

import type { HeaderPair } from '../../http/header-pairs.ts';

export interface FetchAnswer {
  status: number;
  statusText: string;
  /** As they came. */
  headers: HeaderPair[];
  /** Content coding off. */
  body: ReadableStream<Uint8Array> | Uint8Array | null;
  /** Its body will not be read. */
  discard(): void;
}
