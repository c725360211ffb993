import { expect, it } from 'vitest';
import { queryMayBeHinted } from '../../../prefetchd/normalise-url.ts';
import { kindOfTarget } from '../../../prefetchd/rules/access-kind.ts';

const mayHint = queryMayBeHinted();

it.each([
  ...['/catalog/product_compare/add/?product=5', '/download/file.php?id=5', '/forum/post.php?f=3'],
  '/Vote?id=3',
])('a path that acts on what the query names is no page: %s', (url) => {
  expect(mayHint(url, 'document')).toBe(false);
});

it.each(['/forum/viewtopic.php?t=5', '/how-to-download-files?page=2', '/news/?page=2', '/?p=3'])(
  'other paths are: %s',
  (url) => {
    expect(mayHint(url, 'document')).toBe(true);
  },
);

it.each([
  ['/2016/01/07/post/?relatedposts=1', 'object'],
  ['/?wc-ajax=get_refreshed_fragments', 'object'],
  ['/index.php?option=com_content&format=raw', 'object'],
  ['/index.php?option=com_content&view=article', 'document'],
  ['/shop?feedback=1', 'document'],
])('what scripts ask for is no page: %s is %s', (target, kind) => {
  expect(kindOfTarget(target)).toBe(kind);
});
