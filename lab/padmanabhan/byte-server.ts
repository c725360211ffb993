// The server of the experiment: a client says how many bytes it wants, gets as many "from thin air", and the connection
// is closed (Padmanabhan 1995, 3.2). `node byte-server.ts PORT [MS]`: it works MS milliseconds for each connection first.

import { createServer } from 'node:net';

const [port = '0', connectionMs = '0'] = process.argv.slice(2);
const thinAir = Buffer.alloc(8 * 1024 * 1024);

createServer({ noDelay: true }, (socket) => {
  const readyAt = performance.now() + Number(connectionMs);
  while (performance.now() < readyAt); // a processor at work, not a pause
  socket.on('error', () => {});
  socket.once('data', (said) => socket.end(thinAir.subarray(0, Number(said.toString('latin1')))));
}).listen(Number(port), '0.0.0.0', () => process.stdout.write('listening\n'));
