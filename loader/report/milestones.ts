// The four moments a page load is judged by, with one name, letter and explanation each, so that
// the summary, both waterfalls and their legends never call the same moment by two names.
// Also: which row is the page in the end, after redirects.

import type { PageLoad, PageTiming, ResourceRecord } from '../page-load.ts';

export interface Milestone {
  key: keyof PageTiming;
  /** One character for an axis without room. */
  letter: string;
  name: string;
  explanation: string;
}

/** In the order they usually come. */
export const milestones: readonly Milestone[] = [
  {
    key: 'firstByteMs',
    letter: 'F',
    name: 'first byte',
    explanation: "first byte of the page's response",
  },
  { key: 'htmlEndMs', letter: 'H', name: 'HTML end', explanation: "last byte of the page's HTML" },
  {
    key: 'sizesKnownMs',
    letter: 'S',
    name: 'sizes known',
    explanation: 'size, or failure, of every image is known',
  },
  {
    key: 'completeMs',
    letter: 'C',
    name: 'complete',
    explanation: 'last byte of the last resource',
  },
];

/** The rows the page went through: itself, then each redirect hop it was sent to. */
export function pageHops(load: PageLoad): ResourceRecord[] {
  const hops: ResourceRecord[] = [];
  const left = new Set(load.resources);
  let next = load.resources[0];
  while (next !== undefined) {
    hops.push(next);
    left.delete(next);
    const target: string | null = next.redirectUrl;
    next = target === null ? undefined : [...left].find((resource) => resource.url === target);
  }
  return hops;
}

/** Whether a row is bad news: an error, or a status of 400 and above. */
export function hasFailed(resource: ResourceRecord): boolean {
  return resource.error !== null || (resource.status ?? 0) >= 400;
}
