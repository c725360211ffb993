// Candidates of srcset and imagesrcset that are not taken, for those who ask why.

import { type ImageSource, whyCandidatesLose } from '../images/selection.ts';
import { parseSrcset } from '../images/srcset.ts';
import type { StartTag } from '../tokens/tokenizer.ts';
import { type Found, found, nothing, type ScanSettings } from './found.ts';

/** Another candidate of the attribute is taken, or `src`. */
export function lostCandidates(
  source: ImageSource,
  src: string | null,
  tag: StartTag,
  { explains, screen }: ScanSettings,
): readonly Found[] {
  if (!explains || source.srcset === null) return nothing;
  const lost = whyCandidatesLose(source, src, screen);
  return [...lost].map(([url, skipped]) => candidate(url, skipped, tag));
}

/** The whole attribute is not taken. @param skipped Why */
export function candidatesOfNone(
  srcset: string | null,
  skipped: string,
  tag: StartTag,
  { explains }: ScanSettings,
): readonly Found[] {
  if (!explains || srcset === null) return nothing;
  const urls = new Set(parseSrcset(srcset).map(({ url }) => url));
  return [...urls].map((url) => candidate(url, skipped, tag));
}

function candidate(url: string, skipped: string, tag: StartTag): Found {
  const attribute = tag.name === 'link' ? 'imagesrcset' : 'srcset';
  return found('image', attribute, url, tag, { skipped });
}
