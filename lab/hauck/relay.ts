// A cache server that knows Hold-Line on both sides (Hauck 1994, 1 and 6): `node relay.ts HOST PORT`. It holds the line to
// the server if its client asks it to hold one. A request for /clear empties it. Prints its port when it listens.

import { createOrigin, type Handler, holdLine } from '../../server/index.ts';
import { HeldLine } from './line.ts';

const [host = '', port = ''] = process.argv.slice(2);
const kept = new Map<string, Buffer>();
const lines = [null, 5].map(
  (seconds) => new HeldLine({ host, port: Number(port), holdLine: seconds }),
);
const [standard, held] = lines as [HeldLine, HeldLine];

const relay: Handler = (req, res) => {
  const path = req.url ?? '/';
  if (path === '/clear') {
    kept.clear();
    held.close();
  }
  const answer = async () => {
    const isHeld = req.headers['hold-line'] !== undefined;
    const known = path === '/clear' ? Buffer.from('ok') : kept.get(path);
    const body = known ?? (await (isHeld ? held : standard).load(path));
    if (path !== '/clear') kept.set(path, body);
    res.setHeader('Content-Type', path.endsWith('.gif') ? 'image/gif' : 'text/html');
    res.setHeader('Content-Length', String(body.length));
    res.end(body);
  };
  answer().catch(() => res.destroy());
};

const origin = createOrigin('.', { handlers: [holdLine(), relay] });
const { port: ownPort } = await origin.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${ownPort}\n`);
