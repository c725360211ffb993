// A phone has no pointer to hover with: (hover: none) and (pointer: coarse) hold where `viewport` says mobile (Media Queries 4, 6).

import { expect, it } from 'vitest';
import { loadPage } from '../../../../loader/index.ts';
import { answering, response } from '../../../support/raw-server.ts';

const css = `
  @media (hover: hover) and (pointer: fine) { p { background: url(/desk.gif) } }
  @media (hover: none) and (pointer: coarse) { p { background: url(/phone.gif) } }
  @media (any-hover) { b { background: url(/any-desk.gif) } }
  @media not (any-hover) { b { background: url(/any-phone.gif) } }
  @media (any-pointer: coarse) { i { background: url(/coarse.gif) } }`;
const html = `<style>${css}</style><p>p</p><b>b</b><i>i</i>
  <picture><source media="(pointer: coarse)" srcset=/touched.gif><img src=/clicked.gif></picture>`;
const link = { Link: '</hint.gif>; rel=preload; as=image; media="(hover: none)"' };

it.each([
  [
    '1280x800@2 mobile',
    ['/any-phone.gif', '/coarse.gif', '/hint.gif', '/phone.gif', '/touched.gif'],
  ],
  ['1280x800', ['/any-desk.gif', '/clicked.gif', '/desk.gif']],
])('%s', async (viewport, expected) => {
  await using server = await answering(({ path }, connection) =>
    connection.write(
      path === '/' ? response(html, { 'Content-Type': 'text/html', ...link }) : response('x'),
    ),
  );
  const load = await loadPage(server.origin, { discovery: { viewport } });
  const paths = load.resources.slice(1).map(({ url }) => new URL(url).pathname);
  expect(paths.toSorted()).toEqual(expected);
});
