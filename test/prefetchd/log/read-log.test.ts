import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createZstdCompress, gzipSync, zstdCompressSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { PrefetchdError } from '../../../prefetchd/errors.ts';
import { type LogProgress, readLog } from '../../../prefetchd/log/index.ts';
import { accessesOf, readChunks } from '../../contracts/log-reader.ts';
import { chunkings } from '../../loader/scan/chunkings.ts';
import { isInstalled } from '../../support/command.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import fc from '../../support/property.ts';

const logs = fileURLToPath(new URL('../../../fixtures/logs', import.meta.url));
const folder = folderOfTests();

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** A line of clf: client, second of the day, path. */
function line(client: string, second: number, path: string): string {
  const time = new Date(second * 1000).toISOString().slice(11, 19);
  return `${client} - - [01/Jan/2024:${time} +0000] "GET ${path} HTTP/1.1" 200 10\n`;
}

const paths = async (sources: readonly string[]) =>
  (await accessesOf(readLog(sources))).map(({ url }) => url);

const many = Array.from({ length: 20_000 }, (_, n) =>
  line(`c${n % 97}`, n, `/${(n * 7919) % 5003}`),
).join('');

describe('compression is told by the first bytes, not by the name', () => {
  it('reads gzip and zstd, in every chunking, as it reads plain text', async () => {
    const plain = line('a', 1, '/1') + line('b', 2, '/2');
    for (const bytes of [gzipSync(plain), zstdCompressSync(plain)]) {
      for (const { chunks } of chunkings(bytes)) {
        const urls = (await accessesOf(readChunks(chunks))).map(({ url }) => url);
        expect(urls).toEqual(['/1', '/2']);
      }
    }
  });

  it.each([
    ['of several members, as logs that were appended have', gzipSync(line('a', 1, '/1')), 20_001],
    ['with padding behind it, as tapes and some tools leave it', Buffer.alloc(100_000), 20_000],
  ])('reads gzip %s', async (_, more, count) => {
    expect(await paths([file('more.gz', Buffer.concat([gzipSync(many), more]))])).toHaveLength(
      count,
    );
  });

  it.each([
    ['gzip', gzipSync(many)],
    ['zstd', zstdCompressSync(many)],
  ] as const)('uses what came before a cut of %s, and says that it is cut', async (name, whole) => {
    const all = await accessesOf(readChunks([Buffer.from(many)]));
    for (const share of [0.5, 0.9, 0.999]) {
      const cut = whole.subarray(0, Math.floor(whole.length * share));
      const reading = readLog([file(`cut-${name}`, cut)]);
      const got = await accessesOf(reading);
      expect(got.length).toBeGreaterThan(all.length * share * 0.5);
      expect(got.slice(0, -1)).toEqual(all.slice(0, got.length - 1));
      expect(reading.statistics.files[0]?.broken).toMatch(new RegExp(`^${name} data: `));
    }
  });

  it('uses what came before broken gzip data', async () => {
    const broken = Buffer.from(gzipSync(many));
    broken.fill(0xff, broken.length >> 1, (broken.length >> 1) + 64);
    const reading = readLog([file('broken.gz', broken)]);
    expect((await accessesOf(reading)).length).toBeGreaterThan(1000);
    expect(reading.statistics.files[0]?.broken).toBeDefined();
  });

  describe.each(['bzip2', 'xz'])('%s, by the command of the system', (command) => {
    const isThere = isInstalled(command);
    const packed = isThere ? execFileSync(command, ['-c'], { input: many }) : Buffer.alloc(0);

    it.skipIf(!isThere)('is read like plain text, also after a cut', async () => {
      const all = await accessesOf(readChunks([Buffer.from(many)]));
      const reading = readChunks([packed]);
      expect(await accessesOf(reading)).toEqual(all);
      expect(reading.statistics.files[0]).toMatchObject({ compression: command });
      const cut = readChunks([packed.subarray(0, packed.length * 0.9)]);
      expect((await accessesOf(cut)).length).toBeLessThan(all.length);
      expect(cut.statistics.files[0]?.broken).toMatch(new RegExp(`^${command} data: .*end`));
    });

    it('is named where there is no such command', async () => {
      const { PATH } = process.env;
      process.env['PATH'] = folder;
      try {
        const start = command === 'xz' ? '\xfd7zXZ\0rest' : 'BZh9rest';
        const path = file('absent', Buffer.from(start, 'latin1'));
        await expect(accessesOf(readLog([path]))).rejects.toMatchObject({
          code: 'log-unreadable',
          message: expect.stringMatching(`by ${command}, and there is no command ${command}`),
        });
      } finally {
        process.env['PATH'] = PATH;
      }
    });

    it.skipIf(!isThere)('leaves no process behind when reading stops early', async () => {
      for await (const _ of readChunks([packed])) break;
    });
  });

  it('reads every log of a ZIP archive, and uses what came before a cut', async () => {
    const zip = Buffer.from(
      zipSync({
        'access.log': Buffer.from(many),
        '__MACOSX/access.log': Buffer.from(line('no', 1, '/no')),
        'access.log.1': [Buffer.from(line('z', 1, '/last')), { level: 0 }],
      }),
    );
    const urls = await paths([file('whole.zip', zip)]);
    expect([urls.length, urls.at(-1)]).toEqual([20_001, '/last']);
    const cut = readLog([file('cut.zip', zip.subarray(0, zip.length >> 1))]);
    expect((await accessesOf(cut)).length).toBeGreaterThan(5000);
    expect(cut.statistics.files[0]?.broken).toBe('zip data: unexpected end of file');
  });

  it('gives up a file that expands beyond any log', async () => {
    const bomb = createZstdCompress();
    const packed = buffer(bomb);
    const zeros = Buffer.alloc(32 * 1024 * 1024);
    for (let n = 0; n < 12; n++) if (!bomb.write(zeros)) await once(bomb, 'drain');
    bomb.end();
    const path = file('bomb', await packed);
    const reading = readLog([path], { format: 'clf' });
    await accessesOf(reading);
    expect(reading.statistics.files[0]?.broken).toBe('zstd data: it expands more than 2000 times');
  });
});

describe('bad input is counted; what is no log at all is a clear error', () => {
  it.each(['', '\n\n\n', '#Version: 1.0\n#Fields: date time\n'])(
    'a file of %j alone gives no access, and one that is empty is said to be',
    async (text) => {
      const reading = readLog([file('empty', text)]);
      expect(await accessesOf(reading)).toEqual([]);
      expect(reading.statistics.unparsed).toBe(0);
      expect(reading.statistics.files[0]?.empty).toBe(text === '');
    },
  );

  it('UTF-16 is refused with unknown-log-format', async () => {
    const path = file('odd', Buffer.from(line('a', 1, '/1'), 'utf16le'));
    const error = await accessesOf(readLog([path])).catch((reason) => reason);
    expect(error).toBeInstanceOf(PrefetchdError);
    expect(error).toMatchObject({
      code: 'unknown-log-format',
      message: expect.stringMatching(/UTF-16/),
    });
  });

  it('a line above the cap is skipped and counted, alike in every chunking, in bounded memory', async () => {
    const long = 'x'.repeat(3000);
    const text = Buffer.from(`${line('a', 1, '/1')}${long}\n${line('a', 2, '/2')}${long}`);
    for (const { chunks } of chunkings(text)) {
      const options = { format: 'clf', ...withConstants({ maxLineBytes: 1024 }) };
      const reading = readChunks(chunks, options);
      expect((await accessesOf(reading)).map(({ url }) => url)).toEqual(['/1', '/2']);
      const reason = 'longer than 1024 bytes';
      const expected = [2, 4].map((line) => ({ line, reason }));
      expect(reading.statistics.unparsedLines).toMatchObject(expected);
    }
  });

  it('a line of 200 MB does not stay in memory', async () => {
    const piece = Buffer.alloc(64 * 1024, 'y');
    let most = 0;
    function* endless(): Generator<Uint8Array> {
      yield Buffer.from(line('a', 1, '/1'));
      for (let n = 0; n < 3200; n++) {
        if (n % 100 === 0) most = Math.max(most, process.memoryUsage().heapUsed);
        yield piece;
      }
      yield Buffer.from(`\n${line('a', 2, '/2')}`);
    }
    const before = process.memoryUsage().heapUsed;
    const reading = readChunks(endless());
    expect((await accessesOf(reading)).length).toBe(2);
    expect(reading.statistics).toMatchObject({ lines: 3, unparsed: 1 });
    expect(most - before).toBeLessThan(128 * 1024 * 1024);
  });

  it('lines of another format among the first are counted, the format of most is taken', async () => {
    const mixed = `${line('a', 1, '/1')}1706695200.000 1 b TCP_HIT/200 1 GET http://h/x - N/- -\n${line('a', 2, '/2')}`;
    const reading = readChunks([Buffer.from(mixed)]);
    expect((await accessesOf(reading)).length).toBe(2);
    expect(reading.statistics.files[0]?.format).toBe('clf');
    expect(reading.statistics.unparsedLines).toMatchObject([{ line: 2, reason: 'no [time]' }]);
  });

  it('a clock that goes backwards is counted, and the order stays that of the log', async () => {
    const text = line('a', 50, '/1') + line('a', 20, '/2') + line('a', 60, '/3');
    const reading = readChunks([Buffer.from(text)]);
    expect((await accessesOf(reading)).map(({ url }) => url)).toEqual(['/1', '/2', '/3']);
    expect(reading.statistics).toMatchObject({ clockBackwards: 1, maxBackwardsMs: 30_000 });
    expect(reading.statistics.firstTimeMs).toBe(Date.UTC(2024, 0, 1, 0, 0, 20));
    expect(reading.statistics.lastTimeMs).toBe(Date.UTC(2024, 0, 1, 0, 1));
  });

  it('keeps the first lines that cannot be read, fit to be shown', async () => {
    const bad = `bad \x1b[31m line ${'z'.repeat(500)}\n`;
    const reading = readChunks(
      [Buffer.from(line('a', 1, '/') + bad.repeat(30))],
      withConstants({ maxShown: 3 }),
    );
    await accessesOf(reading);
    expect(reading.statistics.unparsed).toBe(30);
    expect(reading.statistics.unparsedLines.map((shown) => shown.line)).toEqual([2, 3, 4]);
    expect(reading.statistics.unparsedLines[0]?.text).not.toContain('\x1b');
    expect(reading.statistics.unparsedLines[0]?.text.length).toBeLessThan(210);
  });
});

describe('several logs are one, by time', () => {
  it('merges by time; of equal times the log named first goes first', async () => {
    const first = file('m1', line('a', 1, '/a1') + line('a', 5, '/a5') + line('a', 9, '/a9'));
    const second = file('m2', gzipSync(line('b', 2, '/b2') + line('b', 5, '/b5')));
    const third = file('m3', '');
    const fourth = file('m4', line('d', 20, '/d20'));
    const sources = [fourth, first, third, second];
    expect(await paths(sources)).toEqual(['/a1', '/b2', '/a5', '/b5', '/a9', '/d20']);
    expect(await paths([])).toEqual([]);
  });

  it('counts every line of each once', async () => {
    const one = file('n1', many);
    const reading = readLog([one, one, file('n2', line('z', 1, '/z'))]);
    expect((await accessesOf(reading)).length).toBe(40_001);
    expect(reading.statistics).toMatchObject({ lines: 40_001, accesses: 40_001 });
    expect(reading.statistics.files.length).toBe(3);
  });

  it('knows a client by the same name in all of them, whatever their formats', async () => {
    const one = file('o1', line('a', 1, '/1'));
    const json = { remote_addr: 'a', time: '2024-01-01T00:00:02Z', request: 'GET /2', status: 200 };
    const two = file('o2', JSON.stringify(json));
    const clients = (await accessesOf(readLog([one, two]))).map(({ client }) => client);
    expect(clients).toEqual(['a', 'a']);
  });
});

describe('fields names what a log in a format of its own has where', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0';
  const asked = {
    client: `192.0.2.1 ${firefox}`,
    url: '/a?b=1',
    timeMs: Date.UTC(2024, 0, 31, 10),
    kind: 'document',
    status: 200,
    bytes: 5120,
    prefetch: false,
    durationMs: 12,
  };
  const nested =
    'client=ip,time=ts,method=req.method,url=req.path,status=code,bytes=size,agent=req.headers.user-agent,referer=ref,duration=took:us';
  const object = (change: object = {}) =>
    JSON.stringify({
      ip: '192.0.2.1',
      ts: '2024-01-31T10:00:00Z',
      req: { method: 'GET', path: '/a?b=1', headers: { 'user-agent': [firefox] } },
      code: 200,
      size: 5120,
      ref: null,
      took: 12_000,
      ...change,
    });
  const named = 'client=ip,time=when:ms,request=req,status=code,bytes=size,agent=ua,duration=s:s';
  const numbered =
    'client=2,time=1,method=3,url=4,query=5,status=6,bytes=7,agent=8,duration=9:ms,purpose=10';

  const readWith = async (fields: string, text: string) => {
    const reading = readChunks([Buffer.from(text)], { format: fields });
    const accesses = await accessesOf(reading);
    const refused = reading.statistics.unparsedLines.map(({ line, reason }) => [line, reason]);
    return { accesses, refused, format: reading.statistics.files[0]?.format };
  };

  it.each([
    ['JSON with nested objects', nested, object()],
    [
      'names with dots',
      'client=a.b,time=t,url=u.v.w,bytes=n,agent=x.y,duration=d:ns',
      JSON.stringify({
        'a.b': '192.0.2.1',
        t: 1_706_695_200_000,
        u: { 'v.w': '/a?b=1' },
        n: '5120',
        x: { y: firefox },
        d: 12e6,
      }),
    ],
    [
      'comma-separated, with names',
      named,
      `ip,when,req,code,size,"ua",s\n192.0.2.1,1706695200000,GET /a?b=1 HTTP/1.1,200,5120,"${firefox}",0.012`,
    ],
    [
      'tab-separated, with names in any order',
      named,
      `ua\ts\tip\tother\treq\twhen\tcode\tsize\n${firefox}\t0.012\t192.0.2.1\t,\tGET /a?b=1 HTTP/1.1\t1706695200000\t200\t5120`,
    ],
    [
      'tab-separated, by number',
      numbered,
      `[31/Jan/2024:11:00:00 +0100]\t192.0.2.1\tGET\t/a\t?b=1\t200\t5120\t${firefox}\t12\t-`,
    ],
    [
      'separated by spaces, by number',
      'time=1,client=2,status=3,request=4,bytes=5,agent=6,duration=7:s',
      `2024-01-31T10:00:00+00:00 192.0.2.1 200 "GET /a?b=1 HTTP/1.1"  5120 "${firefox}" 0.012`,
    ],
    [
      'comma-separated, by number, with quotes and escaped quotes',
      numbered,
      `"2024-01-31 10:00:00","192.0.2.1",GET,"/a","b=1",200,"5120","${firefox}",12,""`,
    ],
  ])('%s', async (_, fields, text) => {
    const { accesses, refused, format } = await readWith(fields, `${text}\n`);
    expect({ accesses, refused }).toEqual({ accesses: [asked], refused: [] });
    expect(format).toBe('fields');
  });

  it('the names may come again, as in logs that were put together', async () => {
    const text = 'ip,ts,path\na,1706695200,/1\nip,ts,path\nb,1706695201,/2\n';
    const { accesses, refused } = await readWith('client=ip,time=ts,url=path', text);
    expect(accesses.map(({ url }) => url)).toEqual(['/1', '/2']);
    expect(refused).toEqual([]);
  });

  it('a prefetch, a redirect, and a client without user agent are seen as such', async () => {
    const fields = `${nested},purpose=purpose`;
    const lines = [
      object({ purpose: 'prefetch' }),
      object({ code: 302 }),
      object({ req: { method: 'GET', path: '/', headers: {} } }),
    ];
    const reading = readChunks([Buffer.from(lines.join('\n'))], { format: fields });
    expect((await accessesOf(reading)).map(({ prefetch }) => prefetch)).toEqual([true]);
    expect(reading.statistics.dropped).toMatchObject({ status: 1, bot: 1 });
  });

  it.each([
    ['client=ip,time=ts,url=path', 'a,1706695200,/1\n', 'not all of the columns ip, ts, path'],
    [nested, '{"ts":1}', 'no client that can be read in "ip"'],
    [nested, object({ ts: 'yesterday' }), 'no time that can be read in "ts"'],
    [nested, object({ code: {} }), 'no status that can be read in "code"'],
    [nested, object({ req: [] }), 'no url that can be read in "req.path"'],
    [nested, '{"ip":"a"}\nprose', 'no JSON object'],
    [numbered, 'x,192.0.2.1\n', `not all of the columns 2, 1, 3, 4, 5, 6, 7, 8, 9, 10`],
    ['client=2,time=1,url=3', 'x,192.0.2.1,/\n', 'no time that can be read in "1"'],
  ])('with %s, %j is not read, for a reason in words', async (fields, text, reason) => {
    const { accesses, refused } = await readWith(fields, text);
    expect(accesses).toEqual([]);
    expect(refused.map(([, why]) => why)).toContain(reason);
  });

  it.each([
    ['client,time=ts', 'format must be pairs as client=ip,time=ts,url=path, not "client"'],
    ['clinet=ip', 'format has "clinet", which is unknown; did you mean client?'],
    ['client=', 'format must have a place of client, a name'],
    ['client=a,client=b', 'format names client twice'],
    ['client=a,url=b', 'format must say where time is, as'],
    ['agent=a', 'format must say where client and time and url is, as'],
    ['client=a,time=b,url=c,duration=d', 'format must have a unit of duration, s, ms, us or ns'],
  ])('%.40s is refused at once', (fields, message) => {
    expect(() => readLog([], { format: fields })).toThrow(
      expect.objectContaining({
        code: 'invalid-option',
        option: 'format',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('hostile lines are refused or read, and each is counted once', async () => {
    const start = [`${object()}\n`, 'ip,when,req,code,size,ua,s\n', '1\t2\t3\n'];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(nested, named, numbered),
        fc.constantFrom(...start),
        fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 10 }),
        async (fields, first, noise) => {
          const reading = readChunks([Buffer.from(first + noise.join('\n'))], { format: fields });
          for (const { timeMs, bytes } of await accessesOf(reading)) {
            expect([timeMs, bytes].every(Number.isFinite)).toBe(true);
          }
          const { lines, parsed, unparsed, withoutAccess } = reading.statistics;
          expect(parsed + unparsed + withoutAccess).toBe(lines);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('settings', () => {
  it('host keeps one site of a log of many, and its URLs become paths', async () => {
    const path = join(logs, 'vhost-combined.log');
    const [first] = await accessesOf(readLog([path], { host: 'EXAMPLE.com:443' }));
    expect(first?.url).toBe('/');
    const other = readLog([path], { host: 'other.example' });
    expect(await accessesOf(other)).toEqual([]);
    expect(other.statistics.dropped['other-host']).toBe(7);
    expect([...other.statistics.hosts]).toEqual([['example.com', 7]]);
  });

  it('tells progress in bytes of the file, and at the end that all is read', async () => {
    const told: LogProgress[] = [];
    const path = file('progress.gz', gzipSync(many));
    const reading = readLog([path], { onProgress: (progress) => told.push(progress) });
    await accessesOf(reading);
    const size = readFileSync(path).length;
    const whole = { bytesRead: size, bytesTotal: size, lines: 20_000, timeLeftMs: 0 };
    expect(told.at(-1)).toMatchObject(whole);
  });

  it('leaving the loop early ends the reading', async () => {
    const reading = readLog([file('early', many)]);
    for await (const batch of reading) {
      expect(batch.length).toBeGreaterThan(0);
      break;
    }
    expect(reading.statistics.lines).toBeLessThan(20_000);
  });
});

it('- is standard input', () => {
  const index = new URL('../../../prefetchd/log/index.ts', import.meta.url).href;
  const script = `import { readLog } from ${JSON.stringify(index)};
    for await (const batch of readLog(['-'])) for (const { url } of batch) console.log(url);`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    input: gzipSync(line('a', 1, '/from-stdin')),
    encoding: 'utf8',
  });
  expect(output).toBe('/from-stdin\n');
});

describe('the real logs', () => {
  it('EPA-HTTP, with days without a month, is read whole, and is nearly all of visitors', async () => {
    const reading = readLog([join(logs, 'epa-http-1995.clf.gz')]);
    await accessesOf(reading);
    const { statistics } = reading;
    expect(statistics).toMatchObject({ lines: 47_748, unparsed: 0 });
    expect(statistics.firstTimeMs).toBe(Date.parse('1995-08-29T23:53:25-04:00'));
    expect(statistics.lastTimeMs).toBe(Date.parse('1995-08-30T23:53:07-04:00'));
    expect(statistics.dropped.bot).toBeLessThan(20);
  });

  it('the Apache log of 2015 has one line that is cut; a good part of it is bots', async () => {
    const reading = readLog([join(logs, 'elastic-apache-2015.combined.log.gz')]);
    await accessesOf(reading);
    const { statistics } = reading;
    expect(statistics).toMatchObject({ lines: 10_000, unparsed: 1 });
    const cut = { line: 8899, reason: '"user agent" is not closed' };
    expect(statistics.unparsedLines).toMatchObject([cut]);
    expect(statistics.dropped.bot).toBeGreaterThan(2500);
  });
});
