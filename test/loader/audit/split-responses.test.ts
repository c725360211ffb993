// A server that splits its responses, as those of 1996 did, is named; ours is not.

import { expect, it, onTestFinished } from 'vitest';
import { microscapeDir } from '../../../fixtures/index.ts';
import { type StudyFault, studyFaults } from '../../../lab/tcp-study/study-faults.ts';
import { auditOf } from '../../../loader/audit/audit.ts';
import { loadPage } from '../../../loader/index.ts';
import { createOrigin } from '../../../server/index.ts';

it.each([
  ['split-headers, nagle, small-buffers', 1],
  ['none', 0],
])('faults: %s', async (faults, expected) => {
  const handlers = faults === 'none' ? [] : [studyFaults(faults.split(', ') as StudyFault[])];
  const origin = createOrigin(microscapeDir, { handlers });
  onTestFinished(() => origin.close());
  const { url } = await origin.listen();
  const bodies = new Map<string, Buffer>();
  const load = await loadPage(url, {
    ...{ protocol: 'persistent', connections: 1 },
    onBody: (of, body) => void bodies.set(of, body),
  });
  const { findings } = auditOf(load, bodies);
  const found = findings.filter(({ kind }) => kind === 'split-responses');
  expect(found).toHaveLength(expected);
  for (const { items } of found) {
    expect(items).toEqual([expect.objectContaining({ url: `${url}/` })]);
    expect(items[0]?.note).toMatch(
      /^\d+ of \d+ small responses waited [34567]\d(\.\d)? ms in their middle$/,
    );
  }
});
