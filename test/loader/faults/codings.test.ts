// Bodies in a content coding that is cut, corrupt, unknown, or far larger than it looks.

import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { loadPage } from '../../../loader/index.ts';
import { expectOwnBytes, numberedImage } from '../../support/image-page.ts';
import { loadFrom } from '../../support/quick-load.ts';
import { response } from '../../support/raw-server.ts';
import { residentGrowth } from '../../support/resident-growth.ts';
import {
  expectOnlyFaulty,
  expectRootError,
  faulty,
  http1,
  loadWithFault,
  page,
  serverWithFault,
} from './one-fault.ts';

const mebibyte = 1024 * 1024;
const gif = numberedImage(2).body;

function coded(coding: string, bytes: Uint8Array): Buffer {
  return response(bytes, {
    'X-For': faulty,
    'Content-Type': 'image/gif',
    'Content-Encoding': coding,
  });
}

describe.each(http1)('%s', (protocol) => {
  /** The image in gzip whole, and byte by byte. */
  const loadedTwice = async (bytes: Uint8Array) => {
    const whole = coded('gzip', bytes);
    const records = [];
    for (const pieces of [[whole], [...whole].map((byte) => Buffer.of(byte))]) {
      const { load } = await loadWithFault({ protocol }, (connection) => {
        for (const piece of pieces) connection.write(piece);
      });
      records.push(load);
    }
    return records;
  };

  const behind = 'bytes behind the gzip body';
  const lacking = 'a gzip body without its whole trailer';
  const zipped = zlib.gzipSync(gif);
  const odd: Array<[string, string, Uint8Array]> = [
    ...[8, 7, 4, 1].map((bytes): [string, string, Uint8Array] => [
      `the last ${bytes} bytes of its trailer missing`,
      lacking,
      zipped.subarray(0, -bytes),
    ]),
    ...['\r\n', '<!-- generated -->', '\0\0\0', '\x1f', '\x1f\x8b\x08', '\x1f\x8b!'].map(
      (text): [string, string, Uint8Array] => [
        `${JSON.stringify(text)} behind it`,
        behind,
        Buffer.concat([zipped, Buffer.from(text, 'latin1')]),
      ],
    ),
    [
      'a comment behind two members',
      behind,
      Buffer.concat([
        zlib.gzipSync(gif.subarray(0, 40)),
        zlib.gzipSync(gif.subarray(40)),
        Buffer.from('<!-- -->'),
      ]),
    ],
  ];

  it.each(odd)('gzip with %s is decoded, and the row says so', async (_name, quirk, bytes) => {
    for (const record of await loadedTwice(bytes)) {
      expectOwnBytes(record, page);
      for (const { url, quirks } of record.resources) {
        expect(quirks).toEqual(url.endsWith(faulty) ? [quirk] : []);
      }
    }
  });

  it('all fields of a gzip header are passed (RFC 1952 2.3)', async () => {
    // FHCRC, FEXTRA, FNAME and FCOMMENT.
    const fields = Buffer.from('\x04\0extrname\0comment\0\x12\x34', 'latin1');
    const head = Buffer.concat([
      zipped.subarray(0, 3),
      Buffer.of(2 + 4 + 8 + 16),
      zipped.subarray(4, 10),
    ]);
    const bytes = Buffer.concat([head, fields, zipped.subarray(10)]);
    for (const record of await loadedTwice(bytes)) expectOwnBytes(record, page);
  });

  const broken: Array<[string, string, Uint8Array]> = [
    ['gzip that is cut', 'gzip', zlib.gzipSync(gif).subarray(0, -12)],
    [
      'gzip with a name that is cut',
      'gzip',
      Buffer.of(0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, 97, 97, 97),
    ],
    ['gzip with a wrong length', 'gzip', flipped(zlib.gzipSync(gif), -2)],
    ['gzip of one byte', 'gzip', zlib.gzipSync(gif).subarray(0, 1)],
    ['gzip with a wrong checksum', 'gzip', flipped(zlib.gzipSync(gif), -6)],
    ['gzip that is none', 'gzip', gif],
    ['deflate that is cut', 'deflate', zlib.deflateSync(gif).subarray(0, -8)],
    ['zstd that is cut', 'zstd', zlib.zstdCompressSync(gif).subarray(0, -8)],
    [
      'the inner of two that is cut',
      'deflate, gzip',
      zlib.gzipSync(zlib.deflateSync(gif).subarray(0, -8)),
    ],
  ];

  it.each(broken)(
    'an image in %s: coding-broken, naming the coding (RFC 9110 8.4)',
    async (_name, coding, bytes) => {
      const { load, server } = await loadWithFault({ protocol }, (connection) => {
        connection.write(coded(coding, bytes));
      });
      expectOnlyFaulty(load, 'coding-broken', new RegExp(coding.replace(', ', '|')));
      expect(server.requests.length).toBe(7); // the connection is sound: nothing is asked twice
    },
  );

  it('a page in gzip that is cut: coding-broken (RFC 9110 8.4)', async () => {
    const { load } = await loadFrom({ protocol }, (_request, connection) =>
      connection.write(coded('gzip', zlib.gzipSync(gif).subarray(0, -12))),
    );
    expectRootError(load, 'coding-broken', /gzip/);
  });

  it.each([
    ['frobnicate', 'coding-unsupported', /frobnicate/],
    [Array.from({ length: 500 }, () => 'gzip').join(','), 'too-many-codings', /500 .*2/],
  ] as const)('%s: %s (RFC 9110 8.4)', async (coding, code, says) => {
    const { load, server } = await loadWithFault({ protocol }, (connection) => {
      connection.write(coded(coding, gif));
    });
    expectOnlyFaulty(load, code, says);
    expect(server.requests.length).toBe(7);
  });
});

it.each(['image', 'page'] as const)(
  'a bomb of one gigabyte as %s: body-too-large at the default limit, in bounded memory',
  async (what) => {
    const member = zlib.gzipSync(Buffer.alloc(64 * mebibyte));
    const bomb = coded('gzip', Buffer.concat(Array.from({ length: 16 }, () => member)));
    await using server = await serverWithFault(what === 'page' ? '/' : faulty, (connection) => {
      connection.write(bomb);
    });
    using memory = residentGrowth();
    const record = await loadPage(server.origin, {
      protocol: 'pipelined',
      timeouts: { pageMs: 8_000 },
    });
    const row = record.resources.find(({ error }) => error !== null);
    expect(row?.error?.code).toBe('body-too-large');
    expect(row?.error?.message).toContain(`${64 * mebibyte}`);
    expect(memory.mostBytes()).toBeLessThan(150 * mebibyte);
  },
);

it('bombs that are small enough each stop at four times limits.maxResourceBytes together', async () => {
  const bomb = zlib.gzipSync(Buffer.alloc(3 * mebibyte));
  const { load: record } = await loadFrom(
    { protocol: 'pipelined', limits: { maxResourceBytes: 3 * mebibyte } },
    ({ path }, connection) =>
      void connection.write(path === '/' ? page.answer('/') : coded('gzip', bomb)),
  );
  const codes = record.resources.flatMap(({ error }) => error?.code ?? []);
  expect(codes.length).toBeGreaterThanOrEqual(2);
  expect(new Set(codes)).toEqual(new Set(['page-too-large']));
  expect(record.totals.bodyBytes).toBeLessThan(14 * mebibyte);
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  const place = at < 0 ? copy.length + at : at;
  copy[place] = (copy[place] as number) ^ 0x10;
  return copy;
}
