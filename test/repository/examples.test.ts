// Every example runs as it stands, against the built package, and prints what it promises.

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { installPackage } from '../docs/installed-package.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const prints: Record<string, RegExp> = {
  'load-a-page.js':
    /^43 requests in \d writes on 1 connection\n\d+ bytes, complete after \d+ ms\n$/,
  'compare-protocols.js':
    /^http1\.0 .* 43 connections, 43 batches\npersistent .* 6 connections, 43 batches\npipelined .* 1 connection, \d batches\nh2 .* 1 connection, \d+ batch(es)?\n$/,
  'keep-a-loader.js':
    /^\/: (\d+) responses on connection 1\n\/products\.html: \d+ responses on connection 1\n\/: \1 responses on connection 1\n$/,
  'audit-a-page.js':
    /^Images have no width and height: 2 of them, 0 bytes, 0 requests\nResponses have no cache lifetime: 21 of them, \d+ bytes, 20 requests\nnext visit: 20 requests less\n$/,
  'wrap-requests.js': /^43 responses, 43 timed\n$/,
  'write-reports.js': /^page\.svg and page\.har written to /,
  'bound-a-load.js': /^address-refused\ninvalid-url\n$/,
  'scan-html.js':
    /^stylesheet \S+\/news\/site\.css \(link href\)\nimage \S+\/l\.png \(img srcset\)\nstylesheet \S+\/more\.css \(@import\)\nimage \S+\/note\.png \(background\)\n$/,
  'hint-what-comes-next.js':
    /^(?:192\.0\.2\.[123] no hint \/ no hint\n){3}192\.0\.2\.4 <\/products>; rel=prefetch; probability=1\n$/,
  'hold-the-line.js':
    /^holdLine false: 7 connections\nholdLine 5: 1 connections\n7 granted, 6 requests on held lines\n$/,
  'list-of-requests.js':
    /^first: 43 requests in \d batches, 0 not modified\nagain: 43 requests in \d batches, 43 not modified\n$/,
  'slow-on-purpose.js':
    /^as it is: 1 connections, \d+ ms\neach piece in a write of its own: 1 connections, \d+ ms\n5 requests per connection: 8 connections, \d+ ms\n$/,
  'what-content-saves.js':
    /^\/: 43 requests, 128287 bytes of images\n\/css\/: 21 requests, 115131 .*\n\/png\/: 43 requests, 115127 .*\n\/modern\/: 21 requests, 48610 .*\n$/,
  'page-in-one-response.js':
    /^alone: 43 requests, 0 parts, 0 held, \d+ bytes\nfirst: 1 requests, 42 parts, 0 held, \d+ bytes\nagain: 1 requests, 42 parts, 42 held, \d+ bytes\n2 pages sent with their parts, 42 of these held by the client\n$/,
  // A loader offers dictionaries where Node has URLPattern, from 23.8 on.
  'pages-as-differences.js':
    'URLPattern' in globalThis
      ? /^without a cache: 1\d{4} bytes of HTML\nwith a cache: \d{4} bytes of HTML\n4 responses compressed with a dictionary\n$/
      : /^(?:with(?:out)? a cache: 11775 bytes of HTML\n){2}0 responses compressed with a dictionary\n$/,
  'serve-with-express.js': /^200 strong validator: true\n$/,
};

describe('examples/', () => {
  const files = readdirSync(`${root}examples`).filter((file) => file.endsWith('.js'));

  it('are all known here, and all listed in their README', () => {
    expect(files.toSorted()).toEqual(Object.keys(prints).toSorted());
    const readme = readFileSync(`${root}examples/README.md`, 'utf8');
    for (const file of files) expect(readme).toContain(`[${file}](${file})`);
  });

  it.each(files)('%s runs, in 10 to 30 lines', async (file) => {
    const lines = readFileSync(`${root}examples/${file}`, 'utf8').trimEnd().split('\n').length;
    expect(lines).toBeGreaterThanOrEqual(10);
    expect(lines).toBeLessThanOrEqual(30);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [`examples/${file}`], {
      cwd: root,
    });
    expect(stderr).toBe('');
    expect(stdout).toMatch(prints[file] as RegExp);
  });
});

const linksOf = (readme: string) =>
  [...readme.matchAll(/\]\(([^)#:]+)[^)]*\)/g)].map(([, path]) => path as string);

describe('README.md', () => {
  it('shows three lines for a site, on one screen, and docs/loader.md six that load a page', async () => {
    const readme = readFileSync(`${root}README.md`, 'utf8');
    const loader = readFileSync(`${root}docs/loader.md`, 'utf8');
    const [site = '', code = ''] = [readme, loader].map(
      (text) => /```js\n(.*?)```/s.exec(text)?.[1],
    );
    expect(site.trimEnd().split('\n').length).toBe(3);
    expect(readme.split('\n').indexOf('## Reference')).toBeLessThanOrEqual(50);
    const said = /^prints `([^`]*)`/m.exec(loader)?.[1];
    expect(code.trimEnd().split('\n').length).toBe(6);
    const folder = await mkdtemp(join(tmpdir(), 'loadahead-readme-'));
    try {
      await installPackage(folder, []);
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module', '--eval', code],
        { cwd: folder },
      );
      expect(stdout.trimEnd()).toBe(said);
      // What it links to is in the package, too.
      const own = join(folder, 'node_modules/loadahead');
      expect(linksOf(readme).filter((path) => !existsSync(join(own, path)))).toEqual([]);
    } finally {
    }
  });
});
