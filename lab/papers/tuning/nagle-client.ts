// Turns Nagle's algorithm on for all connections that this process opens, for `node --import`: the loader turns it off
// when it connects, and this turns it on again when the connection is there.

import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

subscribe('net.client.socket', (message) => {
  const { socket } = message as { socket: Socket };
  socket.once('connect', () => socket.setNoDelay(false));
});
