// Our origin, sending by rate as Heidemann proposed (1996, 2.4): `node paced-server.ts FOLDER HOST PORT`. With a limit
// far above any line, the kernel spreads each window over a round trip (SO_MAX_PACING_RATE; tcp_pacing_ca_ratio).

import type { Socket } from 'node:net';
import { createOrigin, type Handler, type LayeredSocket } from '../../server/index.ts';
import { setsockopt } from './libc.ts';

const [folder = '.', host, port] = process.argv.slice(2);
const [solSocket, soMaxPacingRate] = [1, 47];
const limit = Buffer.alloc(8);
limit.writeBigUInt64LE(10_000_000_000n);

const pass: Handler = (_req, _res, next) => next();
const paces = Object.assign(pass, {
  onConnection: ({ raw }: LayeredSocket) => {
    const { fd } = (raw as Socket & { _handle: { fd: number } })._handle;
    if (setsockopt(fd, solSocket, soMaxPacingRate, limit, limit.length) < 0) {
      throw new Error('the kernel sets no pacing rate');
    }
  },
});

const origin = createOrigin(folder, { handlers: [paces] });
await origin.listen({ host: host as string, port: Number(port) });
process.stdout.write('listening\n');
