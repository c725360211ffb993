// Forwards one request to the upstream and its response back, with one retry if needed. Invariants: the client gets
// exactly one response, or its connection (stream) is cut; if the client disconnects, the upstream request is
// aborted; every wait has a timeout: for its turn in the upstream's queue, for the connection, while the request is
// sent, for the header of the response, and while its content arrives.
// A request lost on a kept connection (closed meanwhile, no byte returned) is sent once more on a new one, if it is
// idempotent and has no content (RFC 9110 9.2.2, RFC 9112 9.3.1).

import type { ClientRequest, IncomingMessage, InformationEvent, ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { isIdempotent } from '../../http/methods.ts';
import { Deadline } from '../../process/deadline.ts';
import {
  cutOff,
  isGone,
  isHttp1,
  ourTurn,
  type Request,
  type Response,
} from '../listen/handler.ts';
import { lastWords, plainAnswer } from '../listen/plain-answer.ts';
import type { Asker } from '../listen/turns.ts';
import { breakOff, guardEvents, passContent, passHead, removeFields } from './download.ts';
import {
  headText,
  isWithoutContent,
  linesOf,
  reasonOf,
  responseFields,
} from './end-to-end-fields.ts';
import {
  busyUpstream,
  type Failure,
  failureOf,
  noResponse,
  slowConnect,
  slowResponse,
  unsafeRequest,
} from './failure.ts';
import { assertFraming, hasContent } from './framing.ts';
import type { Checked } from './request-check.ts';
import { upload } from './upload.ts';
import { type Upstream, whenConnected } from './upstream.ts';
import type { UpstreamLimits } from './upstream-limits.ts';
import type { QueuePlace } from './upstream-queue.ts';

export interface ForwardContext {
  readonly upstream: Upstream;
  readonly limits: UpstreamLimits & { maxRequestBodyBytes: number };
  onRetry(): void;
  onFailure(error: unknown): void;
  /** Called when the header of the upstream's response has arrived, so the upstream works again if it failed before. */
  onAnswer(): void;
}

export class Forward {
  readonly #context: ForwardContext;
  readonly #req: Request;
  readonly #res: Response;
  readonly #checked: Checked;
  readonly #fields: readonly string[];
  readonly #asker: Asker;
  #place: QueuePlace | undefined;
  #proxyReq: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  #onConnectionLost: ((error: Error) => void) | undefined;
  #stopUpload: (() => void) | undefined;
  readonly #deadline = new Deadline();
  #interims = 0;
  #bytesReadBefore = 0;
  #isRetry = false;
  /** True once the upstream's header has arrived, the proxy itself answers, or the client has gone. */
  #isSettled = false;

  /** @param fields Header fields of the request to the upstream, alternating names and values */
  constructor(
    context: ForwardContext,
    req: Request,
    res: Response,
    checked: Checked,
    fields: readonly string[],
    asker: Asker,
  ) {
    this.#context = context;
    this.#req = req;
    this.#res = res;
    this.#checked = checked;
    this.#fields = fields;
    this.#asker = asker;
    // node:http2 does not close the response to a HEAD that was not answered, but it closes the stream.
    const closing = isHttp1(req) ? res : req.stream;
    closing.once('close', () => this.#stop());
  }

  start(): void {
    // The client may have gone while handlers ran.
    if (isGone(this.#req)) return;
    const { upstream, limits } = this.#context;
    this.#arm(limits.responseTimeoutMs, busyUpstream);
    this.#place = upstream.line.enter(this.#asker, () => this.#send());
    // The request may have failed synchronously, before its place in the queue was known.
    if (this.#isSettled) this.#place.leave();
  }

  #send(): void {
    const { upstream, limits } = this.#context;
    const { connectTimeoutMs, responseTimeoutMs } = limits;
    const startMs = performance.now();
    // A connection attempt dropped from a full backlog succeeds seconds later (SYN is retransmitted). So the timeout is
    // prolonged while other connections succeed.
    this.#arm(connectTimeoutMs, slowConnect, () => {
      const nowMs = performance.now();
      const isAlive = nowMs - upstream.line.connectedMs < connectTimeoutMs;
      return isAlive && nowMs - startMs < responseTimeoutMs;
    });
    let proxyReq: ClientRequest;
    try {
      proxyReq = upstream.request({
        method: this.#req.method ?? 'GET',
        target: this.#checked.target,
        fields: this.#fields,
        isAlone: this.#isRetry,
      });
    } catch (error) {
      this.#fail(unsafeRequest, error);
      return;
    }
    this.#proxyReq = proxyReq;
    guardEvents(proxyReq, (error) => this.#fail(noResponse, error));
    proxyReq.once('close', () => {
      // During a retry, the first attempt's place in the queue was released already, and another place is pending.
      if (proxyReq === this.#proxyReq) this.#place?.leave();
    });
    proxyReq.once('socket', (socket) => this.#onSocket(proxyReq, socket));
    proxyReq.on('information', (interim) => this.#onInterim(interim));
    proxyReq.once('response', (proxyRes) => this.#onResponse(proxyReq, proxyRes));
    proxyReq.on('error', (error) => this.#onError(error));
    // The upstream sent an unsolicited 101, which Node drops silently without a listener.
    proxyReq.on('upgrade', (_response, stray) => {
      stray.destroy();
      this.#fail(noResponse, new Error('101 without an upgrade'));
    });
  }

  /**
   * Starts the timer at whose end the request fails.
   * @param goesOn Called on timeout; returns whether to start the timer again
   */
  #arm(timeoutMs: number, failure: Failure, goesOn = () => false): void {
    this.#deadline.start(timeoutMs, () => {
      if (goesOn()) this.#arm(timeoutMs, failure, goesOn);
      else this.#fail(failure, new Error(failure.detail));
    });
  }

  /** Aborts the exchange if it is not complete, because the client has gone or sent malformed content. */
  #stop(): void {
    this.#deadline.stop();
    this.#isSettled = true;
    this.#release();
  }

  #release(): void {
    this.#proxyReq?.destroy();
    this.#place?.leave();
  }

  /** Ends the exchange, because the request's content is malformed: the rest of it could look like another request. */
  abort(): void {
    this.#stop();
  }

  /** Sends the request on the connection, new or kept, that was chosen for it. */
  #onSocket(proxyReq: ClientRequest, socket: Socket): void {
    if (this.#isSettled) {
      proxyReq.destroy();
      return;
    }
    const { limits } = this.#context;
    const { target, framing } = this.#checked;
    this.#bytesReadBefore = socket.bytesRead;
    whenConnected(socket, () => {
      this.#deadline.stop();
      this.#place?.connected();
    });
    proxyReq.once('finish', () => {
      if (!this.#isSettled) this.#arm(limits.responseTimeoutMs, slowResponse);
    });
    proxyReq.setTimeout(limits.upstreamIdleTimeoutMs);
    proxyReq.on('timeout', () => this.#onIdle(proxyReq));
    try {
      assertFraming(proxyReq, `${this.#req.method} ${target}`, framing);
    } catch (error) {
      this.#fail(unsafeRequest, error);
      return;
    }
    this.#stopUpload = upload(this.#req, proxyReq, {
      framing,
      maxBytes: limits.maxRequestBodyBytes,
      tooLong: () => {
        this.#fail({ status: 413, detail: 'The request content is too long.' });
        proxyReq.destroy();
      },
      onBroken: (error) => {
        this.#fail(unsafeRequest, error);
        proxyReq.destroy();
      },
    });
  }

  #onInterim(interim: InformationEvent): void {
    if (this.#isSettled) return;
    if (++this.#interims > this.#context.limits.maxInterimResponses) {
      this.#fail(noResponse, new Error('too many interim responses'));
    } else passInterim(this.#req, this.#res, interim);
  }

  #onIdle(proxyReq: ClientRequest): void {
    // While the upstream waits for the client to read or to send, its own idle timeout only starts anew: a client that
    // is too slow is ended by the timeout of its connection.
    const isForClient = !proxyReq.writableEnded && proxyReq.writableLength === 0;
    if (this.#response?.isPaused() || (!this.#response && isForClient)) {
      proxyReq.socket?.setTimeout(this.#context.limits.upstreamIdleTimeoutMs);
      return;
    }
    if (this.#response) proxyReq.destroy(new Error(slowResponse.detail));
    else this.#fail(slowResponse, new Error(slowResponse.detail));
  }

  #onResponse(proxyReq: ClientRequest, proxyRes: IncomingMessage): void {
    const { onFailure } = this.#context;
    if (this.#isSettled) {
      proxyRes.destroy();
      return;
    }
    this.#deadline.stop();
    this.#response = proxyRes;
    // If the end of the request's or response's content is uncertain, later bytes could be taken for the rest of it, so
    // the connection is not kept.
    if (!proxyReq.writableFinished || mayOverrun(proxyRes)) proxyReq.shouldKeepAlive = false;
    proxyRes.once('end', () => {
      if (proxyReq.writableFinished) return;
      this.#stopUpload?.();
      proxyReq.destroy();
    });
    passHead(proxyRes, this.#req, this.#res);
    this.#context.onAnswer();
    this.#onConnectionLost = passContent(proxyRes, this.#req, this.#res, onFailure);
    this.#isSettled = true;
  }

  #onError(error: Error): void {
    this.#onConnectionLost?.(error);
    this.#place?.leave();
    if (this.#isSettled || isGone(this.#req)) return;
    if (this.#mayRetry()) {
      this.#isRetry = true;
      this.#proxyReq = undefined;
      this.#context.onRetry();
      this.start();
      return;
    }
    this.#fail(failureOf(error), error);
  }

  /** Returns whether the request may be retried: at most once, on a new connection. */
  #mayRetry(): boolean {
    const proxyReq = this.#proxyReq;
    return (
      proxyReq?.reusedSocket === true &&
      proxyReq.socket?.bytesRead === this.#bytesReadBefore &&
      !hasContent(this.#checked.framing) &&
      isIdempotent(this.#req.method ?? '')
    );
  }

  #fail({ status, detail }: Failure, error?: unknown): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#deadline.stop();
    this.#release();
    const [req, res] = [this.#req, this.#res];
    if (error !== undefined) this.#context.onFailure(error);
    if (isGone(req)) return;
    if (res.headersSent) breakOff(req, res);
    // writeHead has failed and left the response object prepared for the upstream's status, such as one without
    // content. So the answer is written without this object.
    else if (this.#response && isHttp1(req)) endWith(lastWords(status, detail), req, res);
    else {
      try {
        removeFields(res);
        plainAnswer(req, res, status, {}, detail);
      } catch {
        endWith(lastWords(status, detail), req, res);
      }
      // The rest of the client's content is discarded: over HTTP/1 by the connection, which closes; over HTTP/2 here.
      if (!isHttp1(req) && hasContent(this.#checked.framing)) req.resume();
    }
  }
}

/** Returns whether a response without content announces some, which may still come (RFC 9112 6.3). The length that a
 *  304 may have is no such announcement. */
function mayOverrun({ statusCode = 0, headers }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  const hasLength = statusCode === 204 && length !== '0';
  return isWithoutContent(statusCode) && (coding !== undefined || hasLength);
}

/** Ends the connection with a response written without the response object, or resets the stream. */
function endWith(words: string, req: Request, res: Response): void {
  if (!isHttp1(req)) {
    cutOff(req, res);
    return;
  }
  const write = () => {
    const headEnd = words.indexOf('\r\n\r\n') + 4;
    req.socket.write(req.method === 'HEAD' ? words.slice(0, headEnd) : words);
    req.socket.destroySoon();
  };
  const turn = ourTurn(req, res);
  if (turn === true) write();
  else void turn.then(write);
}

/**
 * Passes interim responses, such as 100 Continue and 103 Early Hints, to the client (RFC 9110 15.2: a proxy must
 * forward those it did not request itself). They are sent in order on a pipelined connection, and never after the final
 * header.
 */
function passInterim(req: Request, res: Response, interim: InformationEvent): void {
  const { statusCode, statusMessage, rawHeaders } = interim;
  // HTTP/1.0 clients do not know interim responses (RFC 9110 15.2).
  if (req.httpVersion === '1.0') return;
  const fields = responseFields(statusCode, rawHeaders);
  if (!isHttp1(req)) {
    const { stream } = res as unknown as Http2ServerResponse;
    if (stream.headersSent || stream.destroyed) return;
    const headers = Object.fromEntries(
      [...fields].map(([lower, field]) => [lower, linesOf(field)]),
    );
    stream.additionalHeaders({ ...headers, ':status': statusCode });
    return;
  }
  const head = headText(`${statusCode} ${reasonOf(statusMessage)}`, fields);
  const write = () => {
    if (!res.headersSent) (res as unknown as ServerResponse).socket?.write(head, 'latin1');
  };
  const turn = ourTurn(req, res);
  if (turn === true) write();
  else void turn.then(write);
}
