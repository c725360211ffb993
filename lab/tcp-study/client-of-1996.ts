// What a client and a server's kernel of 1996 do that those of today do not.

import type { Link } from '../link/link.ts';

/** His client delayed acknowledgments by up to 200 ms, and his server's windows began with two segments. */
export const clientOf1996 = { initialWindow: 2, delayedAckMs: 200 };

/** A kernel of today sends the next segment when an acknowledgment is late (RFC 8985 7), which ends a stall in 10 ms. */
export function withoutTailLossProbe(link: Link): Promise<void> {
  return link.setKernel('server', 'net.ipv4.tcp_early_retrans', '0');
}
