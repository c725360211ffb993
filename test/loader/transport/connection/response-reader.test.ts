// A response as it arrives, from what undici tells to what the exchange's reader is told: without sockets.

import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../../loader/resolve-options.ts';
import { InFlight } from '../../../../loader/transport/connection/in-flight.ts';
import { ResponseReader } from '../../../../loader/transport/connection/response-reader.ts';
import type { Batch, Exchange } from '../../../../loader/transport/exchange.ts';
import { recordedExchange, told } from '../pool/recorded-exchange.ts';

const defaults = resolveOptions();

interface Setting {
  method?: string;
  httpVersion?: 'http/1.0' | 'http/1.1' | 'h2';
  /** The connection says that an end was a cut. */
  cut?: boolean;
}

/** A reader on a line, its request written; `happened` is what its connection was told. */
function reading({ method = 'GET', httpVersion = 'http/1.1', cut = false }: Setting = {}) {
  const happened: string[] = [];
  const exchange = recordedExchange('a', { method });
  const connection = {
    httpVersion,
    abort: (_exchange: Exchange, { code }: { code: string }) => void happened.push(`abort ${code}`),
  };
  const line = new InFlight(connection, defaults);
  const limits = { ...defaults.limits, maxHeaderBytes: 100, maxInterimResponses: 2 };
  const reader = new ResponseReader(exchange, {
    ...{ connection, line, limits, flow: () => null },
    events: {
      onStart: () => void happened.push('start'),
      onUnasked: () => void happened.push('unasked'),
      onHead: (_exchange, closes) => void happened.push(closes ? 'last head' : 'head'),
      onEnd: () => {
        happened.push('end');
        return !cut;
      },
      onLost: () => void happened.push('lost'),
    },
  });
  line.join(exchange, { isTrial: false });
  const aborted: unknown[] = [];
  const controller = { abort: (reason: unknown) => aborted.push(reason), pause() {}, resume() {} };
  type Controller = Parameters<ResponseReader['onRequestStart']>[0];
  const start = () => reader.onRequestStart(controller as unknown as Controller);
  const write = () => line.wrote({ exchanges: [exchange] } as unknown as Batch);
  const respond = (status: number, headers: Record<string, string>) =>
    reader.onResponseStart(controller as unknown as Controller, status, headers, '');
  const data = (text: string) =>
    reader.onResponseData(controller as unknown as Controller, Buffer.from(text));
  const end = () => reader.onResponseEnd();
  const over = () => exchange.attempt.clock?.stop();
  return { exchange, line, happened, aborted, start, write, respond, data, end, over };
}

function written(setting?: Setting) {
  const all = reading(setting);
  all.start();
  all.write();
  return all;
}

describe('ResponseReader', () => {
  it('hands on head, bytes and end', () => {
    const { exchange, happened, respond, data, end, over } = written();
    respond(103, { link: '</a>' });
    respond(200, { 'content-length': '3' });
    for (const chunk of ['ab', 'c']) data(chunk);
    end();
    over();
    expect(told(exchange)).toEqual(['interim 103', 'headers 200', 'data 2', 'data 1', 'end']);
    expect(happened).toEqual(['start', 'head', 'end']);
  });

  it.each([
    ['too short', 'ab'],
    ['too long', 'abcd'],
  ])('a body %s for its Content-Length ends the exchange (RFC 9112 8)', (_name, body) => {
    const { exchange, happened, respond, data, end, over } = written();
    respond(200, { 'content-length': '3' });
    data(body);
    end();
    over();
    expect(happened.at(-1)).toBe('abort length-mismatch');
    expect(told(exchange)).not.toContain('end');
  });

  it('the length of a response to HEAD is not that of a body (RFC 9110 9.3.2)', () => {
    const { exchange, respond, end, over } = written({ method: 'HEAD' });
    respond(200, { 'content-length': '3' });
    expect(exchange.attempt.framed).toBe(true);
    end();
    over();
    expect(told(exchange)).toEqual(['headers 200', 'end']);
    const unknown = written({ method: 'HEAD' });
    unknown.respond(200, {});
    unknown.over();
    expect(unknown.exchange.attempt.framed).toBe(true);
  });

  it('a body without a length ends with its connection, and a cut is not its end', () => {
    const { exchange, happened, respond, end, over } = written({ cut: true });
    respond(200, {});
    end();
    over();
    expect(happened).toEqual(['start', 'last head', 'end']);
    expect(told(exchange)).toEqual(['headers 200']);
  });

  it('limits: interim responses, and header fields of either kind', () => {
    const many = written();
    for (let count = 0; count < 3; count++) many.respond(103, {});
    many.over();
    expect(many.happened).toEqual(['start', 'abort too-many-interim-responses']);
    for (const status of [103, 200]) {
      const large = written({ httpVersion: 'h2' });
      large.respond(status, { a: 'x'.repeat(100) });
      large.over();
      expect(large.happened).toEqual(['start', 'abort headers-too-large']);
    }
  });

  it('a response before its request was sent is unasked', () => {
    const { exchange, happened, start, respond, over } = reading();
    start();
    respond(200, {});
    over();
    expect([happened, told(exchange)]).toEqual([['start', 'unasked'], []]);
  });

  it('whoever is not awaited any more is told nothing, and its request does not begin', () => {
    const begun = written();
    begun.line.leave(begun.exchange);
    begun.respond(200, {});
    begun.data('a');
    begun.end();
    expect([begun.happened, told(begun.exchange)]).toEqual([['start'], []]);
    const early = reading();
    early.line.leave(early.exchange);
    early.start();
    expect([early.happened, early.aborted.length]).toEqual([[], 1]);
  });
});
