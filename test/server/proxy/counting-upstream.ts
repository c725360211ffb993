// A site in a thread of its own, so that it answers while the proxy works, as a site does: it counts requests for
// /flood, and notes how many it had answered when one for /visitor came. `workerData.counts`: [flooded, at visitor].

import { createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const counts = new Int32Array((workerData as { counts: SharedArrayBuffer }).counts);
const server = createServer((socket) => {
  socket.on('error', () => {});
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    const heads = text.split('\r\n\r\n');
    text = heads.pop() ?? '';
    for (const head of heads) {
      if (head.startsWith('GET /visitor ')) Atomics.store(counts, 1, Atomics.load(counts, 0));
      else Atomics.add(counts, 0, 1);
    }
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'.repeat(heads.length));
  });
});
server.listen(0, '127.0.0.1', () => parentPort?.postMessage(server.address()));
