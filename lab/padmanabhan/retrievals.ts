// Retrievals in a log of 1995: their sizes (Padmanabhan 1995, 1 and 3.1), and how many images a GETALL would send to a
// client that has them already (5.2).

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Cell, Table } from '../result.ts';

export interface Retrieval {
  client: string;
  /** Seconds, from the month before the log on. */
  atS: number;
  path: string;
  bytes: number;
}

const line =
  /^(\S+) \S+ \S+ \[(\d+)\/\w+\/\d+:(\d+):(\d+):(\d+) [^\]]*\] "GET (\S+)[^"]*" 200 (\d+|-)$/;

/** Reads complete retrievals of a log in the Common Log Format that is not longer than a month. */
export function readRetrievals(file: string): Retrieval[] {
  const text = gunzipSync(readFileSync(file)).toString('latin1');
  return text.split('\n').flatMap((each) => {
    const found = line.exec(each);
    if (found === null) return [];
    const [, client = '', day, hour, minute, second, path = '', bytes] = found;
    const atS = ((Number(day) * 24 + Number(hour)) * 60 + Number(minute)) * 60 + Number(second);
    return [{ client, atS, path, bytes: Number(bytes) || 0 }];
  });
}

const isImage = (path: string) => /\.(?:gif|xbm|jpe?g)$/i.test(path);
const isPage = (path: string) => /(?:\/|\.html?)$/i.test(path);

/** Sizes of the files that were retrieved, each once. */
export function fileSizes(all: readonly Retrieval[]): number[] {
  const sizes = new Map(all.map(({ path, bytes }) => [path, bytes]));
  return [...sizes.values()].filter((bytes) => bytes > 0);
}

export function sizesTable(all: readonly Retrieval[]): Table {
  const sizes = all.map(({ bytes }) => bytes);
  const gifs = all.filter(({ path }) => /\.gif$/i.test(path)).map(({ bytes }) => bytes);
  const row = (
    what: string,
    values: readonly number[],
    paper: readonly (number | null)[],
  ): Cell[] => [...[what, values.length, mean(values), median(values)], ...paper];
  const digits = 0;
  return {
    title: 'Sizes of retrievals: the log of the EPA, and the sample of the paper',
    columns: [
      { name: 'retrievals', meaning: 'complete ones, status 200', text: true },
      { name: 'number', meaning: 'of them in the log', digits },
      { name: 'mean', meaning: 'bytes', digits },
      { name: 'median', meaning: 'bytes', digits },
      { name: 'paper: number', meaning: 'in its sample; of GIFs about 45 %', digits },
      { name: 'paper: mean', meaning: 'bytes; of GIFs "slightly larger"', digits },
      { name: 'paper: median', meaning: 'bytes; of GIFs "slightly smaller"', digits },
    ],
    rows: [
      row('all', sizes, [200_000, 12_925, 1_770]),
      row(
        'without empty ones',
        sizes.filter((bytes) => bytes > 0),
        [187_273, 13_767, 1_946],
      ),
      row(`GIFs, ${Math.round((100 * gifs.length) / sizes.length)} %`, gifs, [90_000, null, null]),
    ],
  };
}

/** Time after a page in which images asked for by its client are taken for its own, s. */
const pageS = 60;
/** Visits in which an image followed a page, from which on it is taken for the page's. */
const leastVisits = 2;

/**
 * Counts what the paper's client (GETALL on its first visit of a page, later GETLIST) would get again though it has it.
 * The log names no page of an image: an image is a page's if it followed it at several clients.
 */
export function cachedImagesTable(all: readonly Retrieval[]): Table {
  const visits = new Map<string, Map<string, Set<string>>>();
  const bytesOf = new Map<string, number>();
  const current = new Map<string, Retrieval>();
  for (const each of all) {
    const { client, path, atS, bytes } = each;
    if (isPage(path)) current.set(client, each);
    const page = current.get(client);
    if (!isImage(path) || page === undefined || atS - page.atS > pageS) continue;
    bytesOf.set(path, bytes);
    const images = visits.get(page.path) ?? new Map<string, Set<string>>();
    visits.set(page.path, images.set(path, (images.get(path) ?? new Set()).add(client)));
  }
  const imagesOf = (page: string) =>
    [...(visits.get(page) ?? [])].flatMap(([image, by]) => (by.size >= leastVisits ? [image] : []));
  const seen = new Map<string, Set<string>>();
  const sent = { pages: 0, images: 0, bytes: 0, again: 0, againBytes: 0 };
  for (const { client, path } of all) {
    const has = seen.get(client) ?? new Set<string>();
    seen.set(client, has);
    if (isImage(path)) has.add(path);
    if (!isPage(path) || has.has(path)) continue;
    has.add(path);
    const images = imagesOf(path);
    if (images.length === 0) continue;
    sent.pages++;
    for (const image of images) {
      const bytes = bytesOf.get(image) ?? 0;
      sent.images++;
      sent.bytes += bytes;
      if (!has.has(image)) continue;
      sent.again++;
      sent.againBytes += bytes;
    }
    for (const image of images) has.add(image);
  }
  return {
    title: 'GETALL on the first visit of each page, replayed over the log of the EPA',
    columns: [
      { name: 'pages', meaning: 'first visits of pages with images, of all clients', digits: 0 },
      { name: 'images', meaning: 'that GETALL sends with them', digits: 0 },
      {
        ...{ name: 'held already %', digits: 0 },
        meaning:
          'of these images: the client has them from another page; our `held` makes them 304s',
      },
      {
        name: 'of the bytes %',
        meaning: 'bytes of these among those of all images sent',
        digits: 0,
      },
    ],
    rows: [
      [
        ...[sent.pages, sent.images],
        ...[(100 * sent.again) / sent.images, (100 * sent.againBytes) / sent.bytes],
      ],
    ],
  };
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[sorted.length >> 1] as number;
}
