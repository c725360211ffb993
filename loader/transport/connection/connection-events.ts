// Events of a connection for its owner: the pool of a page, or the origin while it is idle.

import type { LoaderError } from '../../errors.ts';
import type { Exchange } from '../exchange.ts';

export interface ConnectionEvents {
  onOpen(): void;
  /** The first response began, so the server's HTTP version is known. */
  onHead(exchange: Exchange): void;
  /** HTTP/2: the server processed only this many of the streams it was sent. */
  onStreamLimit(taken: number): void;
  /** A response ended: there may be capacity for another request. */
  onFree(exchange: Exchange): void;
  /** One exchange failed; the connection continues (HTTP/2) or only the exchange is at fault. */
  onExchangeFailed(exchange: Exchange, error: LoaderError): void;
  onClosed(end: ConnectionEnd): void;
}

/** For an idle connection without an owner. */
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
  /** Closed by us, not by the server. */
  byUs: boolean;
  /** The exchange that `error` is about; null: none in particular. */
  culprit: Exchange | null;
  /** In flight when it ended, oldest first. */
  lost: Exchange[];
  /** Completed responses that may belong to a different URL. */
  suspects: Exchange[];
  /** Closed by us because a pipeline fell silent: its head, `culprit`, had a shorter timeout. */
  stalled: boolean;
  /** Reset by the server: responses it had sent may be lost. */
  wasReset: boolean;
  /** The server sent more responses than requested. */
  surplus: boolean;
  /** The connection had been open. */
  opened: boolean;
  /** The server had announced the close (Connection: close, HTTP/1.0). */
  announced: boolean;
}
