// Opens a TCP connection to a host with several addresses (Happy Eyeballs, RFC 8305). The address families alternate;
// the next address is tried in parallel after 250 ms without an answer or after a failure. No attempt ends before
// another has succeeded: Node's own version ends each after 250 ms, so that one lost packet makes the host unreachable.

import { type LookupAddress, lookup } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';

/** Connection Attempt Delay (RFC 8305 5). */
const attemptDelayMs = 250;

/** Monotonic times (performance.now), ms; null until reached. */
export interface ConnectTimes {
  startedAt: number;
  lookupEndedAt: number | null;
  connectedAt: number | null;
  securedAt: number | null;
  /** Duration of the TCP handshake without delays in this process, ms. */
  roundTripMs: number | null;
}

export interface TcpOpening {
  /** null: the connection is not open yet. */
  socket: Socket | null;
  /** Rejects with the error of the last address. */
  readonly opened: Promise<Socket>;
  abort(): void;
}

export function newTimes(): ConnectTimes {
  return {
    startedAt: performance.now(),
    lookupEndedAt: null,
    connectedAt: null,
    securedAt: null,
    roundTripMs: null,
  };
}

/** @param host A host name or an address without brackets. */
export function openTcp(
  host: string,
  port: number,
  times: ConnectTimes,
  lookUp: LookupFunction = lookup,
): TcpOpening {
  const trying = new Set<Socket>();
  let left: LookupAddress[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const { promise: opened, resolve, reject } = Promise.withResolvers<Socket>();
  opened.catch(() => {});

  const end = (winner: Socket | null): void => {
    isOver = true;
    clearTimeout(timer);
    for (const socket of trying) if (socket !== winner) socket.destroy();
    trying.clear();
  };
  const tryNext = (): void => {
    clearTimeout(timer);
    const next = left.shift();
    if (next === undefined || isOver) return;
    const before = performance.eventLoopUtilization();
    const options: TcpNetConnectOpts & { highWaterMark: number } = {
      host: next.address,
      port,
      highWaterMark: 64 * 1024,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
    };
    const socket = connect(options);
    trying.add(socket);
    socket.on('error', (error) => {
      // Once the socket has won, its owner listens for errors as well.
      if (!trying.delete(socket)) return;
      if (left.length > 0) tryNext();
      else if (trying.size === 0) reject(error);
    });
    socket.once('connect', () => {
      times.connectedAt = performance.now();
      // A connection to this machine has no round trip, however late this process is scheduled.
      const isOwn = socket.remoteAddress === socket.localAddress;
      times.roundTripMs = isOwn ? 0 : performance.eventLoopUtilization(before).idle;
      opening.socket = socket;
      end(socket);
      resolve(socket);
    });
    if (left.length > 0) {
      timer = setTimeout(tryNext, attemptDelayMs);
    }
  };
  const opening: TcpOpening = {
    socket: null,
    opened,
    abort() {
      end(null);
      opening.socket?.destroy();
    },
  };
  const family = isIP(host);
  if (family !== 0) {
    left = [{ address: host, family }];
    tryNext();
  } else {
    lookUp(host, { all: true }, (error, found) => {
      if (error !== null) return reject(error);
      times.lookupEndedAt = performance.now();
      left = inTurns(found as LookupAddress[]);
      tryNext();
    });
  }
  return opening;
}

/** Alternates the address families, beginning with that of the first address (RFC 8305 4). */
function inTurns(addresses: readonly LookupAddress[]): LookupAddress[] {
  const isFirst = ({ family }: LookupAddress) => family === addresses[0]?.family;
  const others = addresses.filter((one) => !isFirst(one));
  const first = addresses.filter(isFirst);
  return first
    .flatMap((one, index) => [one, ...others.slice(index, index + 1)])
    .concat(others.slice(first.length));
}
