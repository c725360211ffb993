// Settings are checked once, when the middleware is made; whose prefetchd it is decides who closes it.

import { expect, it } from 'vitest';
import { createPrefetchd } from '../../../prefetchd/index.ts';
import { BatchSender, type Delivery } from '../../../server/hints/batch-sender.ts';
import { Breaker } from '../../../server/hints/remote-prefetchd.ts';
import { type HintsOptions, hints } from '../../../server/index.ts';

const held = { prefetchd: { holdback: 10 } };

it.each<[object, string]>([
  [{ prefetcher: 1 }, 'option prefetcher is unknown; did you mean prefetchd?'],
  [{ prefetchd: 'ftp://a' }, 'prefetchd must be a prefetchd, its settings, http://host:port'],
  [{ prefetchd: 'http://user:secret@a' }, 'prefetchd must be'],
  [{ prefetchd: 'unix:relative' }, 'prefetchd must be'],
  [{ prefetchd: { windows: 3 } }, 'option prefetchd.windows is unknown; did you mean window?'],
  [{ prefetchd: { threshold: 5 } }, 'prefetchd.threshold must be'],
  [{ prefetchd: 'http://a', trial: true }, 'trial is for a prefetchd of hints() alone'],
  [{ prefetchd: 7 }, 'prefetchd must be'],
  [{ ...held, speculationRules: false }, 'speculationRules must not be false with a holdback'],
  [{ token: 'a' }, 'token is for a remote prefetchd alone'],
  [{ token: 'a b', prefetchd: 'http://a' }, 'token must be 1 to 512 printable ASCII characters'],
  [{ threshold: -1 }, 'threshold must be'],
  [{ threshold: 7 }, 'threshold must be a number from 0 to 2, or null, not 7'],
  [{ threshold: 2, limit: 0 }, 'limit must be a whole number from 1 to 10000, or null, not 0'],
  [{ trustProxy: 'everybody' }, 'trustProxy must be'],
  [{ trustProxy: true }, 'trustProxy must be'],
  [{ clientOf: 'ip' }, 'clientOf must be a function'],
  [{ origin: 'shop.example' }, 'origin must be an http or https origin'],
  [{ respectGpc: 'on' }, 'respectGpc must be true or false'],
  [{ deny: { extra: [''] } }, 'deny.extra[0] must be a word of letters, or a path'],
  [{ earlyHints: 'h3' }, 'earlyHints must be h2, true or false, not "h3"'],
  [
    { speculationRules: 'x.js' },
    'speculationRules must be true, false or a path that begins with /',
  ],
  [{ log: console.log }, 'log must be a logger with debug, info, warn and error'],
])('%o', (options, message) => {
  expect(() => hints(options as HintsOptions)).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(message),
      option: message.replace(/^option | .*/g, ''),
    }),
  );
});

it('a prefetchd that was given stays open; one of its own is closed', async () => {
  let flushed = 0;
  const prefetchd = createPrefetchd();
  prefetchd.close = async () => {
    flushed++;
  };
  await hints({ prefetchd }).close();
  expect(flushed).toBe(0);
  await hints().close();
});

it('the breaker opens after three failures in a row and probes once in a while', () => {
  const breaker = new Breaker();
  breaker.failed(0);
  breaker.failed(0);
  breaker.succeeded();
  for (const nowMs of [1, 2, 3]) {
    expect(breaker.advice(nowMs)).toBe('ask');
    breaker.failed(nowMs);
  }
  expect([breaker.isOpen, breaker.advice(4), breaker.advice(1002)]).toEqual([true, 'skip', 'skip']);
  expect(breaker.advice(1003)).toBe('probe');
  expect(breaker.advice(1004)).toBe('skip');
  breaker.failed(1500);
  expect(breaker.advice(2003)).toBe('probe');
  breaker.succeeded();
  expect(breaker.advice(2004)).toBe('ask');
});

const access = (n: number) => ({
  ...{ client: 'a b', url: `/${n}`, timeMs: n, kind: 'document' as const },
  ...{ status: 200, bytes: 0, prefetch: false },
});

it('a full queue drops the oldest and counts them', async () => {
  const seen: string[] = [];
  const sender = new BatchSender<ReturnType<typeof access>>({
    charactersOf: ({ url }) => url.length,
    maxQueued: 10,
    gatherMs: 1_000_000,
    async send(accesses): Promise<Delivery> {
      seen.push(...accesses.map(({ url }) => url));
      return 'delivered';
    },
  });
  for (let n = 0; n < 5000; n++) sender.push(access(n));
  expect([sender.queued, sender.lost]).toEqual([10, 4990]);
  await sender.close(1000);
  expect(seen).toEqual(Array.from({ length: 10 }, (_, n) => `/${4990 + n}`));
  expect([sender.queued, sender.delivered]).toEqual([0, 10]);
});

it('what was not delivered goes again, in its order; what may have been does not', async () => {
  const answers: Delivery[] = ['again', 'lost', 'delivered'];
  const sent: string[][] = [];
  const sender = new BatchSender<ReturnType<typeof access>>({
    charactersOf: ({ url }) => url.length,
    gatherMs: 1,
    pauseMs: 1,
    maxBatch: 2,
    async send(accesses) {
      sent.push(accesses.map(({ url }) => url));
      return answers.shift() ?? 'delivered';
    },
  });
  for (let n = 0; n < 5; n++) sender.push(access(n));
  while (sender.queued > 0 || sent.length < 4)
    await new Promise((resolve) => setTimeout(resolve, 1));
  expect(sent).toEqual([['/0', '/1'], ['/0', '/1'], ['/2', '/3'], ['/4']]);
  expect([sender.delivered, sender.lost]).toEqual([3, 2]);
  await sender.close(10);
});
