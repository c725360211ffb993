// Whether the site behind the proxy can be reached, before a visitor finds out. It is sent nothing.

import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Longest wait, ms. */
const checkMs = 5_000;

/** @param upstream as createProxy takes it @returns why not, or null */
export async function whyUnreachable(
  upstream: string,
  ca: string | Buffer | undefined,
): Promise<unknown> {
  const { protocol, hostname, port } = URL.parse(upstream) ?? {};
  const host = hostname?.replace(/^\[|\]$/g, '');
  const isTls = protocol === 'https:';
  const socket = upstream.startsWith('unix:')
    ? connect(upstream.slice('unix:'.length))
    : isTls
      ? connectTls({ host, port: Number(port) || 443, servername: host, ...(ca && { ca }) })
      : connect({ host, port: Number(port) || 80 });
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', {
      signal: AbortSignal.timeout(checkMs),
    });
    return null;
  } catch (error) {
    return error;
  } finally {
    socket.on('error', () => {}).destroy();
  }
}
