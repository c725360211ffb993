// Parses the address of a remote prefetchd: `http://host:port` or https, with a path before /v1 if a web server maps
// one; or `unix:/path`.

import { ServerError } from '../errors.ts';

export interface Address {
  origin: string;
  socketPath: string | null;
  /** Path before /v1, without a trailing slash. */
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
