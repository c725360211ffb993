// Plain log files for measurements: a real log repeated, and the visitors of a generated site.

import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import type { Access } from '../../prefetchd/index.ts';

const dayMs = 24 * 60 * 60 * 1000;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const stamp = /\[(\d\d)\/(\w{3})\/(\d{4}):(\d\d):(\d\d):(\d\d) /g;

export interface LongLog {
  lines: number;
  bytes: number;
  copies: number;
  /** Days from one copy to the next: time never jumps back. */
  shiftDays: number;
  format: 'common' | 'combined';
}

/** Write a log, plain or gzip, again and again until there are `leastLines`. */
export async function writeRepeated(
  log: string,
  path: string,
  leastLines: number,
): Promise<LongLog> {
  const once = await textOf(log);
  const linesOnce = once.split('\n').length - 1;
  const copies = Math.ceil(leastLines / linesOnce);
  const times = Array.from(once.matchAll(stamp), timeMsOf).sort((a, b) => a - b);
  const spanMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const shiftDays = Math.floor(spanMs / dayMs) + 1;
  await using file = await open(path, 'w');
  let bytes = 0;
  for (let copy = 0; copy < copies; copy++) {
    const text = Buffer.from(later(once, copy * shiftDays), 'latin1');
    await file.write(text);
    bytes += text.length;
  }
  const format = once.slice(0, once.indexOf('\n')).trimEnd().endsWith('"') ? 'combined' : 'common';
  return { lines: linesOnce * copies, bytes, copies, shiftDays, format };
}

/** Write `lines` accesses in the common format. */
export async function writeAccesses(
  accesses: Iterator<Access>,
  path: string,
  lines: number,
): Promise<void> {
  await using file = await open(path, 'w');
  const batchLines = 20_000;
  for (let made = 0; made < lines; made += batchLines) {
    let text = '';
    for (let line = made; line < Math.min(lines, made + batchLines); line++) {
      text += lineOf(accesses.next().value as Access);
    }
    await file.write(text);
  }
}

function lineOf({ client, url, timeMs, status, bytes }: Access): string {
  const iso = new Date(timeMs).toISOString();
  const day = `${iso.slice(8, 10)}/${months[Number(iso.slice(5, 7)) - 1]}/${iso.slice(0, 4)}`;
  return `${client} - - [${day}:${iso.slice(11, 19)} +0000] "GET ${url} HTTP/1.1" ${status} ${bytes}\n`;
}

/** With all dates so many days later. */
function later(text: string, days: number): string {
  if (days === 0) return text;
  const known = new Map<string, string>();
  return text.replace(/\[\d\d\/\w{3}\/\d{4}(?=:)/g, (date) => {
    const moved = known.get(date) ?? movedDate(date, days);
    known.set(date, moved);
    return moved;
  });
}

function movedDate(date: string, days: number): string {
  const [day, month, year] = date.slice(1).split('/') as [string, string, string];
  const moved = new Date(Date.UTC(Number(year), months.indexOf(month), Number(day) + days));
  const [two, at] = [String(moved.getUTCDate()).padStart(2, '0'), moved.getUTCMonth()];
  return `[${two}/${months[at]}/${moved.getUTCFullYear()}`;
}

function timeMsOf([, day, month, year, hour, minute, second]: RegExpMatchArray): number {
  return Date.UTC(
    Number(year),
    months.indexOf(month as string),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
}

async function textOf(path: string): Promise<string> {
  const bytes = createReadStream(path);
  const plain = path.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  const chunks: Buffer[] = [];
  for await (const chunk of plain) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('latin1');
  return text.endsWith('\n') ? text : `${text}\n`;
}
