// The milestones of a page load, each with one name, letter and explanation for the summary, both waterfalls
// and their legends. Also finds the rows of the page itself, through its redirects.

import type { PageLoad, PageTiming, ResourceRecord } from '../page-load.ts';

export interface Milestone {
  key: keyof PageTiming;
  /** A single character for narrow axes. */
  letter: string;
  name: string;
  explanation: string;
}

/** The milestones in their usual order. */
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
    key: 'firstViewMs',
    letter: 'V',
    name: 'first view',
    explanation: 'what rendering waits for, and images of the first view',
  },
  {
    key: 'completeMs',
    letter: 'C',
    name: 'complete',
    explanation: 'last byte of the last resource',
  },
];

/** The rows of the page itself: the first request, then each redirect target. */
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

/** Whether a row has an error or a status of 400 or more. */
export function hasFailed(resource: ResourceRecord): boolean {
  return resource.error !== null || (resource.status ?? 0) >= 400;
}
