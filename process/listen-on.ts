// Makes a server listen on a TCP port, or on a unix socket that its user and group may use. A socket file without a
// process is replaced; a socket that responds, or any other file, never is.

import { once } from 'node:events';
import { chmod, lstat, unlink } from 'node:fs/promises';
import { type AddressInfo, connect, type Server } from 'node:net';

export interface ListenOptions {
  /** TCP port; 0: any free one. */
  readonly port?: number | undefined;
  /**
   * Address, by default 127.0.0.1, which is reachable from this machine only; or `unix:/path`, a unix socket, which has
   * no port, and whose file goes when the server is closed.
   */
  readonly host?: string | undefined;
}

/** The class of the errors that `listenOn` throws, given by its caller: ServerError, for example. */
type ListenFailure = new (
  code: 'invalid-option' | 'address-in-use' | 'listen-failed',
  message: string,
  options?: { cause?: unknown; option?: string },
) => Error;

export const usualHost = '127.0.0.1';
const socketMode = 0o660;
/** Number of connections that may wait to be accepted; the kernel limits it to somaxconn. */
const backlog = 4096;

/** Returns the path of the unix socket that a host names; null: the host is a name or an address. */
export function socketPathOf(host: string): string | null {
  return host.startsWith('unix:') ? host.slice('unix:'.length) : null;
}

/**
 * Makes a server listen.
 * @param usualPort The port if none is given
 * @returns The address, or the path of a unix socket @throws An error of the class `Failure`
 */
export async function listenOn(
  server: Server,
  { port, host = usualHost }: ListenOptions,
  usualPort: number,
  Failure: ListenFailure,
): Promise<AddressInfo | string> {
  const path = socketPathOf(host);
  const fail = (option: 'port' | 'host', rule: string) => {
    throw new Failure('invalid-option', `${option} must ${rule}`, { option });
  };
  if (path !== null) {
    if (port !== undefined) fail('port', 'not be given with a unix socket');
    if (!path.startsWith('/') || Buffer.byteLength(path) > 100 || path.includes('\0')) {
      fail('host', 'name a unix socket as unix:/path, a path of at most 100 bytes');
    }
    const found = await lstat(path).catch(() => null);
    if (found?.isSocket() === false) fail('host', `not name a file that is no socket: ${path}`);
    if (found !== null && (await isDead(path))) await unlink(path);
  }
  const where = path ?? `${host} port ${port ?? usualPort}`;
  try {
    server.listen({ ...(path === null ? { port: port ?? usualPort, host } : { path }), backlog });
    await once(server, 'listening');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new Failure('address-in-use', `${where} is in use by another server`, { cause });
    }
    throw new Failure('listen-failed', `cannot listen on ${where}: ${message}`, { cause });
  }
  if (path !== null) await chmod(path, socketMode);
  return server.address() as AddressInfo | string;
}

/** True if no process listens on the socket; false in case of doubt. */
function isDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(false);
    });
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
  });
}
