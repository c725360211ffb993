// A stored response, decoded as it is read.

import { fieldValue } from '../../http/header-pairs.ts';
import type { CachedResponse } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import type { LimitOptions } from '../options.ts';
import { BodyStream } from './body-stream.ts';
import type { FetchAnswer } from './fetch-answer.ts';
import type { FetchRequest } from './fetch-request.ts';
import { explain } from './sender.ts';

/** Bytes passed to the decoder at a time. */
const pieceBytes = 16 * 1024;

export function storedAnswer(
  { status, statusText, headers, body }: CachedResponse,
  { signal }: FetchRequest,
  limits: LimitOptions,
): FetchAnswer {
  const stream = new BodyStream({
    contentEncoding: fieldValue(headers, 'content-encoding'),
    limits,
    explain: (error) => explain(error, 'terminated', signal),
    onCancel() {},
  });
  feed(stream, body, signal);
  const discard = (): void => stream.discard();
  return { status, statusText, headers, body: stream.readable, discard };
}

async function feed(stream: BodyStream, body: Buffer, signal: AbortSignal | null): Promise<void> {
  const onAbort = (): void => stream.fail(new LoaderError('aborted', 'aborted by its signal'));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    for (let at = 0; at < body.length && !stream.over; at += pieceBytes) {
      await stream.write(body.subarray(at, at + pieceBytes));
    }
    if (signal?.aborted) onAbort();
    await stream.end();
  } catch (error) {
    stream.fail(error as LoaderError);
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
