// The order in which the resources of a page are fetched: first those that block rendering, then by the priority that
// a browser gives them; resources of equal priority in the order in which the page names them.

import type { ResourceKind } from '../page-load.ts';
import type { Naming } from '../scan/reference.ts';

const ranks = { highest: 1, high: 2, medium: 3, low: 4, lowest: 5 } as const;

/** Rank of a resource, from 0; lower ranks are requested first. */
export function rankOf({ isBlocking, priority = 'low' }: Naming): number {
  return isBlocking ? 0 : ranks[priority];
}

const urgencies = { highest: 'u=0', high: 'u=1', medium: 'u=2', low: '', lowest: 'u=4' } as const;
/** Kinds of resources that cannot be used before they are complete. */
const wholes = new Set<ResourceKind>(['script', 'stylesheet', 'font']);

/** The Priority field (RFC 9218 4) as Chromium 156 sends it; '' stands for the default, u=3. */
export function urgencyOf(kind: ResourceKind, { priority = 'low' }: Naming): string {
  const parts = [urgencies[priority], wholes.has(kind) ? '' : 'i'];
  return parts.filter((part) => part !== '').join(', ');
}
