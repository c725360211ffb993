// Link header fields that a page's resources are preloaded by (RFC 8288, HTML 4.6.7.19).

import { expect, it } from 'vitest';
import { hintsOf } from '../../../../loader/page/hints-of.ts';

it.each<[string, preloaded: string]>([
  ['</a.css>; rel=preload; as=style', 'stylesheet /a.css'],
  [
    '</a.js>; rel=preload; as=script, </b.gif>; rel="preload next"; as=image',
    'script /a.js, image /b.gif',
  ],
  ['</a.woff2>; rel=preload; as=font; crossorigin', 'font /a.woff2'],
  ['</a.json>; rel=preload; as=fetch; crossorigin=use-credentials', 'fetch /a.json'],
  ['</a.js>; rel=modulepreload', 'script /a.js'],
  ['</a.css>; rel=preload; as=style; media="(max-width: 600px)"', ''],
  ['</a.css>; rel=preload; as=style; media="(min-width: 600px), print; x"', 'stylesheet /a.css'],
  ['</a.jp2>; rel=preload; as=image; type="image/jp2"', ''],
  [
    '<>; rel=preload; as=image; imagesrcset="/a.gif 640w, /b.gif 2000w"; imagesizes="50vw"',
    'image /a.gif',
  ],
  ['</a>; rel=preload', ''],
  ['</a.js>; rel=preload; as=script; type="text/plain"', ''],
  ['</a.js>; rel=preload; as=script; type="module"', ''],
  ['</a.js>; rel=preload; as=script; type="text/javascript; x=y"', ''],
  ['</a.js>; rel=preload; as=script; type="text/javascript"', 'script /a.js'],
  ['</a.vtt>; rel=preload; as=track; type="text/plain"', ''],
  ['</a.vtt>; rel=preload; as=track; type="text/vtt"', 'track /a.vtt'],
  ['</a>; rel=preload; as=fetch; crossorigin; type="foo/bar"', 'fetch /a'],
  ['</a.css>; rel=stylesheet', ''],
  ['</a.css>; rel=preload; as=style; anchor="/other"', ''],
  ['<ftp://a.test/x>; rel=preload; as=image', ''],
])('%s', (value, expected) => {
  const { preload } = hintsOf([['Link', value]], 'http://a.test/dir/');
  const shown = preload.map(({ kind, url }) => `${kind} ${url.replace('http://a.test', '')}`);
  expect(shown.join(', ')).toBe(expected);
});

it('carries how it is fetched', () => {
  const value =
    '</a>; rel=preload; as=font; crossorigin; fetchpriority=low; integrity=sha256-x; nonce=abc';
  const { preload } = hintsOf([['Link', value]], 'http://a.test/');
  const how = { crossOrigin: 'anonymous', priority: 'low', integrity: 'sha256-x', nonce: 'abc' };
  expect(preload).toMatchObject([how]);
});
