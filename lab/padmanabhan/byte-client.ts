// The client of the experiment: a line of JSON in, the time of that transfer out, ms: from the start of connecting to
// the end of the connection.

import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

export interface Transfer {
  host: string;
  port: number;
  bytes: number;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { host, port, bytes } = JSON.parse(line) as Transfer;
  const startedAt = performance.now();
  const socket = connect({ host, port });
  let received = 0;
  socket.write(String(bytes));
  socket.on('data', (chunk) => {
    received += chunk.length;
  });
  await once(socket, 'end');
  const tookMs = performance.now() - startedAt;
  if (received !== bytes) throw new Error(`${received} bytes of ${bytes}`);
  process.stdout.write(`${tookMs}\n`);
}
