// Listens on a TCP port, on loopback unless a token is required, or on a unix socket accessible to its user and group.
// A socket file without a process is replaced; a socket that responds, or any other file, never is.

import { once } from 'node:events';
import { chmod, lstat, unlink } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect, isIPv6 } from 'node:net';
import { checked } from '../../options/options.ts';
import { invalidOption, PrefetchdError } from '../errors.ts';
import { isLoopbackName } from './admission.ts';
import { portKind } from './service-kinds.ts';

export interface ListenOptions {
  /** TCP port; 0: any free port. The default 7733 spells PREF. */
  port?: number;
  host?: string;
  /** Path of a unix socket, in place of host and port. */
  socket?: string | null;
}

export const listenDefaults = { port: 7733, host: '127.0.0.1', socket: null } as const;

export interface Listening {
  /** Address of the service: `http://127.0.0.1:7733`, or `unix:/run/prefetchd.sock`. */
  url: string;
  /** The port; null for a unix socket. */
  port: number | null;
}

const socketMode = 0o660;
/** Connections waiting to be accepted; the kernel limits this to somaxconn. */
const backlog = 4096;

/** Makes a server listen. @throws PrefetchdError `invalid-option`, `address-in-use`, `listen-failed` */
export async function listenOn(
  server: Server,
  given: ListenOptions,
  hasToken: boolean,
): Promise<Listening> {
  const { port, host, socket } = { ...listenDefaults, ...given };
  if (socket !== null) {
    await removeIfStale(socket);
    await bound(server, { path: socket }, socket);
    await chmod(socket, socketMode);
    return { url: `unix:${socket}`, port: null };
  }
  checked(portKind, port, invalidOption, { name: 'port' });
  if (!hasToken && !isLoopbackName(host)) {
    invalidOption(
      `token must be set to listen on ${host}, which other machines can reach`,
      'token',
    );
  }
  await bound(server, { port, host }, `${host} port ${port}`);
  const address = server.address() as AddressInfo;
  const name = isIPv6(address.address) ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, port: address.port };
}

async function bound(
  server: Server,
  where: { path: string } | { port: number; host: string },
  name: string,
): Promise<void> {
  try {
    server.listen({ ...where, backlog });
    await once(server, 'listening');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new PrefetchdError('address-in-use', `${name} is in use by another server`, { cause });
    }
    throw new PrefetchdError('listen-failed', `cannot listen on ${name}: ${message}`, { cause });
  }
}

async function removeIfStale(path: string): Promise<void> {
  if (path === '' || Buffer.byteLength(path) > 100 || path.includes('\0')) {
    invalidOption('socket must be a path of 1 to 100 bytes', 'socket');
  }
  const file = await lstat(path).catch(() => null);
  if (file === null) return;
  if (!file.isSocket()) {
    invalidOption(`socket must not name a file that is not a socket: ${path}`, 'socket');
  }
  if (!(await isDead(path))) {
    throw new PrefetchdError('address-in-use', `${path} is in use by another server`);
  }
  await unlink(path);
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
