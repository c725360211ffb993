// `fetch` in docs/loader.md: its examples print what it says, its tables are true.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cacheModes } from '../../../loader/cache/http-cache.ts';
import { createFetch } from '../../../loader/fetch/fetch.ts';
import { runToEnd } from '../../support/command.ts';

const whole = readFileSync(new URL('../../../docs/loader.md', import.meta.url), 'utf8');
const page = whole.slice(whole.indexOf('\n## fetch\n'));
const index = new URL('../../../loader/index.ts', import.meta.url).href;

describe('fetch in docs/loader.md', () => {
  const examples = [...page.matchAll(/```js\n([\s\S]*?)```\n\nprints\n\n```text\n([\s\S]*?)```/g)];

  it('has two examples, and no other code', () => {
    expect(examples).toHaveLength(2);
    expect([...page.matchAll(/^```js$/gm)]).toHaveLength(2);
  });

  it.each(examples.map(([, code = '', said = '']) => [said, code]))(
    'an example prints %j',
    async (said, code) => {
      const source = code.replaceAll("'loadahead'", JSON.stringify(index));
      const child = spawn(process.execPath, ['--input-type=module', '--eval', source]);
      expect(await runToEnd(child)).toEqual({ code: 0, stdout: said, stderr: '' });
    },
  );

  it('names every cache mode', () => {
    const named = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, mode]) => mode);
    expect(named.filter((mode) => (cacheModes as readonly unknown[]).includes(mode))).toEqual([
      ...cacheModes,
    ]);
  });

  it('names the options createFetch takes', () => {
    const list = /As for a loader [^:]*: ([^.]*)\./.exec(page)?.[1] ?? '';
    const names = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name as string);
    expect(names).toHaveLength(11);
    for (const name of names) expect(() => createFetch({ [name]: undefined })).not.toThrow();
  });

  it('what createFetch gives may stand where the platform’s fetch stood', async () => {
    const own: typeof globalThis.fetch = createFetch();
    await expect(own('ftp://127.0.0.1/')).rejects.toThrow('fetch failed');
  });
});
