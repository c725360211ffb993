// What the scanner finds on a saved page, in the document and in all that it leads to, without any network.

import { readFileSync } from 'node:fs';
import type { PageFixture, ViewportName } from '../../../fixtures/pages.ts';
import { viewports } from '../../../fixtures/pages.ts';
import { answerFrom } from '../../../fixtures/serve-page.ts';
import { createScanner, type Reference, type Skipped } from '../../../loader/scan/index.ts';

const origin = 'http://page.test';

export interface ScannedPage {
  /** By URL as chromium.json writes it. */
  found: Map<string, Reference>;
  skipped: Skipped[];
}

export async function scannedPage(
  fixture: PageFixture,
  viewport: ViewportName,
): Promise<ScannedPage> {
  const { devicePixelRatio: dpr, mobile, width, height } = viewports[viewport];
  const skipped: Skipped[] = [];
  const scanner = createScanner({
    url: origin + fixture.page.document,
    viewport: `${width}x${height}@${dpr}${mobile ? ' mobile' : ''}`,
    also: ['media', 'frames'],
    onSkipped: (each) => skipped.push(each),
  });
  const answer = answerFrom(fixture);
  const found = new Map<string, Reference>();
  const follow = async (references: readonly Reference[]): Promise<void> => {
    for (const reference of references) {
      if (reference.kind === 'connection') continue;
      const short = reference.url.replace(origin, '');
      if (found.has(short)) continue;
      found.set(short, reference);
      const reader = readerOf(reference);
      const served = reader && (await answer(short));
      if (!reader || !served) continue;
      await follow(reader.write(served.body));
      await follow(reader.end());
    }
  };
  const readerOf = ({ url, kind, isModule }: Reference) => {
    if (kind === 'stylesheet') return scanner.styleSheet({ url });
    if (kind === 'document') return scanner.frame({ url });
    return isModule === true ? scanner.module({ url }) : null;
  };
  await follow(scanner.write(readFileSync(fixture.html)));
  await follow(scanner.end());
  scanner.finish();
  return { found, skipped };
}
