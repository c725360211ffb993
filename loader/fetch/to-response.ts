// Creates the platform's Response and sets `url` and `redirected`, which its constructor does not accept.

import { LoaderError } from '../errors.ts';
import { lastStatus, statusFault } from '../response/verdict.ts';
import type { FetchAnswer } from './fetch-answer.ts';

/** Null body statuses (Fetch Standard, 2.2.3). */
const nullBody = new Set([204, 205, 304]);

interface Labels {
  url: string;
  redirected: boolean;
}

/** @throws LoaderError `http-status`, `malformed-response` if the answer cannot become a Response. */
export function toResponse(answer: FetchAnswer, method: string, labels: Labels): Response {
  const { status, statusText, headers } = answer;
  if (status > lastStatus) {
    answer.discard();
    throw new LoaderError('http-status', statusFault(status, statusText));
  }
  const bodiless = nullBody.has(status) || method === 'HEAD';
  if (bodiless) answer.discard();
  try {
    // Allowed characters of a reason phrase (RFC 9112 4).
    const phrase = /^[\t\x20-\x7e\x80-\xff]*$/.test(statusText) ? statusText : '';
    const init = { status, statusText: phrase, headers: new Headers(headers) };
    return label(new Response(bodiless ? null : answer.body, init), labels);
  } catch (cause) {
    answer.discard();
    const message = `no Response can have status ${status} with these fields`;
    throw new LoaderError('malformed-response', message, { cause });
  }
}

function label(response: Response, labels: Labels): Response {
  return Object.defineProperties(response, {
    url: { value: labels.url },
    redirected: { value: labels.redirected },
    type: { value: 'basic' },
    clone: { value: () => label(Response.prototype.clone.call(response), labels) },
  });
}
