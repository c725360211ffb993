// The layer of shared dictionaries, and its handler of a request that offers one. The handler decodes dcz (RFC 9842 5),
// so that everything behind it, including the cache, sees a response without that coding. A response in another coding
// passes unchanged. A body that cannot be decoded is read to its end, and the request is sent again without an offer.

import { dcz, dczHeadBytes, readDczHead } from '../../http/compression-dictionary.ts';
import { fieldValue, hasField, withoutFields } from '../../http/header-pairs.ts';
import type { HttpCache } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import { type Dispatch, LayerHandler, type LayerRequest } from '../layer.ts';
import type { Sender } from '../page/page-layer.ts';
import { destination } from '../request/request-headers.ts';
import { type BodyLimits, boundBody } from '../response/body-limit.ts';
import { ContentDecoder } from '../response/content-coding.ts';
import type { Exchange, ExchangeHandler, ResponseHead } from '../transport/exchange.ts';
import { dictionariesOf, type Offer } from './known-dictionaries.ts';

/** A request of a page or a prefetch, as it comes to this layer, which may offer a dictionary for the response. */
export interface DictionaryRequest extends LayerRequest {
  readonly owner: { readonly exchange: Exchange | null };
}

/** Makes the layer that offers the dictionaries of a cache; all loaders that use the cache share them. */
export function dictionaries(cache: HttpCache) {
  const known = dictionariesOf(cache);
  return <Asked extends DictionaryRequest>(
    dispatch: Dispatch<Asked>,
    sender: Sender,
  ): Dispatch<Asked> => {
    const { options, cacheMode } = sender.context;
    sender.watch({ over: (answers) => known.learn(answers) });
    return (request, handler) => {
      const { url, kind, purpose, headers, conditions, owner } = request;
      // A response to Get-All, which contains all that a page names, comes without a dictionary.
      const isWhole = !hasField(conditions, 'range') && !hasField(headers, 'get-all');
      const plain = { method: 'GET', url: url.href, headers };
      const mayOffer = isWhole && cacheMode !== 'no-store';
      const offer = mayOffer ? known.offer(plain, destination[kind]) : null;
      if (offer === null) {
        dispatch(request, handler);
        return;
      }
      const giveUp = (error: LoaderError) => {
        // This exchange (request and response) is not to be resent: the request is sent anew in another exchange.
        owner.exchange?.cancel();
        // A prefetch is not sent again but fails; a page that needs the resource requests it without a dictionary.
        if (purpose === 'prefetch') handler.onError(error, performance.now());
        else dispatch(request, handler);
      };
      const decoding = new DictionaryHandler(handler, offer, options.limits, giveUp);
      dispatch({ ...request, headers: offer.headers }, decoding);
    };
  };
}

class DictionaryHandler extends LayerHandler {
  readonly #offer: Offer;
  readonly #limits: BodyLimits;
  readonly #giveUp: (error: LoaderError) => void;
  /** Decodes the body; null: the body is not coded with dcz. */
  #decoder: ContentDecoder | null = null;
  /** The bytes of the body so far, while they lack some of the header of dcz; null: that header was checked. */
  #start: Buffer | null = null;
  /** Head of the response, held until the body proves to be decodable. */
  #held: ResponseHead | null = null;
  #refused: LoaderError | null = null;
  #receivedBytes = 0;
  /** Number of received bytes that the handler has not been told of yet; it is told with the next decoded bytes. */
  #unreportedBytes = 0;
  /** If true, the request is over, so later events are ignored. */
  #isOver = false;

  /** @param giveUp Called if the response was unusable for the given reason; its connection is free again. */
  constructor(
    handler: ExchangeHandler,
    offer: Offer,
    limits: BodyLimits,
    giveUp: (error: LoaderError) => void,
  ) {
    super(handler);
    this.#offer = offer;
    this.#limits = limits;
    this.#giveUp = giveUp;
  }

  override onHeaders(head: ResponseHead): void {
    if (this.#isOver) return;
    const coding = fieldValue(head.headers, 'content-encoding').trim().toLowerCase();
    if (coding !== dcz || head.status === 304) {
      this.handler.onHeaders(head);
      return;
    }
    this.#held = decodedHead(head);
    this.#start = Buffer.alloc(0);
    const deliver = (bytes: Buffer): void | Promise<void> => {
      const received = this.#unreportedBytes;
      this.#unreportedBytes = 0;
      this.#begin();
      return this.handler.onData(bytes, received);
    };
    // Behind its own header, which `#decode` checks and removes, dcz is zstd (RFC 9842 5).
    this.#decoder = new ContentDecoder('zstd', 1, deliver, this.#offer.bytes);
  }

  override onData(chunk: Buffer): void | Promise<void> {
    if (this.#isOver) return undefined;
    const decoder = this.#decoder;
    if (decoder === null) return this.handler.onData(chunk);
    this.#receivedBytes += chunk.length;
    boundBody(this.#receivedBytes, this.#limits);
    if (this.#refused !== null) return undefined;
    return this.#decode(decoder, chunk).catch((error) => this.#refuse(decoder, error));
  }

  override onEnd(endedAt: number): void {
    if (this.#isOver) return;
    const decoder = this.#decoder;
    if (decoder === null) this.handler.onEnd(endedAt);
    else {
      this.#finish(decoder, endedAt).catch((error) =>
        this.handler.onError(error, performance.now()),
      );
    }
  }

  override onRestart(): void {
    if (this.#isOver) return;
    this.#decoder?.destroy();
    this.#decoder = null;
    this.#refused = null;
    this.#receivedBytes = this.#unreportedBytes = 0;
    if (this.#held === null) this.handler.onRestart();
    this.#held = null;
  }

  override onError(error: LoaderError, atMs: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#decoder?.destroy();
    this.handler.onError(error, atMs);
  }

  /** Decodes a chunk, once the header of dcz has named the offered dictionary. @throws LoaderError `coding-broken` */
  async #decode(decoder: ContentDecoder, chunk: Buffer): Promise<void> {
    this.#unreportedBytes += chunk.length;
    if (this.#start === null) return await decoder.write(chunk);
    const start = Buffer.concat([this.#start, chunk]);
    this.#start = start;
    if (start.length < dczHeadBytes) return;
    const hash = readDczHead(start.subarray(0, dczHeadBytes));
    const { hash: offered, url } = this.#offer;
    if (hash === null) throw broken('it does not start with a head of 40 bytes');
    if (hash !== offered) {
      throw broken(`it names the dictionary ${hash}, and ${offered} (${url}) was offered`);
    }
    this.#start = null;
    await decoder.write(start.subarray(dczHeadBytes));
  }

  async #finish(decoder: ContentDecoder, endedAt: number): Promise<void> {
    try {
      if (this.#refused === null) {
        if (this.#start !== null) throw broken('it ends within its head of 40 bytes');
        await decoder.end();
      }
    } catch (error) {
      this.#refuse(decoder, error as LoaderError);
    }
    if (this.#isOver || decoder !== this.#decoder) return;
    if (this.#refused !== null) {
      this.#isOver = true;
      if (this.#held === null) this.handler.onRestart();
      this.#giveUp(this.#refused);
    } else {
      this.#begin();
      this.handler.onEnd(endedAt);
    }
  }

  /** Passes the status and header fields to the handler, when the first bytes of the body have been decoded. */
  #begin(): void {
    const head = this.#held;
    this.#held = null;
    if (head !== null) this.handler.onHeaders(head);
  }

  /** Notes that the body cannot be decoded. @throws Errors of another kind, such as that a body is too large */
  #refuse(decoder: ContentDecoder, error: LoaderError): void {
    if (decoder !== this.#decoder) return;
    decoder.destroy();
    if (!(error instanceof LoaderError && error.code === 'coding-broken')) throw error;
    this.#refused = error;
    this.#offer.withdraw();
  }
}

/** Returns the head of the decoded response, without the fields that describe the coded bytes. */
function decodedHead(head: ResponseHead): ResponseHead {
  const about = new Set(['content-encoding', 'content-length', 'content-digest', 'accept-ranges']);
  return { ...head, headers: withoutFields(head.headers, about), wireHeaders: head.headers };
}

const broken = (fault: string): LoaderError => new LoaderError('coding-broken', `dcz: ${fault}`);
