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
export const milestones: readonly Milestone[] = (
  [
    ['firstByteMs', 'F', 'first byte', "first byte of the page's response"],
    ['htmlEndMs', 'H', 'HTML end', "last byte of the page's HTML"],
    ['sizesKnownMs', 'S', 'sizes known', 'size, or failure, of every image is known'],
    ['firstViewMs', 'V', 'first view', 'what rendering waits for, and images of the first view'],
    ['completeMs', 'C', 'complete', 'last byte of the last resource'],
  ] as const
).map(([key, letter, name, explanation]) => ({ key, letter, name, explanation }));

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
