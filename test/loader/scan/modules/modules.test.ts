// Static imports of module scripts, inline and in files of their own.

import { describe, expect, it, test } from 'vitest';
import { createScanner } from '../../../../loader/scan/index.ts';
import { staticImports } from '../../../../loader/scan/modules/static-imports.ts';
import { inEveryChunking } from '../every-chunking.ts';

describe('static imports', () => {
  it.each<[string, string[]]>([
    [`import a from './a.js'; import 'b'`, ['script ./a.js', 'script b']],
    [`export * from "c"; export { x } from 'd'`, ['script c', 'script d']],
    [`import './e\\u0078.js'`, ['script ./ex.js']],
    [`import data from './a.json' with { type: 'json' }`, ['fetch ./a.json']],
    [`import sheet from './a.css' with { type: "css" }`, ['stylesheet ./a.css']],
    [`const later = () => import('./later.js')`, []],
    [`// import './comment.js'\nconst s = "import './string.js'"`, []],
    [`import './twice.js'; import './twice.js'`, ['script ./twice.js']],
    [`import {`, []],
    ['', []],
  ])('%s', (source, expected) => {
    expect(staticImports(source).map(({ kind, specifier }) => `${kind} ${specifier}`)).toEqual(
      expected,
    );
  });
});

test('inline modules, by the import map before them, in every chunking', () => {
  const html =
    '<script type=importmap>{"imports": {"x": "/lib/x.js"}}</script>' +
    '<script type=module crossorigin=use-credentials>import "x"; import "./y.js"; import "bare"</script>' +
    '<script>import("./z.js")</script><template><script type=module>import "/t.js"</script></template>';
  const whole = inEveryChunking(html, (chunks) => {
    const scanner = createScanner({ url: 'http://a.test/dir/' });
    return [...chunks.flatMap((chunk) => scanner.write(chunk)), ...scanner.end()];
  });
  expect(whole).toMatchObject([
    { url: 'http://a.test/lib/x.js', kind: 'script', isModule: true, from: 'script import' },
    { url: 'http://a.test/dir/y.js', crossOrigin: 'use-credentials' },
  ]);
  expect(whole).toHaveLength(2);
});

test('modules in files, by the import map of their page', () => {
  const scanner = createScanner({ url: 'http://a.test/dir/' });
  scanner.write('<script type=importmap>{"imports": {"x/": "/lib/"}}</script>');
  const source = `import 'x/a.js'; import './b.js'; import 'c'; import d from './d.json' with {type: 'json'}`;
  const module = scanner.module({ url: 'http://b.test/js/main.js' });
  const found = [...module.write(source), ...module.end()];
  expect(found.map(({ url, kind, isModule }) => [url, kind, isModule])).toEqual([
    ['http://a.test/lib/a.js', 'script', true],
    ['http://b.test/js/b.js', 'script', true],
    ['http://b.test/js/d.json', 'fetch', undefined],
  ]);
  expect(found[1]).toMatchObject({ initiator: 'http://b.test/js/main.js', from: 'import' });
});

test('imports of a file are fetched with the nonce and credentials of its script (HTML 8.1.4.1)', () => {
  const scanner = createScanner({
    url: 'http://a.test/',
    contentSecurityPolicy: "script-src 'nonce-n'",
  });
  scanner.write('<script type=module nonce=n crossorigin=use-credentials src=a.js></script>');
  const read = (name: string, source: string) => {
    const module = scanner.module({ url: `http://a.test/${name}` });
    return [...module.write(source), ...module.end()];
  };
  const first = read('a.js', 'import "./b.js"');
  expect(first).toMatchObject([{ url: 'http://a.test/b.js', crossOrigin: 'use-credentials' }]);
  expect(read('b.js', 'import "./c.js"')).toMatchObject([{ url: 'http://a.test/c.js' }]);
  expect(read('other.js', 'import "./d.js"')).toEqual([]);
});
