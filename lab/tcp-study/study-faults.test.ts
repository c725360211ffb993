// Faults of early servers, each switched on by name (Heidemann 1996, 2; Nielsen, Gettys et al. 1997). Writes are counted
// where they reach the kernel; the bench tcp-study shows what only a link does.

import { expect, test } from 'vitest';
import { type Answer, ask, RawClient } from '../../test/server/raw-client.ts';
import { serveSite } from '../../test/server/site.ts';
import { watchSocketWrites } from '../../test/server/socket-writes.ts';
import { type StudyFault, studyFaults } from './study-faults.ts';

const content = Buffer.alloc(10_000, 'content ');
const request = 'GET /a.bin HTTP/1.1\r\nHost: a\r\n\r\n';

async function answerUnder(study: readonly StudyFault[], text = request, count = 1) {
  await using served = await serveSite({ 'a.bin': content }, { handlers: [studyFaults(study)] });
  using seen = watchSocketWrites(served.port);
  const client = new RawClient(served.port);
  client.send(text);
  const answers = await client.answers(count);
  client.socket.destroy();
  const { writes, noDelay } = seen;
  return { answers, writes, noDelay };
}

const endsWithHeaders = (write: Buffer) => write.toString('latin1').endsWith('\r\n\r\n');

function expectWhole(answers: readonly Answer[]): void {
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body.equals(content)).toBe(true);
  }
}

test('by default a response is one write, and TCP_NODELAY stays on', async () => {
  const { answers, writes, noDelay } = await answerUnder([], request.repeat(3), 3);
  expectWhole(answers);
  expect(writes.length).toBeLessThan(4);
  expect(writes.some(endsWithHeaders)).toBe(false);
  expect(noDelay).not.toContain(false);
});

test('split-headers: the header section is a write of its own, for pipelined responses too', async () => {
  const { answers, writes, noDelay } = await answerUnder(['split-headers'], request.repeat(3), 3);
  expectWhole(answers);
  expect(answers.map(({ headers }) => headers['content-length'])).toEqual(Array(3).fill('10000'));
  expect(writes.map(endsWithHeaders)).toEqual([true, false, true, false, true, false]);
  expect(noDelay).not.toContain(false);
});

test.each([
  ['HEAD', 'HEAD /a.bin HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['HTTP/1.0', 'GET /a.bin HTTP/1.0\r\n\r\n'],
  ['a missing file', 'GET /none HTTP/1.1\r\nhost: a\r\nCONNECTION: close\r\n\r\n'],
])('split-headers: %s', async (_, text) => {
  const handlers = [studyFaults(['split-headers'])];
  await using served = await serveSite({ 'a.bin': content }, { handlers });
  using seen = watchSocketWrites(served.port);
  const client = new RawClient(served.port);
  client.send(text);
  if (text.startsWith('HEAD')) await client.answers(1, ['HEAD']);
  else await client.closed;
  expect(client.bytes.includes('chunked')).toBe(false);
  expect(seen.writes.map(endsWithHeaders)).toEqual(
    text.startsWith('HEAD') ? [true] : [true, false],
  );
  client.socket.destroy();
});

test('nagle: TCP_NODELAY is switched off after all, and each response is a write', async () => {
  const { answers, writes, noDelay } = await answerUnder(['nagle'], request.repeat(3), 3);
  expectWhole(answers);
  expect(noDelay.at(-1)).toBe(false);
  expect(writes).toHaveLength(3);
});

test('bsd-nagle: whole segments, and the short end when all of them are acknowledged', async () => {
  const { answers, writes } = await answerUnder(['bsd-nagle'], request.repeat(2), 2);
  expectWhole(answers);
  expect(writes).toHaveLength(4);
  expect(writes.map(({ length }) => length % 1448 === 0)).toEqual([true, false, true, false]);
});

test('small-buffers: writes of 4 KB', async () => {
  const { answers, writes } = await answerUnder(['small-buffers'], request.repeat(3), 3);
  expectWhole(answers);
  const [first, second, last] = writes;
  expect([first?.length, second?.length]).toEqual([4096, 4096]);
  expect(last?.length).toBeLessThan(4096);
  expect(writes).toHaveLength(9);
});

test('small-buffers with split-headers: headers, then 4 KB each', async () => {
  const { answers, writes } = await answerUnder(['small-buffers', 'split-headers']);
  expectWhole(answers);
  expect(writes.slice(1).map(({ length }) => length)).toEqual([4096, 4096, 10_000 - 8192]);
});

const large = Buffer.alloc(400_000, 'large');

/** Asks for two more than are served, and once again before it reads anything. */
async function lateReader(study: readonly StudyFault[]) {
  const options = { maxRequestsPerConnection: 2, handlers: [studyFaults(study)] };
  await using served = await serveSite({ 'a.bin': large }, options);
  const client = new RawClient(served.port, { isPaused: true, allowHalfOpen: true });
  client.send(request.repeat(4));
  const { openConnections, requests } = served.origin.stats();
  expect({ openConnections, requests }).toEqual({ openConnections: 0, requests: 0 });
  const isClosing = study.includes('close-both-halves');
  await expect
    .poll(() => {
      const { openConnections, requests } = served.origin.stats();
      return requests === 2 && openConnections === (isClosing ? 0 : 1);
    })
    .toBe(true);
  client.send(request);
  client.read();
  const hasEnded = await client.ended;
  client.socket.destroy();
  return { hasEnded, isWhole: client.bytes.length > 2 * large.length };
}

test('close-both-halves: requests that come later reset the connection, and responses are lost', async () => {
  expect(await lateReader([])).toEqual({ hasEnded: true, isWhole: true });
  expect(await lateReader(['close-both-halves'])).toEqual({
    hasEnded: false,
    isWhole: false,
  });
});

test('close-both-halves: a client that asks for nothing more gets all of it', async () => {
  const handlers = [studyFaults(['close-both-halves'])];
  await using served = await serveSite({ 'a.bin': content }, { handlers });
  expectWhole([await ask(served.port, '/a.bin')]);
});

test('unknown names are refused', () => {
  const create = () => studyFaults(['nagle', 'Nagle' as StudyFault]);
  expect(create).toThrow('Nagle is no fault for study: there are split-headers, nagle');
});
