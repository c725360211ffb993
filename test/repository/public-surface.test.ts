// What programs may import, and what importing it loads.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { apiListing, listingFile } from './api-listing.ts';
import { RowComments } from './row-comments.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

it('docs/api.txt lists it; `npm run api` writes it anew', () => {
  expect(apiListing()).toBe(readFileSync(listingFile, 'utf8'));
});

it('names no type of Express: who uses none needs no types of it', () => {
  expect(readFileSync(listingFile, 'utf8')).not.toMatch(/\bExpress\b|'express'/);
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

it('the built package has the comments of options, also of tables in other files', () => {
  const tsconfig = `${root}node_modules/.cache/public-surface.json`;
  const files = ['loader', 'prefetchd', 'server'].map((door) => `${root}dist/${door}/index.d.ts`);
  writeFileSync(tsconfig, JSON.stringify({ files, compilerOptions: { module: 'nodenext' } }));
  using comments = new RowComments(tsconfig);
  const of = (door: string, name: string) => comments.of(`dist/${door}/index.d.ts`, name);
  const loader = ['discovery.viewport', 'timeouts.responseMs', 'timeouts.pageMs', 'cache'];
  expect(loader.map(of('loader', 'LoaderOptions'))).not.toContain('');
  expect(['prerender', 'limit'].map(of('prefetchd', 'PrefetchdOptions'))).not.toContain('');
  expect(['tls', 'maxConnections'].map(of('server', 'ProxyOptions'))).not.toContain('');
});
