// Makes a server listen on a TCP port, on one that systemd opened and passed (sd_listen_fds(3)), or on a unix socket
// that its user and group may use. A socket file without a process is replaced; a socket that responds, or any other
// file, never is.

import { once } from 'node:events';
import { chmod, lstat, unlink } from 'node:fs/promises';
import { type AddressInfo, connect, type Server } from 'node:net';

export interface ListenOptions {
  /** TCP port to listen on; 0: any free port. */
  readonly port?: number | undefined;
  /**
   * Address, by default 127.0.0.1, which is reachable from this machine only; or `unix:/path`, a unix socket, which has
   * no port, and whose file goes when the server is closed; or `fd:3`, the first TCP port that systemd passed.
   */
  readonly host?: string | undefined;
}

/** The class of the errors that `listenOn` throws, given by its caller: ServerError, for example. */
type ListenFailure = new (
  code: 'invalid-option' | 'address-in-use' | 'listen-failed',
  message: string,
  options?: { cause?: unknown; option?: string; reason?: string },
) => Error;

export const usualHost = '127.0.0.1';
const socketMode = 0o660;
/** Number of connections that may wait to be accepted; the kernel limits it to somaxconn. */
const backlog = 4096;

/** Returns the path of the unix socket that a host names; null: the host is a name or an address. */
export function socketPathOf(host: string): string | null {
  return host.startsWith('unix:') ? host.slice('unix:'.length) : null;
}

/** Returns whether a host names a socket that was opened by systemd, `fd:3`. */
export const isPassed = (host: string): boolean => host.startsWith('fd:');

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
  const fd = isPassed(host) ? Number(host.slice('fd:'.length)) : null;
  const fail = (option: 'port' | 'host', rule: string): never => {
    const reason = `must ${rule}`;
    throw new Failure('invalid-option', `${option} ${reason}`, { option, reason });
  };
  if (port !== undefined && (path ?? fd) !== null) {
    fail('port', `not be given with a ${path === null ? 'passed' : 'unix'} socket`);
  }
  if (fd !== null) {
    const { LISTEN_FDS, LISTEN_PID } = process.env;
    const passed = LISTEN_PID === `${process.pid}` ? Number(LISTEN_FDS) : 0;
    const told = `LISTEN_FDS is ${LISTEN_FDS}, and LISTEN_PID ${LISTEN_PID} in process ${process.pid}`;
    if (!(fd >= 3 && fd < 3 + passed)) fail('host', `be a socket that systemd passed: ${told}`);
  }
  if (path !== null) {
    if (!path.startsWith('/') || Buffer.byteLength(path) > 100 || path.includes('\0')) {
      fail('host', 'name a unix socket as unix:/path, a path of at most 100 bytes');
    }
    const found = await lstat(path).catch(() => null);
    if (found?.isSocket() === false) fail('host', `not name a file that is no socket: ${path}`);
    if (found !== null && (await isDead(path))) await unlink(path);
  }
  const tcp = { port: port ?? usualPort, host };
  const where = path ?? (fd === null ? `${host} port ${tcp.port}` : host);
  try {
    server.listen({ ...(path !== null ? { path } : fd !== null ? { fd } : tcp), backlog });
    await once(server, 'listening');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new Failure('address-in-use', `${where} is in use by another server`, { cause });
    }
    throw new Failure('listen-failed', `cannot listen on ${where}: ${message}`, { cause });
  }
  if (path !== null) await chmod(path, socketMode);
  const address = server.address();
  if (address === null) server.close();
  return address ?? fail('host', 'be a TCP port; a unix socket is named by its path, unix:/path');
}

/** True if no process listens on the socket; false in case of doubt. */
async function isDead(path: string): Promise<boolean> {
  const probe = connect(path);
  const code = await once(probe, 'connect').catch((error) => error.code);
  probe.destroy();
  return code === 'ECONNREFUSED';
}
