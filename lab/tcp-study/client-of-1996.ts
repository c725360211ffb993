// What a client and a server's kernel of 1996 do that those of today do not.

import type { Link } from '../link/link.ts';
import { run } from '../processes.ts';

/** His client delayed acknowledgments by up to 200 ms, and his server's windows began with two segments. */
export const clientOf1996 = { initialWindow: 2, delayedAckMs: 200 };

/**
 * Takes from the kernels what came later. The server's sends the next segment when an acknowledgment is late (RFC 8985
 * 7), which ends a stall in 10 ms. The client's delays acknowledgments by 40 ms now and then; it acknowledges each
 * segment, so that the link alone delays them.
 */
export async function asIn1996(link: Link): Promise<void> {
  await link.setKernel('server', 'net.ipv4.tcp_early_retrans', '0');
  const ip = (...args: string[]) => run(...link.at('client', ['ip', 'route', ...args]));
  const { stdout } = await ip('show');
  await ip('change', ...stdout.trim().split(/\s+/), 'quickack', '1');
}
