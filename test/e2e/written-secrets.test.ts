// Files and records that people pass on hold no secrets of whoever made them: neither what he sent (Authorization,
// Cookie, Proxy-Authorization, fields of his own) nor what the site gave him (Set-Cookie and tokens).

import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { loadaheadIn } from '../support/loadahead-command.ts';
import { type RawServer, response, startRawServer } from '../support/raw-server.ts';

let [folder, har] = ['', ''];
let server: RawServer;

beforeAll(async () => {
  har = join(folder, 'page.har');
  server = await startRawServer({
    onRequest: ({ path }, connection) =>
      connection.write(
        response(path === '/' ? '<img src=a.gif>' : 'GIF89a', {
          'Content-Type': path === '/' ? 'text/html' : 'image/gif',
          'Set-Cookie': 'sid=s3cret-cookie; Path=/',
          'X-Auth-Token': 's3cret-given',
          'X-Jwt': 's3cret-of-any-name',
          'Server-Timing': 'shown',
        }),
      ),
  });
});
beforeEach(() => rm(har, { force: true }));
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const loadahead = (...args: string[]) => loadaheadIn(folder)(args);
const sent = [
  'Authorization: Bearer s3cret-bearer',
  'Proxy-Authorization: Basic s3cret-basic',
  'X-Api-Key: s3cret-key',
  'X-Anything: s3cret-of-any-name',
].flatMap((field) => ['--header', field]);

interface Message {
  headers: { name: string }[];
  cookies: unknown[];
}
const read = async (): Promise<{ request: Message; response: Message }[]> =>
  JSON.parse(await readFile(har, 'utf8')).log.entries;

it('a HAR has none, and says what was left out and how it is kept', async () => {
  const { code } = await loadahead('load', server.origin, ...sent, '--har', har);
  expect(code).toBe(0);
  // The server got all of them.
  expect(server.requests.at(-1)?.headers).toMatchObject({
    ...{ authorization: 'Bearer s3cret-bearer', cookie: 'sid=s3cret-cookie' },
    'x-anything': 's3cret-of-any-name',
  });
  const text = await readFile(har, 'utf8');
  expect(text.match(/s3cret[\w-]*/g)).toBeNull();
  expect(JSON.parse(text).log.comment).toMatch(/left out.*--har-secrets/);
  const [{ request, response: answer } = {}] = await read();
  expect(request?.headers.map(({ name }) => name)).toContain('user-agent');
  expect(answer?.headers).toContainEqual({ name: 'Server-Timing', value: 'shown' });
});

it('--har-secrets keeps them, fields and cookies', async () => {
  await loadahead('load', server.origin, ...sent, '--har', har, '--har-secrets');
  const entries = await read();
  for (const secret of ['bearer', 'basic', 'key', 'of-any-name', 'cookie', 'given']) {
    expect(JSON.stringify(entries)).toContain(`s3cret-${secret}`);
  }
  const cookie = expect.objectContaining({ name: 'sid', value: 's3cret-cookie' });
  const cookies = [cookie];
  expect(entries[1]).toMatchObject({ request: { cookies }, response: { cookies } });
});

it('--har-secrets without --har is a misuse', async () => {
  const { code, stderr } = await loadahead('load', server.origin, '--har-secrets');
  expect([code, stderr]).toEqual([2, expect.stringMatching(/--har-secrets: .*--har/)]);
});

it.each(['is new', 'is there, and everybody may read it'])(
  'only its owner reads a HAR: the file %s',
  async (which) => {
    if (which !== 'is new') await writeFile(har, 'x'.repeat(100_000), { mode: 0o644 });
    await loadahead('load', server.origin, '--har', har);
    expect(((await stat(har)).mode & 0o777).toString(8)).toBe('600');
    await read();
  },
);

it.each([
  ['load', '--json'],
  ['load', '--waterfall', 'page.svg'],
  ['audit', '--json'],
  ['browse', '--json'],
])('nothing else has them: %s %s %s', async (name, ...flags) => {
  const { stdout, stderr } = await loadahead(name, server.origin, ...sent, ...flags);
  const [file] = flags.filter((flag) => flag.includes('.'));
  const written = file === undefined ? '' : await readFile(join(folder, file), 'utf8');
  expect(`${stdout}${written}`).toContain(new URL(server.origin).host);
  expect(`${stdout}${stderr}${written}`.match(/s3cret[\w-]*/g)).toBeNull();
});
