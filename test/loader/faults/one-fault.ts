// A page of which one part is at fault: what the tests of this folder have in common.

import { expect } from 'vitest';
import type { LoaderErrorCode } from '../../../loader/errors.ts';
import type { LoaderOptions } from '../../../loader/options.ts';
import type { PageLoad, Protocol, ResourceRecord } from '../../../loader/page-load.ts';
import { withConstants } from '../../../options/options.ts';
import { expectOwnBytesOrError, imagePage, rowsByPath } from '../../support/image-page.ts';
import { type RawConnection, type RawServer, startRawServer } from '../../support/raw-server.ts';

/** The protocols a server without HTTP/2 speaks. */
export const http1: Protocol[] = ['http1.0', 'persistent', 'pipelined'];

/** Deadlines short enough that a hang shows as a failed test, long enough that none else does. */
export const quick: LoaderOptions = {
  ...withConstants({ pipeline: { stallMs: 250, settleMs: 40 } }),
  timeouts: { responseMs: 2_000, resourceMs: 3_000, pageMs: 4_000 },
};

export const page = imagePage(6);
/** The image that is at fault where one is. */
export const faulty = '/image-2.gif';

/** A server with a sound page, but for what `fault` does in place of one answer. */
export function serverWithFault(
  at: string,
  fault: (connection: RawConnection) => void,
): Promise<RawServer> {
  return startRawServer({
    onRequest({ path }, connection) {
      if (path === at) fault(connection);
      else connection.write(page.answer(path));
    },
  });
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
