// The LAN of the paper with two kinds of TCP: the kernel's of today, and one of 1997.

import type { LinkSettings } from '../../link/link.ts';
import { links } from '../../page-loads/links.ts';

/** Windows began with two segments at most, and a lone segment was acknowledged at the next beat of 200 ms. */
export const tcpOf1997 = { initialWindow: 2, delayedAckMs: 200 };

export const lans = {
  today: links.lan,
  of1997: { ...links.lan, ...tcpOf1997 },
} satisfies Record<string, LinkSettings>;
