// docs/protocol.md is true: its examples answer as it says, its tables are made (option-documents.test.ts).

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { isInstalled } from '../../support/command.ts';
import { running } from './ask.ts';

const page = readFileSync(new URL('../../../docs/protocol.md', import.meta.url), 'utf8');

describe('docs/protocol.md', () => {
  it.skipIf(!isInstalled('curl'))('its examples, in their order, answer as it says', async () => {
    await using service = await running({ prefetchd: { minClients: 3 } });
    const examples = [...page.matchAll(/```sh\n(.*?)```\n```json\n(.*?)```/gs)];
    expect(examples.length).toBeGreaterThanOrEqual(5);
    for (const [, command = '', answer = ''] of examples) {
      const here = command.replaceAll('http://127.0.0.1:7733', service.url);
      const { stdout } = await promisify(execFile)('sh', ['-c', here]);
      const got = JSON.parse(stdout, (key, value) =>
        key === 'probability' ? Number(value.toFixed(2)) : value,
      );
      expect(got, command).toEqual(JSON.parse(answer));
    }
  });
});
