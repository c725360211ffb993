// Events of a connection for its owner: the pool of a page, or the origin while it is idle.

import type { LoaderError } from '../../errors.ts';
import type { Exchange } from '../exchange.ts';

export interface ConnectionEvents {
  onOpen(): void;
  /** The first response has begun, so the server's HTTP version is known. */
  onHead(exchange: Exchange): void;
  /** HTTP/2: the server processed only this many of the streams that were sent to it. */
  onStreamLimit(taken: number): void;
  /** A response has ended, so there may be capacity for another request. */
  onFree(exchange: Exchange): void;
  /** One exchange failed, and the connection continues: on HTTP/2, or if only the exchange is at fault. */
  onExchangeFailed(exchange: Exchange, error: LoaderError): void;
  onClosed(end: ConnectionEnd): void;
}

/** Events of an idle connection, which has no owner. */
export const unheard: ConnectionEvents = {
  onOpen() {},
  onHead() {},
  onStreamLimit() {},
  onFree() {},
  onExchangeFailed() {},
  onClosed() {},
};

export interface ConnectionEnd {
  error: LoaderError;
  /** The connection was closed by us, not by the server. */
  byUs: boolean;
  /** The exchange that `error` is about; null: none in particular. */
  culprit: Exchange | null;
  /** Exchanges in flight when the connection ended, oldest first. */
  lost: Exchange[];
  /** Completed responses that may belong to a different URL. */
  suspects: Exchange[];
  /** The connection was closed by us because a pipeline fell silent: its head, `culprit`, had a shorter timeout. */
  stalled: boolean;
  /** The connection was reset by the server, so responses that it had sent may be lost. */
  wasReset: boolean;
  /** The server sent more responses than requested. */
  surplus: boolean;
  /** The connection had been open. */
  opened: boolean;
  /** The server had announced the close (Connection: close, HTTP/1.0). */
  announced: boolean;
}
