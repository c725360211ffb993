// May a prefetch begin, now?

import { expect, test } from 'vitest';
import { Admission, Budget } from '../../../loader/prefetch/admission.ts';
import { prefetchTable } from '../../../loader/prefetch/prefetch-options.ts';
import { defaultsOf } from '../../../options/options.ts';
import { threadLoad } from '../../../process/thread-load.ts';

function permission(maxLoad: number) {
  const allowance = new Budget({ ...defaultsOf(prefetchTable), maxRequests: 1 });
  return {
    allowance,
    permission: new Admission(maxLoad, threadLoad(), allowance, () => {}),
  };
}

test('nothing, before a page has loaded', () => {
  expect(permission(1).permission.toBegin()).toBe('never');
});

test('as many bodies as the page’s budget has', () => {
  const { allowance, permission: may } = permission(1);
  allowance.renew(1_000_000);
  expect(may.toBegin()).toBe('yes');
  allowance.countRequest();
  expect(may.toBegin()).toBe('never');
});

test('nothing, where no load is allowed', () => {
  const { allowance, permission: may } = permission(0);
  allowance.renew(1_000_000);
  expect(may.toBegin()).toBe('never');
});
