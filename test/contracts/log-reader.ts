// What every log format has to do. A format's own test gives a log and the accesses worked out by hand;
// this suite reads it in every chunking, detected and forced, with other line ends, and among hostile lines.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Access } from '../../prefetchd/access.ts';
import { detectFormat } from '../../prefetchd/log/formats/index.ts';
import {
  type LogFormat,
  type LogReading,
  type ReadLogOptions,
  readLog,
} from '../../prefetchd/log/index.ts';
import { shareRead } from '../../prefetchd/log/log-format.ts';
import { chunkings } from '../loader/scan/chunkings.ts';
import fc from '../support/property.ts';

export interface LogReaderCase {
  format: LogFormat;
  /** The log, UTF-8, with line feeds, with a line at its end that is an access. */
  path: string;
  accesses: Access[];
  /** The lines it has that cannot be read. */
  unparsed: Array<{ line: number; reason: string }>;
  /** Counts that are not zero. */
  dropped: Record<string, number>;
  /** Blank lines, directives and other events. */
  withoutAccess: number;
}

export async function accessesOf(reading: LogReading): Promise<Access[]> {
  const all: Access[] = [];
  for await (const batch of reading) all.push(...batch);
  return all;
}

/** A log from chunks. */
export function readChunks(chunks: Iterable<Uint8Array>, options?: ReadLogOptions): LogReading {
  return readLog([{ name: 'chunks', chunks: asynchronous(chunks) }], options);
}

async function* asynchronous(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

export function describeLogReader(name: string, given: LogReaderCase): void {
  const { format, path, accesses, unparsed, dropped, withoutAccess } = given;
  const bytes = readFileSync(path);
  const lines = bytes.toString('utf8').split('\n');

  const expectAll = async (reading: LogReading) => {
    expect(await accessesOf(reading)).toEqual(accesses);
    const { statistics } = reading;
    const refused = statistics.unparsedLines.map(({ line, reason }) => ({ line, reason }));
    const counted = Object.entries(statistics.dropped).filter(([, count]) => count > 0);
    expect([refused, Object.fromEntries(counted)]).toEqual([unparsed, dropped]);
    const all = lines.length - (lines.at(-1) === '' ? 1 : 0);
    expect(statistics).toMatchObject({
      ...{ lines: all, accesses: accesses.length, withoutAccess, unparsed: unparsed.length },
      parsed: all - unparsed.length - withoutAccess,
      files: [{ format: format.name }],
    });
  };

  describe(`log format ${name}`, () => {
    it('is detected, and the file gives the accesses worked out by hand', () =>
      expectAll(readLog([path])));

    it('gives the same when it is forced', () =>
      expectAll(readLog([path], { format: format.name })));

    it.each(chunkings(bytes))('gives the same in every chunking: $name', ({ chunks }) =>
      expectAll(readChunks(chunks)),
    );

    it('gives the same with a cut inside every character of more than one byte', async () => {
      const cuts = [...bytes.keys()].filter((at) => ((bytes[at] as number) & 0xc0) === 0x80);
      for (const cut of cuts) {
        await expectAll(readChunks([bytes.subarray(0, cut), bytes.subarray(cut)]));
      }
    });

    it('gives the same with CRLF, with a byte order mark, and without a last line end', async () => {
      const text = bytes.toString('utf8');
      await expectAll(readChunks([Buffer.from(text.replaceAll('\n', '\r\n'))]));
      await expectAll(readChunks([Buffer.from(`\ufeff${text}`)]));
      await expectAll(readChunks([Buffer.from(text.replace(/\n$/, ''))]));
    });

    it('fits its own lines better than any other format does', () => {
      expect(detectFormat(lines)?.name).toBe(format.name);
      expect(shareRead(format, lines)).toBeGreaterThan(0.8);
      expect(shareRead(format, [])).toBe(0);
      expect(shareRead(format, ['', 'no log at all', '{}', '#'])).toBe(0);
    });

    it('says in words why a line cannot be read, and never throws', () => {
      const parser = format.createParser();
      const hostile = fc.oneof(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        damaged(lines),
      );
      fc.assert(
        fc.property(hostile, (line) => {
          const parsed = parser.parse(line);
          if (typeof parsed === 'string') return parsed !== '';
          const { timeMs = 0, bytes: size = 0, status = 0 } = parsed ?? {};
          return Number.isFinite(timeMs) && [size, status].every(Number.isSafeInteger);
        }),
        { numRuns: 500 },
      );
    });

    it('reads hostile bytes to their end with each line counted once', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (noise) => {
          const reading = readChunks([noise, Buffer.from('\n'), bytes], { format: format.name });
          await accessesOf(reading);
          const { lines: all, parsed, unparsed: refused, withoutAccess: none } = reading.statistics;
          expect(parsed + refused + none).toBe(all);
        }),
        { numRuns: 30 },
      );
    });

    it('takes time that grows with the length of a line, not with its square', () => {
      const parser = format.createParser();
      for (const line of lines) parser.parse(line);
      const start = lines.find((line) => line.includes('GET')) ?? '';
      const units = ['"', '\\"', ' "', '[', ' [0', ' ', '\t', '" 200', '{"a":', '\\x', ',""'];
      for (const unit of units) {
        for (const at of [0, 20, start.indexOf('GET'), start.length]) {
          parser.parse(start.slice(0, at) + unit.repeat(300_000) + start.slice(at));
        }
      }
    }, 10_000);
  });
}

/** Lines with a part taken out, put in twice or overwritten. */
function damaged(lines: readonly string[]): fc.Arbitrary<string> {
  const noise = fc.string({ unit: 'binary', maxLength: 20 });
  return fc
    .tuple(fc.constantFrom(...lines), fc.nat(400), fc.nat(40), noise)
    .map(([line, at, length, text]) => {
      const start = Math.min(at, line.length);
      return line.slice(0, start) + text + line.slice(start + length);
    });
}
