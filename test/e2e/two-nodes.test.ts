// examples/two-nodes as it stands: two `prefetchd serve` with one Redis behind nginx, which asks them in turn.
// What one learned the other hints. Skipped by name where nginx or redis-server is absent.

import { describe, expect, it } from 'vitest';
import { ask } from '../prefetchd/service/ask.ts';
import { eventually } from '../support/eventually.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { patient, startExample, whyNoNginx } from '../support/nginx.ts';
import { servingPrefetchd } from '../support/prefetchd-command.ts';
import { RedisServer, whyNoRedis } from '../support/redis.ts';
import { visit } from '../support/visit.ts';
import { hostOf, startApp, walk } from './nginx-set-up.ts';
import { learnedAt } from './proxying.ts';

const folder = folderOfTests();

const whyNot = [whyNoNginx, whyNoRedis].filter(Boolean).join(', ');

interface Hints {
  hints: Array<{ url: string; probability: number }>;
}

/** URLs and whole percents, by URL: two nodes age what they learned at moments of their own. */
const shown = ({ hints }: Hints) =>
  hints.map(({ url, probability }) => `${url} ${Math.round(probability * 100)}`).sort();

describe.skipIf(whyNot)(`two nodes with one Redis behind nginx ${whyNot}`, () => {
  it.each([
    ['a visitor stays with a node, as in the example', {}],
    [
      'nodes are asked in turn',
      {
        'hash $remote_addr consistent;': '',
        // Of two requests for each page every third goes to the other: both learn.
        'server 127.0.0.1:7733 max_fails': 'server 127.0.0.1:7733 weight=2 max_fails',
      },
    ],
  ])('%s: both give the same hints, and one alone goes on', async (_, changes) => {
    await using redis = await RedisServer.start();
    const args = ['serve', '--port', '0', '--store', redis.url(), '--flush-interval', '20ms'];
    const start = () => servingPrefetchd(folder, args);
    await using one = await start();
    await using other = await start();
    await using app = await startApp();
    await using nginx = await startExample(folder, 'two-nodes/nginx.conf', {
      ...patient,
      ...changes,
      '127.0.0.1:3000': app.address,
      '127.0.0.1:7733': hostOf(one.url),
      '127.0.0.1:7734': hostOf(other.url),
    });
    const learned = async () => (await learnedAt(one.url)) + (await learnedAt(other.url));
    await walk(nginx.url, 12, ['/a', '/b', '/c', '/d'], learned);
    for (const node of [one, other]) expect(await learnedAt(node.url)).toBeGreaterThan(0);

    const hintsOf = async ({ url }: { url: string }, page: string): Promise<Hints> =>
      (await ask(url, `/v1/hints?url=${page}&threshold=0&limit=inf`)).json;
    for (const page of ['/a', '/b']) {
      await eventually(async () => {
        const [ours, theirs] = [await hintsOf(one, page), await hintsOf(other, page)];
        return ours.hints.length > 0 && String(shown(ours)) === String(shown(theirs));
      }, `the same hints on ${page}`);
    }

    other.child.kill('SIGKILL');
    await other.ended;
    for (let visitor = 1; visitor <= 8; visitor++) {
      const page = await visit(`${nginx.url}/a`, { from: `127.0.3.${visitor}` });
      expect([page.status, page.body]).toEqual([200, 'page /a']);
    }
    expect((await hintsOf(one, '/a')).hints.length).toBeGreaterThan(0);
  });
});
