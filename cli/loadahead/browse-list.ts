// Pages to browse, as a list in a file: on each line a URL and, optionally, how long the visitor stays on the page
// (`500`, `500ms`, `2s`), `#` for comments; or JSON, an array of URLs or of { url, thinkMs }. An entry that cannot be
// read is reported with its line or position.

import { readFile } from 'node:fs/promises';
import { CommandError } from '../command-error.ts';
import { pageAddress } from './load.ts';
import { parseDuration } from './think-time.ts';

export interface ListedPage {
  url: string;
  /** null: the list gives no time. */
  thinkMs: number | null;
}

const mostBytes = 16 * 1024 * 1024;

/** @param origin Origin of paths; null: only whole URLs are accepted. @throws CommandError */
export async function readList(file: string, origin: string | null): Promise<ListedPage[]> {
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new CommandError(`${file}: ${cause.message}`, 2, { cause });
  });
  if (text.length > mostBytes) throw new CommandError(`${file} is over ${mostBytes} bytes`, 2);
  const entries = /^\s*\[/.test(text) ? jsonEntries(file, text) : lineEntries(file, text);
  if (entries.length === 0) throw new CommandError(`${file} names no page`, 2);
  const pages: ListedPage[] = [];
  for (const { place, url, thinkMs } of entries) {
    pages.push({ url: await listedUrl(place, url, origin), thinkMs });
  }
  return pages;
}

interface Entry extends ListedPage {
  place: string;
}

function lineEntries(file: string, text: string): Entry[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const place = `${file}:${index + 1}`;
    // A `#` in the middle of a URL is its fragment.
    const [url, time, ...more] = line
      .replace(/(^|\s)#.*$/, '')
      .trim()
      .split(/\s+/);
    if (url === undefined || url === '') return [];
    const shown = [time, ...more].join(' ');
    const thinkMs = time === undefined ? null : parseDuration([time, ...more].join(''));
    if (time !== undefined && thinkMs === null) {
      const rule = 'after the URL comes a time, as 500, 500ms or 2s';
      throw new CommandError(`${place}: ${rule}; got ${JSON.stringify(shown.slice(0, 60))}`, 2);
    }
    return [{ place, url, thinkMs }];
  });
}

function jsonEntries(file: string, text: string): Entry[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (cause) {
    throw new CommandError(`${file}: ${(cause as Error).message}`, 2, { cause });
  }
  return (list as unknown[]).map((entry, index) => {
    const place = `${file}, entry ${index + 1}`;
    const { url, thinkMs = null } = (
      typeof entry === 'object' && entry !== null ? entry : { url: entry }
    ) as { url?: unknown; thinkMs?: unknown };
    const isTime = thinkMs === null || (typeof thinkMs === 'number' && thinkMs >= 0);
    if (typeof url !== 'string' || !isTime) {
      throw new CommandError(`${place}: it must be a URL, or { url, thinkMs } with ms from 0`, 2);
    }
    return { place, url, thinkMs: thinkMs as number | null };
  });
}

async function listedUrl(place: string, text: string, origin: string | null): Promise<string> {
  if (text.startsWith('/')) {
    if (origin !== null && URL.canParse(text, origin)) return new URL(text, origin).href;
    throw new CommandError(`${place}: ${text} is a path; say of which site with --origin`, 2);
  }
  try {
    return webUrl(await pageAddress(text));
  } catch (error) {
    throw new CommandError(`${place}: ${(error as Error).message}`, 2, { cause: error });
  }
}

/** @throws CommandError unless it is an http or https URL. */
export function webUrl(address: string): string {
  const url = URL.parse(address);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw new CommandError(`${JSON.stringify(address.slice(0, 200))} is no http or https URL`, 2);
}
