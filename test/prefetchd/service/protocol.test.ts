// docs/protocol.md is true: its examples answer as it says, its tables name what there is.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { dropReasons } from '../../../prefetchd/rules/eligibility.ts';
import { problems } from '../../../prefetchd/service/problem.ts';
import { isInstalled } from '../../support/command.ts';
import { running } from './ask.ts';

const page = readFileSync(new URL('../../../docs/protocol.md', import.meta.url), 'utf8');

/** First cells of the table under a heading. */
function names(heading: string): string[] {
  const section = page.split(/^##+ /m).find((text) => text.startsWith(heading)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap(
    (row) => (row.split('|')[1] ?? '').match(/(?<=`)[^`]+(?=`(?:,|\s|$))/g) ?? [],
  );
}

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

  it('explains every reason and no other', () => {
    const own = ['malformed', 'query', 'repeat', 'flood', 'trial', 'unproven'];
    expect(names('Who gets no hints')).toEqual([...dropReasons, ...own]);
  });

  it('explains every problem and no other, with its status', () => {
    expect(names('Problems')).toEqual(Object.keys(problems));
    for (const [code, [status]] of Object.entries(problems)) {
      expect(page).toContain(`| \`${code}\` | ${status} |`);
    }
  });

  it('explains every metric of ours', async () => {
    await using service = await running();
    const { text } = await service.get('/metrics');
    const given = [...text.matchAll(/^# TYPE (prefetchd_\S+) /gm)].map(([, name]) => name);
    expect(names('Metrics').sort()).toEqual(given.sort());
  });

  it('names every endpoint', async () => {
    await using service = await running();
    // biome-ignore lint/suspicious/noExplicitAny: Express does not type its stack
    const { router } = service.service.app as any;
    const paths: string[] = router.stack.flatMap(
      (layer: { route?: { path: string } }) => layer.route?.path ?? [],
    );
    const endpoints = page.split(/^##+ /m).find((text) => text.startsWith('Endpoints')) ?? '';
    for (const path of paths) expect(endpoints).toContain(path);
  });
});
