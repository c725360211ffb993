// The server of the experiment: a client says how many bytes it wants, gets as many "from thin air", and the connection
// is closed (Padmanabhan 1995, 3.2). `node byte-server.ts PORT`.

import { createServer } from 'node:net';

const [port = '0'] = process.argv.slice(2);
const thinAir = Buffer.alloc(1024 * 1024);

createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.once('data', (said) => socket.end(thinAir.subarray(0, Number(said.toString('latin1')))));
}).listen(Number(port), '0.0.0.0', () => process.stdout.write('listening\n'));
