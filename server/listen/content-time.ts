// How long a client may be silent while its content is wanted. An upload takes as long as it takes; what counts is the
// time between two pieces of it, as in nginx's client_body_timeout. While nobody reads, because the site is slow, time
// does not count.

import type { Readable } from 'node:stream';

/** @param onSilent called once, if `req` has neither ended nor closed */
export function limitSilence(req: Readable, timeoutMs: number, onSilent: () => void): void {
  const timer = setTimeout(() => {
    if (req.readableFlowing && req.readableLength === 0) onSilent();
    else timer.refresh();
  }, timeoutMs).unref();
  const { push } = req;
  // An own property, because node:http and node:http2 choose the class of what they push into.
  req.push = (piece, encoding) => {
    if (piece === null) clearTimeout(timer);
    else timer.refresh();
    return push.call(req, piece, encoding);
  };
  req.once('close', () => clearTimeout(timer));
}
