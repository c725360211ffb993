// Logs for property tests: a few clients and files, sizes around the block, times that stand still now
// and then.

import type { Access } from '../../../prefetchd/access.ts';
import fc from '../../support/property.ts';

const sizes = [0, 100, 8192, 8193, 20_000, 100_000];

export const randomLog: fc.Arbitrary<Access[]> = fc
  .array(
    fc.record({
      client: fc.integer({ min: 0, max: 3 }),
      file: fc.integer({ min: 0, max: 7 }),
      gapMs: fc.constantFrom(0, 0, 300, 1000, 2500, 60_000),
    }),
    { minLength: 4, maxLength: 150 },
  )
  .map((steps) => {
    let timeMs = 0;
    return steps.map(({ client, file, gapMs }) => {
      timeMs += gapMs;
      const isDocument = file % 2 === 0;
      return {
        client: `c${client}`,
        url: `/${file}.${isDocument ? 'html' : 'gif'}`,
        timeMs,
        kind: isDocument ? 'document' : 'object',
        status: 200,
        bytes: sizes[file % sizes.length] as number,
        prefetch: false,
      };
    });
  });
