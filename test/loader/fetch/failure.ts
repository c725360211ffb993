// What a call of fetch failed with.

import { expect } from 'vitest';
import { LoaderError, type LoaderErrorCode } from '../../../loader/errors.ts';

/** @returns the code of the cause. */
export async function failure(promise: Promise<unknown>): Promise<LoaderErrorCode> {
  const error = await promise.then(
    () => expect.fail('it did not fail'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TypeError);
  const { cause } = error as TypeError;
  expect(cause).toBeInstanceOf(LoaderError);
  return (cause as LoaderError).code;
}
