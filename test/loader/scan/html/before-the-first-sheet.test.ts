// A sheet selects by html and body wherever it stands; what else was shown before the first one stays out of account.

import { expect, it } from 'vitest';
import { createScanner } from '../../../../loader/scan/index.ts';

const css =
  'html{mask:url(root)}html.x{mask:none}body{background:url(body)}body.x,#x{background:none}';

it.each<[string, string, string[]]>([
  ['neither has a tag', '<p>text', ['body', 'root']],
  ['a class of the body', '<body class=x><p>text', ['root']],
  ['an identifier of the body', '<html><head></head><body id=x><p>text', ['root']],
  ['a class of the root', '<html class=x><meta charset=utf-8><title>x</title><p>text', ['body']],
  ['both', '<html class=x><head><base href=/><body class=x>', []],
  ['a body that comes too late', '<img src=data:,><body class=x>', ['body', 'root']],
])('%s', (_, html, expected) => {
  for (const sheet of [`<style>${css}</style>`, '<link rel=stylesheet href=s.css>']) {
    const scanner = createScanner({ url: 'http://site.example/' });
    const found = [...scanner.write(html + sheet), ...scanner.end()];
    if (sheet.startsWith('<link')) {
      const reader = scanner.styleSheet({ url: 'http://site.example/s.css' });
      found.push(...reader.write(css), ...reader.end());
    }
    const names = found.map(({ url }) => new URL(url).pathname.slice(1));
    expect(names.filter((name) => name !== 's.css').sort()).toEqual(expected);
  }
});
