// How many connections there is room for: by files, by memory, and what a system says of files.

import { expect, it } from 'vitest';
import {
  capacityFor,
  connectionCapacity,
  openFilesIn,
  openFilesLimit,
} from '../../process/connection-capacity.ts';
import { checkLimits } from '../../server/listen/limits.ts';
import { checkProxyLimits } from '../../server/proxy/upstream-limits.ts';

const GB = 1024 ** 3;

it('as many as files are left by everything else', () => {
  expect(capacityFor({ files: 20_000, heapBytes: 4 * GB })).toBe(19_744);
  expect(capacityFor({ files: 20_000, heapBytes: 4 * GB }, 5 / 8)).toBe(12_340);
  expect(capacityFor({ files: 256, heapBytes: 4 * GB })).toBe(192);
  expect(capacityFor({ files: 3, heapBytes: 4 * GB })).toBe(2);
});

it('no more than half of the heap holds', () => {
  expect(capacityFor({ files: 1_048_576, heapBytes: 4 * GB })).toBe(52_428);
  expect(capacityFor({ files: 1_048_576, heapBytes: GB / 4 })).toBe(3276);
  expect(capacityFor({ files: 2 ** 40, heapBytes: 2 ** 50 })).toBe(1_000_000);
  expect(capacityFor({ files: 0, heapBytes: 1 })).toBe(1);
});

it('the soft limit of files is read, however large', () => {
  const limits = (soft: string) =>
    `Limit      Soft Limit  Hard Limit  Units\nMax processes 10 10 processes\nMax open files   ${soft}   30000   files     \n`;
  expect(openFilesIn(limits('20000'))).toBe(20_000);
  expect(openFilesIn(limits('unlimited'))).toBe(1_000_000);
  expect(openFilesIn('nothing of the kind')).toBe(null);
  expect(openFilesLimit()).toBeGreaterThan(0);
});

it('what one process has is room for clients, and of a proxy for the site, too', () => {
  const proxy = checkProxyLimits({});
  const files = capacityFor({ files: openFilesLimit(), heapBytes: Number.MAX_SAFE_INTEGER });
  expect(checkLimits().maxConnections).toBe(connectionCapacity());
  expect(proxy.maxConnections + proxy.maxUpstreamConnections).toBeLessThanOrEqual(files);
  expect(proxy.maxConnectionsPerAddress).toBeLessThanOrEqual(proxy.maxConnections);
});
