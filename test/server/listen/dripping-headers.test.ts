// Clients that never finish a request, very many at once: others are served meanwhile, memory stays bounded, and the
// deadline of the header section ends each of them.

import { setInterval as every } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { residentGrowth } from '../../support/resident-growth.ts';
import { ask, parseAnswers, RawClient } from '../raw-client.ts';
import { serveSite } from '../site.ts';

const drippers = 2_000;
/** Of both ends, which are in this process. */
const mostBytesEach = 100 * 1024;

test('2,000 dripping headers: others are served, and each dripper gets one 408', async () => {
  const options = withConstants({ headersTimeoutMs: 2_000 });
  await using served = await serveSite({ 'a.txt': 'a' }, options);
  using memory = residentGrowth();
  const clients = Array.from({ length: drippers }, () => new RawClient(served.port));
  for (const client of clients) client.send('GET /a.txt HTTP/1.1\r\nHost: a\r\nX-Slow: ');
  let open = drippers;
  for (const client of clients) void client.closed.then(() => open--);
  let good = 0;
  for await (const _ of every(50)) {
    for (const client of clients) if (client.socket.writable) client.send('x');
    const openBefore = open;
    const { status } = await ask(served.port, '/a.txt');
    expect(status).toBe(200);
    if (openBefore === drippers) good++;
    if (open === 0) break;
  }
  expect(good).toBeGreaterThan(0);
  const answers = clients.map(({ bytes }) => parseAnswers(bytes).map(({ status }) => status));
  expect(answers.filter((each) => String(each) !== '408')).toEqual([]);
  expect(memory.mostBytes()).toBeLessThan(drippers * mostBytesEach);
});
