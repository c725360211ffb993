// The answer to a request, from the network or the store: the data for a Response and for following a redirect.

import type { HeaderPair } from '../../http/header-pairs.ts';

export interface FetchAnswer {
  status: number;
  statusText: string;
  /** As received. */
  headers: HeaderPair[];
  /** Without content coding. */
  body: ReadableStream<Uint8Array> | Uint8Array | null;
  /** Drops the body unread. */
  discard(): void;
}
