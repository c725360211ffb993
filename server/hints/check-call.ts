// Refuses calls by frameworks with a contract of their own, which pass objects of theirs. If they were served without
// hints, nothing would tell why their pages have none; so the first such call throws an error with the right line.

import { ServerError } from '../errors.ts';

/** Properties by which a framework's arguments are known, and the line that adds hints() in that framework. */
const remedies: readonly [
  name: string,
  isIt: (first: GivenArgument, second: GivenArgument) => boolean,
  line: string,
][] = [
  [
    'Fastify',
    (request, reply) => 'raw' in request && 'raw' in reply,
    "app.addHook('onRequest', (request, reply, done) => middleware(request.raw, reply.raw, () => done()))",
  ],
  [
    'Koa',
    (context) => 'app' in context && 'req' in context && 'res' in context,
    'app.use((ctx, next) => new Promise((done) => middleware(ctx.req, ctx.res, () => done())).then(next))',
  ],
  [
    'Hono',
    (context) => 'newResponse' in context && 'env' in context,
    'app.use((c, next) => new Promise((done) => middleware(c.env.incoming, c.env.outgoing, () => done())).then(next))',
  ],
];

type GivenArgument = Readonly<{ headers?: unknown; writeHead?: unknown }>;

/** Checks a call. @throws ServerError 'invalid-call' unless the arguments are a request, a response and, optionally, a
 *  function. */
export function checkCall(req: unknown, res: unknown, next: unknown): void {
  const first = Object(req) as GivenArgument;
  const second = Object(res) as GivenArgument;
  const isUsual =
    typeof first.headers === 'object' &&
    typeof second.writeHead === 'function' &&
    (next === undefined || typeof next === 'function');
  if (isUsual) return;
  const [name, , line] = remedies.find(([, isIt]) => isIt(first, second)) ?? [];
  const remedy =
    name === undefined
      ? 'call the function that hints() returned as middleware(req, res, next)'
      : `with ${name}, write: const middleware = hints(); ${line}`;
  throw new ServerError(
    'invalid-call',
    `hints() needs node:http's request and response, and a function or nothing as third; ${remedy}`,
  );
}
