// Counts prefetches by the rule that caused them. Sec-Speculation-Tags names the rule, in a structured list of the tags
// of the rule set and of the rule, `"prefetchd", "prefetchd-moderate"`.

import { joinedLines } from '../../http/field-syntax.ts';
import {
  rulesTag,
  type SpeculationTag,
  sfString,
  speculationTags,
} from '../../prefetchd/wire/speculation-rules.ts';
import type { Request } from '../listen/handler.ts';

/** Documents that browsers prefetched or prerendered, by rule; `other`: by rules of the site itself, or by Link. */
export type PrefetchCounts = Record<SpeculationTag | 'other', number>;

export const noPrefetches = (): PrefetchCounts => ({
  immediate: 0,
  eager: 0,
  moderate: 0,
  links: 0,
  prerender: 0,
  other: 0,
});

export function ruleOf({ headers }: Request): SpeculationTag | 'other' {
  const tags = headers['sec-speculation-tags'];
  if (tags === undefined) return 'other';
  const said = joinedLines(tags);
  return speculationTags.find((rule) => said.includes(sfString(`${rulesTag}-${rule}`))) ?? 'other';
}
