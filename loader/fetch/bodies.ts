// What bodies of requests and responses have in common: their limit, their decoding, and errors for the caller.

import { fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import { LoaderError } from '../errors.ts';
import type { Limits } from '../options.ts';
import { ContentDecoder } from '../response/content-coding.ts';

/**
 * Throws an error from the call that brings a body over the limit.
 * @returns A function that is called with the length of each chunk.
 */
export function bodyLimit({ maxResourceBytes }: Limits): (bytes: number) => void {
  let total = 0;
  return (bytes) => {
    total += bytes;
    if (total <= maxResourceBytes) return;
    const message = `body over limits.maxResourceBytes (${maxResourceBytes})`;
    throw new LoaderError('body-too-large', message);
  };
}

/**
 * Makes the decoder of a response's body, whose output is limited as well. An unsupported content coding is not removed
 * (Fetch Standard, "handle content codings").
 * @throws LoaderError `too-many-codings`
 */
export function decoderOf(
  headers: HeaderPair[],
  limits: Limits,
  take: (bytes: Buffer) => void | Promise<void>,
): ContentDecoder {
  const count = bodyLimit(limits);
  const sink = (bytes: Buffer): void | Promise<void> => {
    count(bytes.length);
    return take(bytes);
  };
  try {
    return new ContentDecoder(fieldValue(headers, 'content-encoding'), limits.maxCodings, sink);
  } catch (error) {
    if ((error as LoaderError).code !== 'coding-unsupported') throw error;
    return new ContentDecoder('', limits.maxCodings, sink);
  }
}

/** The error for a caller of fetch: the signal's reason, or a TypeError with the cause. */
export function explain(error: unknown, message: string, signal: AbortSignal | null): unknown {
  if (signal?.aborted) return signal.reason;
  return error instanceof LoaderError ? new TypeError(message, { cause: error }) : error;
}
