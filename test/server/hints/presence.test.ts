// Nobody is told what another visitor read. Who shares address and User-Agent with somebody (a household, an office, a
// mobile network) gets, on a connection of their own, what a stranger gets: each answer depends on what all visitors do
// (docs/stored-data.md, Who sees what).

import { once } from 'node:events';
import { type ClientSessionOptions, connect } from 'node:http2';
import { expect, it } from 'vitest';
import { hints } from '../../../server/index.ts';
import { access, running } from '../../prefetchd/service/ask.ts';
import { salted } from '../../support/known-salt.ts';
import { serveSite } from '../site.ts';
import { delivered, remoteSite } from './remote-set-up.ts';
import { browser, keepsB, type Site, site, teachBy, visitPort } from './set-up.ts';

const [insider, stranger] = [1, 50];
const rulesOfA = '/speculation-rules.json?url=%2Fa';

/** What one is told, on new connections: the URLs in rules, and in each field of two pages. Asking is learned, so the
 *  probabilities change. */
async function told(shop: Pick<Site, 'visit'>, visitor: number): Promise<string[][]> {
  const asks = { visitor, headers: { 'sec-fetch-dest': 'speculationrules' } };
  const answers: unknown[] = [(await shop.visit(rulesOfA, asks)).body];
  for (const path of ['/a', '/c']) {
    const { headers } = await shop.visit(path, { visitor });
    answers.push(headers.link, headers['speculation-rules']);
  }
  return answers.map((text) => (String(text).match(/\/[a-z]\b/g) ?? []).sort());
}

it.each([
  ['in this process', site],
  ['remote', remoteSite],
])('a prefetchd %s', async (where, open) => {
  await using shop = await open({}, keepsB);
  await shop.teach('/a', '/b', '/c');
  for (const path of ['/a', rulesOfA, '/b']) await shop.visit(path, { visitor: insider });
  if (where === 'remote') await delivered(shop, 11);
  const seen = await told(shop, insider);
  expect(seen[0]).toContain('/b');
  expect(seen).toEqual(await told(shop, stranger));
});

it('HTTP/2, on sessions of their own', async () => {
  await using prefetch = hints({ prefetchd: { load: () => 0, ...salted } });
  const files = { 'a.html': '<p>a', 'b.html': '<p>b' };
  await using served = await serveSite(files, { handlers: [prefetch], maxAgeSeconds: 600 });
  const visit = (path: string, how?: object) => visitPort(served.port, path, how);
  await teachBy(visit, ['/a.html', '/b.html']);
  await visit('/b.html', { visitor: insider });
  const askedBy = async (visitor: number): Promise<string> => {
    const how = { localAddress: `127.0.0.${visitor + 1}` } as ClientSessionOptions;
    const session = connect(served.url, how);
    const path = '/speculation-rules.json?url=%2Fa.html';
    const stream = session.request({ ':path': path, 'user-agent': browser });
    let body = '';
    stream.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    await once(stream, 'end');
    session.close();
    return body;
  };
  const seen = await askedBy(insider);
  expect(seen).toContain('/b.html');
  expect(seen).toBe(await askedBy(stranger));
});

it('a web server in front (/v1/mirror, /v1/headers), pages and objects', async () => {
  await using front = await running();
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  for (const client of ['one x', 'two x', 'three x']) {
    const image = access(client, '/i.png', { kind: 'object' });
    const page = access(client, '/a');
    await front.post('/v1/accesses', [page, image, access(client, '/b')]);
  }
  const fields = (url: string, address: string) => ({
    ...{ 'X-Original-URI': url, 'X-Real-IP': address, 'User-Agent': firefox, Accept: '*/*' },
  });
  for (const url of ['/b', '/a']) await front.get('/v1/mirror', fields(url, '198.51.100.1'));
  const askedBy = async (address: string) => {
    const answers: unknown[] = [];
    for (const url of ['/a', '/i.png']) {
      const { headers } = await front.get('/v1/headers', fields(url, address));
      answers.push(headers.link, headers['speculation-rules']);
    }
    const asked = fields('/v1/speculation-rules', address);
    answers.push((await front.get('/v1/speculation-rules?url=/a', asked)).json);
    return answers;
  };
  const seen = await askedBy('198.51.100.1');
  expect(seen[0]).toContain('</b>');
  expect(seen).toEqual(await askedBy('198.51.100.2'));
});
