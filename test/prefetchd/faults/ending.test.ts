// SIGTERM under load over kept connections: whoever was heard is answered, as the last of its connection, nobody is
// cut off, and no connection is closed while a request may be on its way (RFC 9112 9.6).

import { expect, test } from 'vitest';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { servingPrefetchd } from '../../support/prefetchd-command.ts';
import { startCrowdSite } from './crowd.ts';
import { keptLoad } from './kept-load.ts';

const clients = 50;
const rounds = 3;

const folder = folderOfTests();

const page = 'GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n';
const question = 'GET /v1/hints?url=/page HTTP/1.1\r\nHost: localhost\r\n\r\n';

test.each([
  ['serve', question],
  ['proxy', page],
])(
  'prefetchd %s: SIGTERM under load loses no request',
  { timeout: 60_000 },
  async (name, request) => {
    const site = await startCrowdSite('plain', 2);
    const upstream = name === 'proxy' ? ['--upstream', `http://127.0.0.1:${site.port}`] : [];
    for (let round = 0; round < rounds; round++) {
      await using served = await servingPrefetchd(folder, [name, '--port', '0', ...upstream]);
      const load = keptLoad(Number(new URL(served.url).port), request, clients);
      await load.answered(10 * clients);
      served.child.kill('SIGTERM');
      const { lost, others, told } = await load.ended;
      expect([lost, others]).toEqual([[], []]);
      expect(told).toBe(clients);
      expect((await served.ended).code).toBe(0);
    }
  },
);
