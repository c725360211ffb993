// Each guide of docs/guides/, and each page of reference with commands, is followed from an empty folder, as a stranger
// would: its files are written, its commands run in order, and what they print is held against what the page shows.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { isInstalled } from '../support/command.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { whyNoNginx } from '../support/nginx.ts';
import { type Block, fencedBlocks } from './fenced-blocks.ts';
import { GuideRun } from './guide-run.ts';
import { installPackage } from './installed-package.ts';

const guides = fileURLToPath(new URL('../../docs/guides/', import.meta.url));
const names = readdirSync(guides).filter((name) => name.endsWith('.md'));
const programs = ['curl', 'sqlite3'].filter((name) => !isInstalled(name));
const textOf = (name: string) => readFileSync(join(guides, name), 'utf8');

const isFollowed = ({ file, language, how }: Block) =>
  file !== null || language === 'sh' || how === 'browser';

const folder = folderOfTests();
beforeAll(async () => {
  await installPackage(folder, ['express', 'fastify', 'hono', '@hono/node-server', 'koa', 'sharp']);
}, 60_000);

const ofReference = ['../audit.md', '../browse.md', '../hints.md', '../stored-data.md'];
const followed = [...names.filter((name) => name !== 'README.md'), ...ofReference];
describe.each(followed)('%s', (name) => {
  const blocks = fencedBlocks(textOf(name));
  const missing = programs.find((program) => textOf(name).includes(`${program} `));
  const whyNoProgram = missing === undefined ? '' : `${missing} is not installed`;
  const sections = [...new Set(blocks.filter(isFollowed).map(({ section }) => section))];
  let guide: GuideRun;
  beforeAll(async () => {
    guide = await GuideRun.in(join(folder, basename(name, '.md')), folder);
  });
  afterAll(() => guide[Symbol.asyncDispose]());

  for (const section of sections) {
    const own = blocks.filter((block) => block.section === section);
    const has = (wanted: string) => own.some(({ how }) => how === wanted);
    const whyNoBrowser = hasChromium ? '' : 'there is no Chromium';
    const why =
      whyNoProgram || (has('nginx') && whyNoNginx) || (has('browser') && whyNoBrowser) || '';
    it.skipIf(why)(`${section} ${why}`.trim(), { timeout: 180_000 }, async () => {
      for (const [index, block] of own.entries()) {
        if (!isFollowed(block)) continue;
        const next: Block | undefined = own[index + 1];
        const shown = next?.language === 'text' && next.how !== 'browser' ? next : null;
        await guide.follow(block, shown).catch((error: Error) => {
          throw new Error(`${name}, line ${block.line}: ${error.message}`, { cause: error });
        });
      }
    });
  }
});

describe('docs/guides/', () => {
  it.each(names)('%s is one page, listed in the README of the project', (name) => {
    expect(textOf(name).split(/\s+/).length).toBeLessThanOrEqual(470);
    expect(textOf('../../README.md')).toContain(`](docs/guides/${name}`);
  });

  it.each([...names, ...ofReference])(
    '%s has few blocks that are not run, and no line of code above 100',
    (name) => {
      const blocks = fencedBlocks(textOf(name));
      for (const { text } of blocks) {
        for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
      }
      expect(blocks.filter(({ how }) => how === 'elsewhere').length).toBeLessThanOrEqual(2);
    },
  );

  it.each([...names, ...ofReference])('%s links only to what is there', (name) => {
    const links = [...textOf(name).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string);
    for (const link of links.filter((each) => !/^https?:/.test(each))) {
      const [path = '', heading] = link.split('#');
      const file = normalize(
        path === '' ? join(guides, name) : join(dirname(join(guides, name)), path),
      );
      expect([link, existsSync(file)]).toEqual([link, true]);
      if (heading !== undefined) expect(headingsOf(file)).toContain(heading);
    }
  });
});

/** As GitHub makes links of them. */
function headingsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
