// <meta http-equiv=refresh> (HTML 4.2.5.3): told, not followed, since it leaves the page.

import type { StartTag } from '../tokens/tokenizer.ts';
import { type Found, found, nothing } from './found.ts';

const written =
  /^[\t\n\f\r ]*[\d.]*[\t\n\f\r ]*[;,]?[\t\n\f\r ]*(?:url[\t\n\f\r ]*=)?[\t\n\f\r ]*(["']?)(.+?)\1[\t\n\f\r ]*$/is;

export function refresh(content: string, tag: StartTag): readonly Found[] {
  const target = /^[\t\n\f\r ]*[\d.]/.test(content)
    ? written.exec(content.slice(0, 4096))?.[2]
    : '';
  if (!target || /^[\d.]+$/.test(target)) return nothing;
  const more = { named: 'refresh', skipped: 'a refresh is not followed' };
  return [found('document', 'content', target, tag, more)];
}
