// A site as a process of its own, so that its connections are not counted with those of the test:
// `crowd-site.ts plain|hints DELAY_MS`. Prints its port.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hints } from '../../../server/index.ts';

const [, , kind, delayMs] = process.argv;
const middleware = kind === 'hints' ? hints() : null;

const server = createServer((req, res) => {
  const answer = () => {
    res.setHeader('Content-Type', 'text/html');
    res.end(`page ${req.url}`);
  };
  const answerLater = () => void setTimeout(answer, Number(delayMs));
  if (middleware === null) answerLater();
  else middleware(req, res, answerLater);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
