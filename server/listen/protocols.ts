// Detects the protocol of a new connection. Without TLS, HTTP/2 with prior knowledge starts with a preface that no
// HTTP/1 request can start with (RFC 9113 3.3, 3.4), so the first bytes decide; over TLS the two sides negotiate by
// ALPN (RFC 7301).

import type { Socket } from 'node:net';
import {
  createServer as createTlsServer,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import { any } from '../../options/kinds.ts';
import { optionWithoutDefault } from '../../options/options.ts';
import { Deadline } from '../../process/deadline.ts';
import { ServerError } from '../errors.ts';

export interface TlsIdentity {
  /** Private key, PEM. */
  readonly key: string | Buffer;
  /** Certificate chain, PEM. */
  readonly cert: string | Buffer;
}

const isIdentity = (value: unknown) => {
  const { key, cert } = (value ?? {}) as Partial<TlsIdentity>;
  return Boolean(key && cert);
};

/** The option `tls` of createOrigin and createProxy. */
export const tlsOption = optionWithoutDefault(
  any<TlsIdentity>(isIdentity, 'an object with key and cert in PEM'),
  { flag: '--tls-key <file> and --tls-cert <file>' },
);

export interface Speakers {
  http1(socket: Socket | TLSSocket): void;
  http2(socket: Socket | TLSSocket): void;
}

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
/** Number of first bytes that show the protocol: only HTTP/2's preface begins with 'PRI '. */
const tellingBytes = 4;

/** Reads as few bytes as show the protocol, pushes them back, and gives the socket to the server for that protocol. */
export function chooseByPreface(socket: Socket, speakers: Speakers, timeoutMs: number): void {
  let seen: Buffer = Buffer.alloc(0);
  const deadline = new Deadline();
  const giveUp = () => socket.destroy();
  const stop = () => {
    deadline.stop();
    socket.removeListener('data', onData);
    socket.removeListener('end', giveUp);
    socket.removeListener('close', stop);
  };
  const onData = (chunk: Buffer) => {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    const compared = Math.min(seen.length, preface.length);
    const isPreface = preface.compare(seen, 0, compared, 0, compared) === 0;
    if (isPreface && compared < tellingBytes) return;
    stop();
    socket.pause();
    socket.unshift(seen);
    if (isPreface) speakers.http2(socket);
    else speakers.http1(socket);
  };
  socket.on('data', onData);
  socket.on('end', giveUp);
  socket.on('close', stop);
  deadline.start(timeoutMs, giveUp);
}

/**
 * Makes a TLS server that receives its sockets (`emit('connection', socket)`) and never listens.
 * @throws ServerError 'invalid-option'
 */
export function tlsByAlpn(
  { key, cert }: TlsIdentity,
  speakers: Speakers,
  handshakeTimeoutMs: number,
): TlsServer {
  const options = { ALPNProtocols: ['h2', 'http/1.1'], handshakeTimeout: handshakeTimeoutMs };
  let server: TlsServer;
  try {
    server = createTlsServer({ key, cert, ...options });
  } catch (cause) {
    const rule = 'a private key and a certificate in PEM that belong together';
    const reason = `must be ${rule}: ${(cause as Error).message}`;
    throw new ServerError('invalid-option', `tls ${reason}`, { option: 'tls', reason, cause });
  }
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') speakers.http2(socket);
    else speakers.http1(socket);
  });
  // A failed handshake is the client's fault; Node has already destroyed the socket.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}
