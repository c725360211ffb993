import { expect, test } from 'vitest';
import { resolveReference } from '../../../loader/scan/reference.ts';
import fc from '../../support/property.ts';

const bases = [
  'http://site.example/',
  'https://site.example:8443/docs/a/page.html?query=/x/#part',
  'http://user:secret@site.example/a/../b/',
  'http://[::1]:8080/%7Euser/page',
  'ftp://files.example/pub/',
  'mailto:somebody@site.example',
];

/** By the URL parser alone (URL Standard 4.4). */
function parsed(written: string, base: string): string | null {
  const url = URL.parse(written, base);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  url.username = url.password = url.hash = '';
  return url.href;
}

const pieces = [
  ...['a', 'Z9', '_', '-', 'image.gif', '.', '..', '.a', 'a.', '%2e', '%', '/', '//', '\\'],
  ...[':', 'C:', 'http:', '?', 'q=1', '#', '@', ' ', '\n', '~', 'ä', 'ſ', '\u212a', '\0', ''],
];
const written = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('a', '/', '.', '-') },
      fc.constantFrom(...pieces),
    ),
  )
  .map((some) => some.join(''));

test('a reference is what the URL parser makes of it, without user, password and fragment', () => {
  fc.assert(
    fc.property(written, fc.constantFrom(...bases), (text, base) => {
      expect(resolveReference(text, new URL(base), 'utf-8')).toBe(parsed(text, base));
    }),
    { numRuns: 5000 },
  );
});

test.each([
  ['images/logo.gif', 'https://site.example:8443/docs/a/images/logo.gif'],
  ['/logo.gif', 'https://site.example:8443/logo.gif'],
  ['../logo.gif', 'https://site.example:8443/docs/logo.gif'],
  ['//other.example/logo.gif', 'https://other.example/logo.gif'],
  ['logo.gif?x#y', 'https://site.example:8443/docs/a/logo.gif?x'],
])('%s', (text, url) => {
  expect(resolveReference(text, new URL(bases[1] ?? ''), 'utf-8')).toBe(url);
});
