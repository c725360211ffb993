// Reads pages to browse: URLs, or a list in a file: on each line a URL and, optionally, how long the visitor stays on
// the page (`500`, `500ms`, `2s`), `#` for comments; or JSON, an array of URLs or of { url, thinkMs }. An entry that
// cannot be read is reported with its line or position.

import { readFile, stat } from 'node:fs/promises';
import { fileFailure } from '../../process/file-failure.ts';
import { CommandError } from '../command-error.ts';
import { time } from '../flag-values.ts';
import { pageAddress } from './page-address.ts';

export interface ListedPage {
  url: string;
  /** How long the visitor stays on the page, ms; null: the list of pages does not say. */
  thinkMs: number | null;
}

interface ListEntry extends ListedPage {
  /** File, and line or position in it, for messages about this entry; '' if the URL is an argument of the command. */
  place: string;
}

/**
 * Reads the pages to browse.
 * @param targets URLs, or the name of one file
 * @param origin Origin of paths; null: only whole URLs are accepted
 * @throws CommandError
 */
export async function pagesOf(targets: string[], origin: string | null): Promise<ListedPage[]> {
  const [first] = targets;
  if (first === undefined) {
    throw new CommandError('what is to be browsed? Name URLs, a file that lists them, or --log', 2);
  }
  const isFile = targets.length === 1 && (await stat(first).catch(() => null))?.isFile() === true;
  const entries = isFile
    ? await readList(first)
    : targets.map((url) => ({ place: '', url, thinkMs: null }));
  const pages: ListedPage[] = [];
  for (const { place, url, thinkMs } of entries) {
    try {
      pages.push({ url: await webUrl(url, origin), thinkMs });
    } catch (error) {
      const { message } = error as Error;
      throw new CommandError(place === '' ? message : `${place}: ${message}`, 2, { cause: error });
    }
  }
  return pages;
}

/** Returns the http or https URL that a text stands for. @throws CommandError */
export async function webUrl(text: string, origin: string | null): Promise<string> {
  if (text.startsWith('/') && origin === null) {
    throw new CommandError(`${text} is a path; say of which site with --origin`, 2);
  }
  const url = URL.parse(text.startsWith('/') ? `${origin}${text}` : await pageAddress(text));
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw new CommandError(`${JSON.stringify(text.slice(0, 200))} is no http or https URL`, 2);
}

async function readList(file: string): Promise<ListEntry[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CommandError(fileFailure(file, 'read', cause), 2, { cause });
  });
  const entries = /^\s*\[/.test(text) ? jsonEntries(file, text) : lineEntries(file, text);
  if (entries.length === 0) throw new CommandError(`${file} names no page`, 2);
  return entries;
}

function lineEntries(file: string, text: string): ListEntry[] {
  return text.split(/\r?\n/).flatMap((line, index): ListEntry[] => {
    const place = `${file}:${index + 1}`;
    // A `#` without a space before it does not begin a comment, but a URL's fragment.
    const [url = '', stay] = line
      .replace(/(^|\s)#.*$/, '')
      .trim()
      .split(/\s+(.*)/);
    if (url === '') return [];
    if (stay === undefined) return [{ place, url, thinkMs: null }];
    try {
      return [{ place, url, thinkMs: time(stay) }];
    } catch {
      const rule = 'after the URL comes a time, as 500, 500ms or 2s';
      throw new CommandError(`${place}: ${rule}, not ${JSON.stringify(stay.slice(0, 60))}`, 2);
    }
  });
}

function jsonEntries(file: string, text: string): ListEntry[] {
  let list: unknown[];
  try {
    list = JSON.parse(text);
  } catch (cause) {
    throw new CommandError(`${file}: ${(cause as Error).message}`, 2, { cause });
  }
  return list.map((entry, index) => {
    const place = `${file}, entry ${index + 1}`;
    const given =
      typeof entry === 'string' ? { url: entry } : (entry as Partial<ListedPage> | null);
    const { url, thinkMs = null } = given ?? {};
    const isTime = thinkMs === null || (typeof thinkMs === 'number' && thinkMs >= 0);
    if (typeof url !== 'string' || !isTime) {
      throw new CommandError(`${place}: it must be a URL, or { url, thinkMs } with ms from 0`, 2);
    }
    return { place, url, thinkMs };
  });
}

/** How long a visitor stays on a page if that is not recorded, ms. */
const usualThinkMs = 1_000;

/**
 * Reads `--think`: `recorded`, `none`, `500`, `2s`, `x0.01`.
 * @returns A function from a visitor's recorded time on a page (ms; null: none) to that of the simulated visitor, ms
 * @throws CommandError
 */
export function thinkTime(text: string): (toldMs: number | null) => number {
  if (text === 'recorded') return (toldMs) => toldMs ?? usualThinkMs;
  if (text === 'none') return () => 0;
  const factor = /^x(\d+(?:\.\d+)?|\.\d+)$/.exec(text)?.[1];
  if (factor !== undefined) return (toldMs) => (toldMs ?? usualThinkMs) * Number(factor);
  try {
    const everyMs = time(text);
    return () => everyMs;
  } catch {
    const rule = 'recorded, none, a time (500 or 2s) or a factor (x0.01)';
    throw new CommandError(`--think must be ${rule}, not ${JSON.stringify(text)}`, 2);
  }
}
