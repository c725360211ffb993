// A page of which one part is at fault: what the tests of this folder have in common.

import { expect } from 'vitest';
import type { LoaderErrorCode } from '../../../loader/errors.ts';
import { createFetch, createHttpCache, createMemoryStore } from '../../../loader/index.ts';
import type { LoaderOptions } from '../../../loader/options.ts';
import type { PageLoad, Protocol, ResourceRecord } from '../../../loader/page-load.ts';
import { expectOwnBytesOrError, imagePage, rowsByPath } from '../../support/image-page.ts';
import { loadFrom } from '../../support/quick-load.ts';
import {
  answering,
  type RawConnection,
  type RawHandler,
  type RawServer,
} from '../../support/raw-server.ts';

/** The protocols a server without HTTP/2 speaks. */
export const http1: Protocol[] = ['http1.0', 'persistent', 'pipelined'];

export const page = imagePage(6);
/** The image that is at fault where one is. */
export const faulty = '/image-2.gif';

/** Answers as a sound page does, but for what `fault` does in place of one answer. */
const answersWithFault =
  (at: string, fault: (connection: RawConnection) => void): NonNullable<RawHandler['onRequest']> =>
  ({ path }, connection) => {
    if (path === at) fault(connection);
    else connection.write(page.answer(path));
  };

export function serverWithFault(
  at: string,
  fault: (connection: RawConnection) => void,
): Promise<RawServer> {
  return answering(answersWithFault(at, fault));
}

/** Like `loadFrom`. */
export function loadWithFault(
  options: LoaderOptions,
  fault: (connection: RawConnection) => void,
  at = faulty,
) {
  return loadFrom(options, answersWithFault(at, fault));
}

/** In one chunk; what is `behind` its size may be a fault, as may be the line ends. */
export const chunked = (body: Uint8Array, behind = '', end = '\r\n'): Buffer =>
  Buffer.concat([
    Buffer.from(`${body.length.toString(16)}${behind}${end}`),
    body,
    Buffer.from(`${end}0${behind}${end}${end}`),
  ]);

/** createFetch fails, and stores nothing. */
export async function expectFetchFails(url: string): Promise<void> {
  const store = createMemoryStore();
  await using fetch = createFetch({ cache: createHttpCache(store) });
  const got = fetch(url).then((response) => response.text());
  await expect(got).rejects.toThrow();
  expect(store.size().entries).toBe(0);
}

/** The page's own row, with this error. */
export function expectRootError(
  load: PageLoad,
  code: LoaderErrorCode,
  says: RegExp,
): ResourceRecord {
  const root = load.resources[0] as ResourceRecord;
  expect(root.error, JSON.stringify(root.error)).not.toBeNull();
  expect(root.error?.code, root.error?.message).toBe(code);
  expect(root.error?.message).toMatch(says);
  expect(load.totals.errors).toBeGreaterThanOrEqual(1);
  return root;
}

/** Only the faulty image has an error, and it is this one; the others have their own bytes. */
export function expectOnlyFaulty(load: PageLoad, code: LoaderErrorCode, says: RegExp): void {
  const rows = rowsByPath(load, page);
  const codes = [...rows].flatMap(([path, { error }]) =>
    error === null ? [] : [[path, error.code]],
  );
  expect(codes, rows.get(faulty)?.error?.message).toEqual([[faulty, code]]);
  expect(rows.get(faulty)?.error?.message).toMatch(says);
  expectOwnBytesOrError(load, page);
}
