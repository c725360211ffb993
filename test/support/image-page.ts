// A page whose every image can be told from every other by its length, width and height, so that a
// body that stands under a wrong URL is seen in the page's record.

import type { TlsOptions } from 'node:tls';
import { expect } from 'vitest';
import type { CacheStore } from '../../loader/cache/store.ts';
import type { LoaderErrorCode } from '../../loader/errors.ts';
import type { PageLoad, ResourceRecord } from '../../loader/page-load.ts';
import { answering, type RawServer, response } from './raw-server.ts';

export interface NumberedImage {
  path: string;
  body: Buffer;
  width: number;
  height: number;
}

export interface ImagePage {
  html: string;
  images: NumberedImage[];
  /** The whole response to a path, with an `X-For` header that names it. 404 for what it does not have. */
  answer(path: string, headers?: Record<string, string>, version?: string): Buffer;
}

/** @param count images; the page is at `/`. */
export function imagePage(count: number): ImagePage {
  const images = Array.from({ length: count }, (_, index) => numberedImage(index));
  const tags = images.map(({ path }) => `<img src="${path}">`);
  const html = `<!doctype html><title>${count} images</title>\n${tags.join('\n')}\n`;
  return {
    html,
    images,
    answer(path, headers = {}, version = 'HTTP/1.1') {
      const about = { 'X-For': path, ...headers };
      if (path === '/') {
        return response(html, { 'Content-Type': 'text/html', ...about }, '200 OK', version);
      }
      const image = images.find((each) => each.path === path);
      if (image === undefined) return response('none', about, '404 Not Found', version);
      return response(image.body, { 'Content-Type': 'image/gif', ...about }, '200 OK', version);
    },
  };
}

/** A server of the page, without a fault. */
export function serverOf(page: ImagePage, tls?: TlsOptions): Promise<RawServer> {
  return answering(({ path }, connection) => connection.write(page.answer(path)), tls);
}

/** The record has the page and each image exactly once. @returns rows by path. */
export function rowsByPath(load: PageLoad, page: ImagePage): Map<string, ResourceRecord> {
  const rows = new Map(load.resources.map((row) => [new URL(row.url).pathname, row]));
  expect([...rows.keys()].sort()).toEqual(['/', ...page.images.map(({ path }) => path)].sort());
  expect(load.resources.length).toBe(page.images.length + 1);
  return rows;
}

/** Every resource has its own bytes, or an error that says something. @returns the codes seen. */
export function expectOwnBytesOrError(load: PageLoad, page: ImagePage): LoaderErrorCode[] {
  const rows = rowsByPath(load, page);
  const codes: LoaderErrorCode[] = [];
  const wrong: string[] = [];
  for (const [path, row] of rows) {
    if (row.error !== null) {
      codes.push(row.error.code);
      if (row.error.message.length < 8) wrong.push(`${path}: says only ${row.error.message}`);
      continue;
    }
    const image = page.images.find((each) => each.path === path);
    const bodyBytes = image?.body.length ?? page.html.length;
    const from = row.responseHeaders.find(([name]) => name.toLowerCase() === 'x-for')?.[1];
    if (from !== path) wrong.push(`${path}: has the response for ${from}`);
    if (row.bodyBytes !== bodyBytes) wrong.push(`${path}: ${row.bodyBytes} bytes of ${bodyBytes}`);
    if (image !== undefined && (row.width !== image.width || row.height !== image.height)) {
      wrong.push(`${path}: ${row.width}x${row.height}, not ${image.width}x${image.height}`);
    }
    if (row.responseEndMs === null) wrong.push(`${path}: neither error nor end`);
  }
  expect(wrong).toEqual([]);
  return codes;
}

/** What a cache holds of the page's images are their own bytes. */
export function expectOwnStored(store: CacheStore, origin: string, { images }: ImagePage): void {
  const wrong = images.filter(({ path, body }) =>
    store.find(origin + path).some(({ id }) => store.body(id)?.equals(body) === false),
  );
  expect(wrong.map(({ path }) => path)).toEqual([]);
}

/** Every resource has its own bytes and no error. */
export function expectOwnBytes(load: PageLoad, page: ImagePage): void {
  const failed = load.resources.flatMap(({ url, error }) =>
    error === null ? [] : [`${new URL(url).pathname}: ${error.code}: ${error.message}`],
  );
  expect(failed).toEqual([]);
  expectOwnBytesOrError(load, page);
}

/** Connections that were open at the same time, as the client saw them. */
export function openAtOnce({ connections }: PageLoad): number {
  const open = (atMs: number) =>
    connections.filter(({ startMs, endMs }) => startMs <= atMs && atMs < (endMs ?? Infinity));
  return Math.max(...connections.map(({ startMs }) => open(startMs).length));
}

/** A GIF of its own length, width and height. */
export function numberedImage(index: number): NumberedImage {
  const width = index + 1;
  const height = 1000 + index;
  const screen = Buffer.alloc(7);
  screen.writeUInt16LE(width, 0);
  screen.writeUInt16LE(height, 2);
  screen[4] = 0x80; // a global colour table of two
  const palette = Buffer.from([0xff, 0xff, 0xff, 0, 0, 0]);
  const onePixel = Buffer.from('2c00000000010001000002024401003b', 'hex');
  const body = Buffer.concat([
    Buffer.from('GIF89a'),
    screen,
    palette,
    comment(`image ${index} `.padEnd(20 + ((index * 37) % 101) * 13, '.')),
    onePixel,
  ]);
  return { path: `/image-${index}.gif`, body, width, height };
}

/** A comment extension (GIF89a 24), in sub-blocks of at most 255 bytes. */
function comment(text: string): Buffer {
  const blocks: Buffer[] = [Buffer.from([0x21, 0xfe])];
  for (let at = 0; at < text.length; at += 255) {
    const block = Buffer.from(text.slice(at, at + 255), 'latin1');
    blocks.push(Buffer.from([block.length]), block);
  }
  return Buffer.concat([...blocks, Buffer.from([0])]);
}
