// Listens on a TCP port, on loopback unless a token is required, on a socket opened by systemd, or on a unix socket.

import type { Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { portKind } from '../../options/kinds.ts';
import { checked } from '../../options/options.ts';
import {
  isPassed,
  type ListenOptions,
  listenOn,
  socketPathOf,
  usualHost,
} from '../../process/listen-on.ts';
import { invalidOption, PrefetchdError } from '../errors.ts';
import { isLoopbackName } from './admission.ts';

export type { ListenOptions } from '../../process/listen-on.ts';

/** Port of the service if none is given; on a telephone its digits spell PREF. */
export const usualPort = 7733;

export interface ServiceListening {
  /** Address of the service: `http://127.0.0.1:7733`, or `unix:/run/prefetchd.sock`. */
  url: string;
  /** The port; null for a unix socket. */
  port: number | null;
}

/** Makes a server listen. @throws PrefetchdError `invalid-option`, `address-in-use`, `listen-failed` */
export async function listenSafely(
  server: Server,
  where: ListenOptions,
  hasToken: boolean,
): Promise<ServiceListening> {
  const { port = usualPort, host = usualHost } = where;
  checked(portKind, port, invalidOption, { name: 'port' });
  const isOpen = (name: string) => !hasToken && !isLoopbackName(name);
  const refuse = (name: string): never => {
    const reason = `must be set to listen on ${name}, which other machines can reach`;
    return invalidOption(`token ${reason}`, 'token', reason);
  };
  if (socketPathOf(host) === null && !isPassed(host) && isOpen(host)) {
    refuse(host);
  }
  const bound = await listenOn(server, where, usualPort, PrefetchdError);
  if (typeof bound === 'string') return { url: `unix:${bound}`, port: null };
  if (isPassed(host) && isOpen(bound.address)) {
    server.close();
    refuse(bound.address);
  }
  const name = isIPv6(bound.address) ? `[${bound.address}]` : bound.address;
  return { url: `http://${name}:${bound.port}`, port: bound.port };
}
