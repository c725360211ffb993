// What a connection tells its owner: a page's pool while a page has it, the origin while none has.

import type { LoaderError } from '../../errors.ts';
import type { Exchange } from '../exchange.ts';

export interface ConnectionEvents {
  onOpen(): void;
  /** The first response began: what the server speaks is known. */
  onHead(): void;
  /** HTTP/2: of more streams the server took only so many. */
  onStreamLimit(taken: number): void;
  /** A response ended: there may be room for more. */
  onFree(exchange: Exchange): void;
  /** One exchange failed and the connection goes on (HTTP/2), or the exchange alone is to blame. */
  onExchangeFailed(exchange: Exchange, error: LoaderError): void;
  onClosed(end: ConnectionEnd): void;
}

/** For a connection that nobody has. */
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
  /** We ended it, not the server. */
  byUs: boolean;
  /** Whom `error` is about; null: nobody in particular. */
  culprit: Exchange | null;
  /** Under way when it ended, oldest first. */
  lost: Exchange[];
  /** Ended responses that may stand under a wrong URL. */
  suspects: Exchange[];
  /** We ended it since a pipeline said nothing: `culprit`, its head, had less time than others. */
  stalled: boolean;
  /** It was reset: of what the server had answered some may be lost. */
  wasReset: boolean;
  /** More was answered than asked. */
  surplus: boolean;
  /** It had been open. */
  opened: boolean;
  /** The server had said that it would close (Connection: close, HTTP/1.0). */
  announced: boolean;
}
