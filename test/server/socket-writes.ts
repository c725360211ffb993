// Watches the writes that reach the kernel from one local port: every net.Socket write ends in one call of _write or
// _writev, whatever was put around the socket; and how TCP_NODELAY is set.

import { Socket } from 'node:net';

export interface SocketWrites extends Disposable {
  readonly writes: Buffer[];
  readonly noDelay: boolean[];
}

export function watchSocketWrites(localPort: number): SocketWrites {
  // biome-ignore lint/suspicious/noExplicitAny: the hooks of stream.Writable are not in net's types
  const prototype = Socket.prototype as any;
  const { _write, _writev, setNoDelay } = prototype;
  const [writes, noDelay]: [Buffer[], boolean[]] = [[], []];
  const bytesOf = (chunk: Buffer | string) => Buffer.from(chunk as string, 'latin1');
  prototype._write = function (this: Socket, chunk: Buffer | string, ...rest: unknown[]) {
    if (this.localPort === localPort) writes.push(bytesOf(chunk));
    return _write.call(this, chunk, ...rest);
  };
  prototype._writev = function (this: Socket, chunks: { chunk: Buffer }[], ...rest: unknown[]) {
    const whole = () => Buffer.concat(chunks.map(({ chunk }) => bytesOf(chunk)));
    if (this.localPort === localPort) writes.push(whole());
    return _writev.call(this, chunks, ...rest);
  };
  prototype.setNoDelay = function (this: Socket, on?: boolean) {
    if (this.localPort === localPort) noDelay.push(on ?? true);
    return setNoDelay.call(this, on);
  };
  return {
    writes,
    noDelay,
    [Symbol.dispose]: () => void Object.assign(prototype, { _write, _writev, setNoDelay }),
  };
}
