// The advice on Microscape leads, step by step, to the figures of its variants (docs/content.md; Nielsen, Gettys et al.
// 1997, "Impact of Changing Web Content").

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { microscapeDir } from '../../../fixtures/index.ts';
import { contentVariants, replacements } from '../../../lab/content/variants.ts';
import type { Finding } from '../../../loader/audit/finding.ts';
import { auditPage, type PageAudit } from '../../../loader/audit-page.ts';
import { createOrigin, type Origin } from '../../../server/index.ts';
import { readJson } from '../../fixtures/sites.ts';

const audits = new Map<string, PageAudit>();
let origin: Origin;

beforeAll(async () => {
  origin = createOrigin(microscapeDir);
  const { url } = await origin.listen();
  for (const name of ['as it is', 'css', 'png', 'modern']) {
    audits.set(name, await auditPage(name === 'as it is' ? `${url}/` : `${url}/${name}/`));
  }
}, 300_000);
afterAll(() => origin.close());

const found = (page: string, kind: string): Finding | undefined =>
  audits.get(page)?.findings.find((finding) => finding.kind === kind);
const saved = (page: string, ...kinds: string[]) =>
  kinds.reduce((sum, kind) => sum + (found(page, kind)?.saves.bytes ?? 0), 0);
const variant = (name: string) => {
  const one = contentVariants().find((each) => each.name === name);
  if (one === undefined) throw new Error(`there is no variant ${name}`);
  return { ...one, imageBytes: one.stillBytes + one.animatedBytes };
};

describe('advice on Microscape', () => {
  it('finds the 22 images that HTML and CSS replace, each one and no other', () => {
    const { replaced } = readJson(microscapeDir, 'variants.json') as {
      replaced: { from: string }[];
    };
    const names = found('as it is', 'css-images')?.items.map(({ url }) =>
      new URL(url).pathname.slice(1),
    );
    expect(names?.toSorted()).toEqual(replaced.map(({ from }) => from).toSorted());
    expect(found('as it is', 'css-images')?.saves.requests).toBe(
      variant('as it is').page.images - variant('css').page.images,
    );
  });

  it('counts for them the bytes of the table within a tenth, and the header sections of their responses', () => {
    const { gifBytes, htmlAndCssBytes } = replacements();
    const finding = found('as it is', 'css-images') as Finding;
    const urls = new Set(finding.items.map(({ url }) => url));
    const rows = audits.get('as it is')?.load.resources.filter(({ url }) => urls.has(url)) ?? [];
    const heads = rows.reduce(
      (sum, { transferBytes, encodedBytes }) => sum + transferBytes - encodedBytes,
      0,
    );
    const inTable = gifBytes - htmlAndCssBytes;
    expect(Math.abs(finding.saves.bytes - heads - inTable)).toBeLessThan(inTable / 10);
  });

  it('counts for formats on /css/ what /modern/ saves, within a tenth, and never more than there is', () => {
    const inTable = variant('css').imageBytes - variant('modern').imageBytes;
    const now = saved('css', 'image-formats', 'photograph-formats');
    expect(Math.abs(now - inTable)).toBeLessThan(inTable / 10);
    for (const [name, { saves, load }] of audits) {
      expect(saves.first.bytes, name).toBeLessThan(load.totals.transferBytes);
      expect(saves.first.requests, name).toBeLessThan(load.totals.requests);
    }
  });

  it('tries PNG on still images, as long as in the table within a tenth', () => {
    const items = ['image-formats', 'photograph-formats'] as const;
    const tried = items.flatMap((kind) => found('as it is', kind)?.items ?? []);
    const png = tried.filter(({ tried }) => tried?.png !== undefined);
    const stored = readJson(microscapeDir, 'variants.json') as {
      pages: { folder: string; images: { from: string; bytes: number }[] }[];
    };
    const inTable = new Map(
      stored.pages
        .find(({ folder }) => folder === 'png')
        ?.images.map(({ from, bytes }) => [`/${from}`, bytes]),
    );
    expect(png.length).toBeGreaterThan(12);
    const ours = png.reduce((sum, { tried }) => sum + (tried?.png ?? 0), 0);
    const theirs = png.reduce((sum, { url }) => sum + (inTable.get(new URL(url).pathname) ?? 0), 0);
    expect(Math.abs(ours - theirs)).toBeLessThan(theirs / 10);
  });

  it('keeps animations: both are converted without loss, with all frames', () => {
    const items = found('as it is', 'image-formats')?.items ?? [];
    const animated = items.filter(({ url }) => url.includes('/anim-'));
    expect(animated.map(({ tried }) => Object.keys(tried ?? {}))).toEqual([['webp'], ['webp']]);
  });

  it('has less to say about each step, and nothing of these kinds about the last', () => {
    const left = (page: string) => saved(page, 'css-images', 'image-formats', 'photograph-formats');
    expect(found('css', 'css-images')).toBeUndefined();
    expect(left('css')).toBeLessThan(left('as it is'));
    expect(left('png')).toBeLessThan(left('as it is'));
    expect(saved('png', 'image-formats')).toBeLessThan(saved('as it is', 'image-formats') / 2);
    expect(left('modern')).toBe(0);
  });

  it('names the images whose tags have no size, and no image that style should draw for another format', () => {
    const names = found('as it is', 'image-dimensions')?.items.map(({ url }) =>
      url.split('/').at(-1),
    );
    expect(names).toEqual(['promo-cd.gif', 'arrow-top.gif', 'icon-globe.gif', 'badge-voyager.gif']);
    const drawn = new Set(found('as it is', 'css-images')?.items.map(({ url }) => url));
    for (const kind of ['image-formats', 'photograph-formats'] as const) {
      for (const { url } of found('as it is', kind)?.items ?? [])
        expect(drawn.has(url), url).toBe(false);
    }
  });
});
