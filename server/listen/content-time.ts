// Limits how long a client may be silent while its content is expected. An upload may take any time in all; the time
// between two pieces is limited, as by nginx's client_body_timeout. Time does not count while the content is not read
// because the site is slow.

import type { Readable } from 'node:stream';

/**
 * Limits how long the content of `req` may pause.
 * @param onSilent Called once, if `req` has neither ended nor closed
 */
export function limitSilence(req: Readable, timeoutMs: number, onSilent: () => void): void {
  const timer = setTimeout(() => {
    if (req.readableFlowing && req.readableLength === 0) onSilent();
    else timer.refresh();
  }, timeoutMs).unref();
  const { push } = req;
  // `push` is replaced on the request itself, because node:http and node:http2 choose its class.
  req.push = (piece, encoding) => {
    if (piece === null) clearTimeout(timer);
    else timer.refresh();
    return push.call(req, piece, encoding);
  };
  req.once('close', () => clearTimeout(timer));
}
