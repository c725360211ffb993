// A log is followed through all that servers, logrotate and people do to it: every line once, in order.

import { appendFile, copyFile, mkdir, open, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Following, type FollowOptions, followLog } from '../../../prefetchd/log/follow.ts';
import { eventually } from '../../support/eventually.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';
import { tellingLog } from '../../support/telling-log.ts';

let folder: string;
let path: string;
const open_: Following[] = [];

beforeEach(() => {
  folder = folderOfTest();
  path = join(folder, 'access.log');
});
afterEach(async () => {
  await Promise.all(open_.splice(0).map((log) => log.close()));
});

interface Seen {
  log: Following;
  urls: string[];
  notices: string[];
  /** Resolves when so many accesses came. */
  has: (count: number) => Promise<void>;
  told: (pattern: RegExp) => Promise<void>;
}

async function following(options: Partial<FollowOptions> = {}): Promise<Seen> {
  const urls: string[] = [];
  const notices: string[] = [];
  const log = followLog(path, {
    onAccesses: (accesses) => urls.push(...accesses.map(({ url }) => url)),
    log: tellingLog((message) => notices.push(message)),
    pollIntervalMs: 20,
    ...options,
  });
  open_.push(log);
  await log.ready;
  return {
    log,
    urls,
    notices,
    has: (count) => eventually(() => urls.length >= count, `${count} accesses of ${urls.length}`),
    told: (pattern) => eventually(() => notices.some((text) => pattern.test(text)), `${pattern}`),
  };
}

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';

function line(url: string): string {
  return `192.0.2.1 - - [10/Oct/2025:13:55:36 +0000] "GET ${url} HTTP/1.1" 200 23 "-" "${browser}"\n`;
}

describe('where it begins', () => {
  it.each([
    ['at the end by default: what is there was learned or not, but not now', {}, ['/new']],
    ['at the start when told so', { from: 'start' }, ['/old', '/new']],
  ] as const)('%s', async (_, options, expected) => {
    await writeFile(path, line('/old'));
    const { urls, has } = await following(options);
    await appendFile(path, line('/new'));
    await has(expected.length);
    expect(urls).toEqual(expected);
  });

  it('in the middle of a line: that line is not taken for one', async () => {
    await writeFile(path, line('/old') + line('/half').slice(0, 60));
    const { log, urls, has } = await following();
    await appendFile(path, line('/half').slice(60) + line('/new'));
    await has(1);
    expect(urls).toEqual(['/new']);
    expect(log.statistics.unparsed).toBe(0);
  });

  it('a file whose folder is not there yet is read whole when it comes', async () => {
    path = join(folder, 'later', 'access.log');
    const { urls, has, told } = await following();
    await told(/does not exist/);
    await mkdir(join(folder, 'later'));
    await writeFile(path, line('/first'));
    await has(1);
    expect(urls).toEqual(['/first']);
  });

  it('a folder is no log', async () => {
    path = folder;
    await expect(following()).rejects.toMatchObject({
      code: 'log-unreadable',
      message: expect.stringContaining('not a regular file'),
    });
  });

  it('a format that nobody knows is refused', () => {
    const options = { onAccesses: () => {}, format: 'morse' };
    expect(() => followLog(path, options)).toThrow(/format must be auto, .*, not "morse"/);
  });
});

describe('what happens to the file', () => {
  beforeEach(() => writeFile(path, ''));

  it('renamed and created: the old one is read to its end, then the new one', async () => {
    const { urls, has, told } = await following();
    const server = await open(path, 'a');
    await server.write(line('/1'));
    await rename(path, `${path}.1`);
    await server.write(line('/2'));
    await writeFile(path, '');
    await told(/a new file/);
    // The server has not been told yet, and writes where it always wrote.
    await server.write(line('/3'));
    await has(3);
    await appendFile(path, line('/4'));
    await server.close();
    await has(4);
    expect(urls).toEqual(['/1', '/2', '/3', '/4']);
  });

  it('renamed again and again, faster than anybody looks: every line once', async () => {
    const { urls, has } = await following({ pollIntervalMs: 10 });
    const wanted: string[] = [];
    for (let round = 0; round < 5; round++) {
      const url = `/${round}`;
      wanted.push(url);
      await appendFile(path, line(url));
      await has(wanted.length);
      await rename(path, `${path}.${round}`);
      await writeFile(path, '');
    }
    expect(urls).toEqual(wanted);
  });

  it('copied and truncated', async () => {
    const { urls, has } = await following();
    await appendFile(path, line('/1') + line('/2'));
    await has(2);
    await copyFile(path, `${path}.1`);
    await writeFile(path, line('/3'));
    await has(3);
    expect(urls).toEqual(['/1', '/2', '/3']);
  });

  it('deleted, and back after a while', async () => {
    const { urls, has, told } = await following();
    await appendFile(path, line('/1'));
    await has(1);
    await unlink(path);
    await told(/does not exist/);
    await writeFile(path, line('/2'));
    await has(2);
    expect(urls).toEqual(['/1', '/2']);
  });

  it('replaced by a folder, and back: told, and followed again', async () => {
    const { has, told } = await following();
    await rename(path, `${path}.1`);
    await mkdir(path);
    await told(/not a regular file/);
    await rm(path, { recursive: true });
    await writeFile(path, line('/1'));
    await has(1);
  });
});

describe('lines', () => {
  beforeEach(() => writeFile(path, ''));

  it('in every chunking: half a line waits for its rest', async () => {
    const { log, urls, has } = await following();
    const text = line('/caf%C3%A9') + line('/2') + line('/3');
    const middle = Math.floor(text.length / 2);
    const server = await open(path, 'a');
    for (const [from, to] of [
      [0, 10],
      [10, middle],
      [middle, text.length - 1],
    ] as const) {
      await server.write(text.slice(from, to));
      await eventually(() => log.statistics.lines >= text.slice(0, to).split('\n').length - 1);
    }
    expect(urls).toEqual(['/caf%C3%A9', '/2']);
    await server.write('\n');
    await has(3);
    await server.close();
  });

  it('that cannot be read are counted, told once and without what is in them', async () => {
    const { log, has, notices } = await following();
    await appendFile(path, `${line('/1')}SecretGarbage\nSecretGarbage too\n${line('/2')}`);
    await has(2);
    expect(log.statistics).toMatchObject({ lines: 4, parsed: 2, unparsed: 2 });
    expect(notices.filter((text) => text.includes('cannot be read'))).toHaveLength(1);
    expect(notices.join()).not.toContain('Secret');
  });

  it('a burst of 100,000: all of them, in order', async () => {
    const { urls, has } = await following();
    const lines = Array.from({ length: 100_000 }, (_, n) => line(`/${n}`));
    await appendFile(path, lines.join(''));
    await has(100_000);
    expect(urls).toEqual(lines.map((_, n) => `/${n}`));
  });
});

describe('the format', () => {
  it('is told by the first line that comes, and by that of the next file when it is another', async () => {
    const { log, urls, has } = await following();
    await writeFile(path, line('/1'));
    await has(1);
    expect(log.statistics.files[0]?.format).toBe('combined');
    await rename(path, `${path}.1`);
    const json = {
      ...{ remote_addr: '192.0.2.1', request_method: 'GET', request_uri: '/2', status: 200 },
      ...{ time_iso8601: '2025-10-10T13:55:36+00:00', http_user_agent: browser },
    };
    await writeFile(path, `${JSON.stringify(json)}\n`);
    await has(2);
    expect([urls, log.statistics.files[0]?.format]).toEqual([['/1', '/2'], 'nginx-json']);
    expect(log.statistics.unparsed).toBe(0);
  });

  it('of columns that the first line names is known when only the end is read', async () => {
    const fields = '#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent)\n';
    const agent = browser.replaceAll(' ', '+');
    const row = (url: string) => `2025-10-10 13:55:36 192.0.2.1 GET ${url} 200 ${agent}\n`;
    await writeFile(path, `#Version: 1.0\n${fields}${row('/old')}`);
    const { urls, has } = await following();
    await appendFile(path, row('/new'));
    await has(1);
    expect(urls).toEqual(['/new']);
  });

  it('that is none: lines are counted until there is one', async () => {
    const { log, has } = await following();
    await writeFile(path, 'nothing of the kind\n');
    await eventually(() => log.statistics.unparsed === 1);
    await appendFile(path, line('/1'));
    await has(1);
  });
});
