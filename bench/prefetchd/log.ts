// Lines per second of the log reader beside a bare regular expression and GoAccess, on one real log
// repeated until it is long. Runs by itself: node bench/prefetchd/log.ts [LOG] [--lines N] [--rounds N]
// The readers take turns, so that what else the machine does falls on all alike; ratios are of one round.

import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createGunzip } from 'node:zlib';
import { readLog } from '../../prefetchd/log/index.ts';
import { repository } from '../paths.ts';
import { formatSpread, ratios, spreadOf } from '../spread.ts';
import { readByRegex } from './log-regex-reader.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lines: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
  },
});
const [log = join(repository, 'fixtures/logs/epa-http-1995.clf.gz')] = positionals;
const leastLines = Number(flags.lines);
const rounds = Number(flags.rounds);

async function text(path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const bytes = createReadStream(path);
  const plain = path.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  for await (const chunk of plain) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function readAll(path: string, filter: boolean): Promise<number> {
  const reading = readLog([path], { filter });
  for await (const _ of reading);
  return reading.statistics.lines;
}

function goAccess(path: string, logFormat: string): number {
  const args = [path, `--log-format=${logFormat}`, '--no-ip-validation', '--no-global-config'];
  execFileSync('goaccess', [...args, '-o', `${path}.json`], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  return 0;
}

function hasGoAccess(): boolean {
  try {
    execFileSync('goaccess', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'bench-log-'));
try {
  const path = join(folder, 'long.log');
  const once = await text(log);
  const logFormat = once.subarray(0, once.indexOf(10)).toString().endsWith('"')
    ? 'COMBINED'
    : 'COMMON';
  const linesOnce = once.toString('latin1').split('\n').length - 1;
  const times = Math.ceil(leastLines / linesOnce);
  for (let n = 0; n < times; n++) await appendFile(path, once);
  const lines = linesOnce * times;

  const readers: Record<string, () => Promise<number> | number> = {
    'bare regex': () => readByRegex(path),
    'readLog, filter on': () => readAll(path, true),
    'readLog, filter off': () => readAll(path, false),
  };
  if (hasGoAccess()) readers['goaccess (own process, report)'] = () => goAccess(path, logFormat);

  const speeds: Record<string, number[]> = Object.fromEntries(
    Object.keys(readers).map((name) => [name, []]),
  );
  for (let round = -1; round < rounds; round++) {
    for (const [name, read] of Object.entries(readers)) {
      const startMs = performance.now();
      await read();
      const speed = (lines / (performance.now() - startMs)) * 1000;
      // The first round warms up.
      if (round >= 0) speeds[name]?.push(speed);
    }
  }
  const base = speeds['bare regex'] as number[];
  process.stdout.write(
    `${lines} lines, ${rounds} rounds; lines/s: median (least-most), x bare regex\n`,
  );
  for (const [name, values] of Object.entries(speeds)) {
    const ratio = formatSpread(spreadOf(ratios(values, base)));
    process.stdout.write(
      `${name.padEnd(32)}${formatSpread(spreadOf(values), 0).padEnd(36)}${ratio}\n`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
