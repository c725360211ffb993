// Where a remote prefetchd is: `http://host:port`, https, with a path before /v1 where a web server leads to it; or
// `unix:/path`.

import { ServerError } from '../errors.ts';

export interface Address {
  origin: string;
  socketPath: string | null;
  /** Before /v1; without a slash at its end. */
  basePath: string;
}

/** @throws ServerError 'invalid-option' */
export function addressOf(address: string): Address {
  if (address.startsWith('unix:')) {
    const socketPath = address.slice(5);
    if (socketPath.startsWith('/') && Buffer.byteLength(socketPath) <= 100) {
      return { origin: 'http://localhost', socketPath, basePath: '' };
    }
  }
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null;
  const isPlain = url !== null && url.username + url.password + url.search + url.hash === '';
  if (url === null || !isPlain) {
    throw new ServerError(
      'invalid-option',
      'option prefetchd must be a prefetchd, its settings, http://host:port without user and query, or unix:/path',
    );
  }
  return { origin: url.origin, socketPath: null, basePath: url.pathname.replace(/\/+$/, '') };
}
