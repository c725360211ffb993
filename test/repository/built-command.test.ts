// The command as it is shipped, joined into few files: it finds what the library finds, with all that is loaded late.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { loadPage } from '../../loader/loader.ts';
import { type Files, startFiles } from '../loader/page/discovered-site.ts';
import { folderOfTest } from '../support/folder-of-tests.ts';

const command = fileURLToPath(new URL('../../dist/cli/loadahead.js', import.meta.url));

const folder = dirname(dirname(command));

const files: Files = {
  '/': [
    [
      '<meta charset=shift_jis><link rel=stylesheet href=a.css media="(min-width: 300px)">',
      '<img srcset="s.png 300w, l.png 900w" sizes="(min-width: 500px) 40vw, calc(10px + 30vw)">',
      '<picture><source type=image/webp srcset=w.webp><img src=w.png></picture>',
      '<script type=importmap>{"imports":{"x":"/x.js"}}</script><script type=module src=m.js></script>',
      '<p style="background:image-set(url(1.png) 1x, url(2.png) 2x)">text<img src="q?\u00e9">',
    ].join(''),
    { Link: '</preloaded.js>; rel=preload; as=script' },
  ],
  '/a.css':
    '@import "b.css" screen;@font-face{font-family:f;src:url(f.woff2)}@media (min-width:9px){p{font-family:f;background:url(p.png)}}',
  '/b.css': '@supports (display:grid){p{mask:url(g.png)}}',
  '/m.js': 'import "x"',
  '/x.js': '',
};

test('finds the same as the library', async () => {
  await using server = await startFiles(files);
  const options = ['--json', '--viewport', '1280x800@2'];
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...[command, 'load', server.origin, ...options],
  ]);
  const named = (resources: readonly { url: string; from: string | null }[]) =>
    resources.map(({ url, from }) => `${from} ${url}`).sort();
  const page = await loadPage(server.origin, { discovery: { viewport: '1280x800@2' } });
  expect(page.resources.length).toBeGreaterThanOrEqual(12);
  expect(named(JSON.parse(stdout).resources)).toEqual(named(page.resources));
  expect(JSON.parse(stdout).skipped).toEqual(page.skipped);
});

test('is of the version that package.json has', async () => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  const { stdout } = await promisify(execFile)(process.execPath, [command, '--version']);
  expect(stdout.trim()).toBe(version);
});

test('imports its packages, as the source does: audits and overrides reach all that runs', async () => {
  await using server = await startFiles(files);
  const source = fileURLToPath(new URL('../../cli/loadahead.ts', import.meta.url));
  const built = await importedPackages(command, server.origin);
  expect(built).toContain('commander');
  expect(built).toEqual(await importedPackages(source, server.origin));
});

test('a page without style loads no reader of style, and no server', async () => {
  await using server = await startFiles({ '/': '<p class=a>text<img src=a.gif>' });
  const loaded = await importedPackages(command, server.origin);
  expect(loaded).toContain('htmlparser2');
  expect(loaded.filter((name) => /^css-|^express$/.test(name))).toEqual([]);
});

test('each file that it imports, at once or later, is there', () => {
  const imports = globSync('**/*.js', { cwd: folder }).flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /(?:^import .*|^export .* from |await import\()"(\.[^"]+)"/gm,
      ),
    ].map(([, name]) => join(folder, dirname(file), `${name}`)),
  );
  expect(imports.length).toBeGreaterThan(20);
  expect(imports.filter((file) => !existsSync(file))).toEqual([]);
});

test('finds its threads and its files beside it', async () => {
  const folder = folderOfTest();
  const program = fileURLToPath(new URL('../../dist/cli/prefetchd.js', import.meta.url));
  const log = fileURLToPath(new URL('../../fixtures/logs/combined.log', import.meta.url));
  const sweep = ['simulate', log, '--window', '2,4', '--workers', '2', '--train', '1', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...sweep]);
  expect(JSON.parse(stdout).points).toHaveLength(2);
  const store = `sqlite:${join(folder, 'hints.db')}`;
  const serving = spawn(process.execPath, [program, 'serve', '--port', '0', '--store', store]);
  onTestFinished(() => void serving.kill());
  const [line] = await once(createInterface(serving.stdout), 'line');
  const url = `${line}`.replace('listening on ', '');
  const page = await fetch(url);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<html')]);
  const overview = await (await fetch(`${url}/v1/overview`)).json();
  expect(overview).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  expect(existsSync(join(folder, 'hints.db'))).toBe(true);
});

test.each([
  ['audit', 'ftp://example.org/'],
  ['browse', 'ftp://example.org/'],
])('%s says what is wrong with the command line, and ends with 2', async (...args) => {
  const run = promisify(execFile)(process.execPath, [command, ...args]);
  const { code, stderr } = await run.then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  );
  expect(code).toBe(2);
  expect(stderr).toMatch(/^loadahead: [^\n]+\n$/);
});

/** Names of the packages that files of the project import while a page is loaded. */
async function importedPackages(program: string, url: string): Promise<string[]> {
  const hook = `import { registerHooks } from 'node:module';
    const names = new Set();
    registerHooks({
      resolve(specifier, context, next) {
        if (!context.parentURL?.includes('/node_modules/') && /^[@a-z](?!ode:|[^/]*:)/.test(specifier)) {
          names.add(specifier.match(/^(@[^/]+\\/)?[^/]+/)[0]);
        }
        return next(specifier, context);
      },
    });
    process.on('exit', () => console.error(JSON.stringify([...names].sort())));`;
  const { stderr } = await promisify(execFile)(process.execPath, [
    ...['--import', `data:text/javascript,${encodeURIComponent(hook)}`],
    ...[program, 'load', url, '--json'],
  ]);
  return JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
}
