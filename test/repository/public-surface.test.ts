// What programs may import, and what importing it loads.

import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { apiListing, listingFile } from './api-listing.ts';
import { RowComments } from './row-comments.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

it('docs/api.txt lists it; `npm run api` writes it anew', () => {
  expect(apiListing()).toBe(readFileSync(listingFile, 'utf8'));
});

it('names no type of a framework: who uses none needs no types of it', () => {
  expect(readFileSync(listingFile, 'utf8')).not.toMatch(/\bExpress\b|'express'/);
  const files = globSync(`${root}dist/**/*.d.ts`);
  const imported = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:^(?:im|ex)port .*from |import\()['"](\w[^'"]*)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => !name.startsWith('node:')),
  );
  expect([...new Set(imported)]).toEqual(['undici']);
  const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  expect(Object.keys(dependencies)).not.toContain('@types/express');
});

/** Packages that an import loads. */
function packagesOf(door: string): string[] {
  const script = `
    import { registerHooks } from 'node:module';
    const names = new Set();
    registerHooks({
      load(url, context, next) {
        const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
        if (name !== undefined) names.add(name);
        return next(url, context);
      },
    });
    await import(${JSON.stringify(`${root}${door}`)});
    console.log(JSON.stringify([...names]));`;
  const args = ['--input-type=module', '--eval', script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

it('loadahead/prefetchd does not load Express, the service does', () => {
  expect(packagesOf('prefetchd/service/index.ts')).toContain('express');
  expect(packagesOf('prefetchd/index.ts')).not.toContain('express');
});

it('loadahead/hints loads the middleware alone: six packages, no Express', () => {
  const packages = packagesOf('server/hints/index.ts');
  expect(packages).not.toContain('express');
  expect(packages.length).toBeLessThanOrEqual(6);
});

it.each(['dom', 'webworker'])('loadahead/web has types without those of Node (%s)', (lib) => {
  const folder = `${root}node_modules/.cache/web-types`;
  mkdirSync(folder, { recursive: true });
  const use = `import { hints, type WebHints } from '../../../dist/server/web/index.js';
const prefetch: WebHints = hints({ trustProxy: 'loopback', prefetchd: { window: 3 } });
export const answer = (request: Request): Promise<Response> =>
  prefetch(request, () => new Response('<p>'), { address: '192.0.2.1' });
export const counts: number[] = [prefetch.stats().hinted];
// @ts-expect-error it has no request of node:http
hints({ clientOf: () => null });`;
  writeFileSync(`${folder}/use.ts`, use);
  const strict = { strict: true, noEmit: true, module: 'nodenext', types: [], skipLibCheck: false };
  const compilerOptions = { ...strict, target: 'es2022', lib: ['es2022', lib] };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, files: ['use.ts'] }));
  const { stdout } = spawnSync(`${root}node_modules/.bin/tsc`, ['-p', folder], {
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
});

it('the built package has the comments of options, also of tables in other files', () => {
  const tsconfig = `${root}node_modules/.cache/public-surface.json`;
  const files = ['loader', 'prefetchd', 'server'].map((door) => `${root}dist/${door}/index.d.ts`);
  writeFileSync(tsconfig, JSON.stringify({ files, compilerOptions: { module: 'nodenext' } }));
  using comments = new RowComments(tsconfig);
  const all = (door: string, name: string, ...places: string[]) =>
    expect(places.map(comments.of(`dist/${door}/index.d.ts`, name))).not.toContain('');
  all('loader', 'LoaderOptions', 'discovery.viewport', 'timeouts.responseMs', 'cache');
  all('prefetchd', 'PrefetchdOptions', 'prerender', 'limit', 'window', 'query', 'deny', 'now');
  all('server', 'ProxyOptions', 'tls', 'maxConnections');
  all('server', 'HintsOptions', 'trial', 'prefix', 'deny', 'now', 'earlyHints');
});
