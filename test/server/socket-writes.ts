// Counts the writes that reach the kernel from one local port: every net.Socket write ends in one call
// of _write or _writev, whatever was put around the socket.

import { Socket } from 'node:net';

export interface SocketWrites extends Disposable {
  readonly count: number;
}

export function countSocketWrites(localPort: number): SocketWrites {
  // biome-ignore lint/suspicious/noExplicitAny: the hooks of stream.Writable are not in net's types
  const prototype = Socket.prototype as any;
  const { _write, _writev } = prototype;
  let count = 0;
  function counting(original: (...args: unknown[]) => unknown) {
    return function (this: Socket, ...args: unknown[]) {
      if (this.localPort === localPort) count++;
      return original.apply(this, args);
    };
  }
  prototype._write = counting(_write);
  prototype._writev = counting(_writev);
  return {
    get count() {
      return count;
    },
    [Symbol.dispose]() {
      Object.assign(prototype, { _write, _writev });
    },
  };
}
