// `loadahead/fastify`: hints() as a plugin of Fastify 4 and 5, `app.register(hints, options)`. It has the properties
// that fastify-plugin (https://github.com/fastify/fastify-plugin) would give it, without needing that package.

import '../../needs-node.ts';
import type { HintsOptions } from '../hints/hint-options.ts';
import { type Hints, hints as middlewareOf } from '../hints/hints.ts';
import { ownAnswers } from '../hints/own-paths.ts';
import type { Request, Response } from '../listen/handler.ts';

export { ServerError, type ServerErrorCode } from '../errors.ts';
export type { HintsOptions } from '../hints/hint-options.ts';
export type { Hints } from '../hints/hints.ts';
export type { HintsStats } from '../hints/site-hints.ts';

/** The members of Fastify's instance that are used, so that its types are not needed. */
interface Instance {
  /** Path below which the plugin is registered; '': the root. */
  readonly prefix: string;
  all(
    path: string,
    options: object,
    handler: (request: unknown, reply: { callNotFound(): unknown }) => unknown,
  ): unknown;
  addHook(name: string, hook: (...given: never[]) => unknown): unknown;
  decorate(name: string, value: unknown): unknown;
  hasDecorator(name: string): boolean;
}

type Hook = (request: { raw: Request }, reply: { raw: Response }, done: () => void) => void;

/**
 * The plugin: all routes of the app get hints; `app.hints` is the middleware, with its `stats()`. Fastify closes it.
 * @throws ServerError 'invalid-option', PrefetchdError `invalid-option`, which Fastify's `ready` and `listen` throw
 */
export function hints(app: Instance, options: HintsOptions, done: (error?: Error) => void): void {
  if (app.hasDecorator('hints')) {
    done(new Error('hints is registered already'));
    return;
  }
  let middleware: Hints;
  try {
    middleware = middlewareOf(options);
  } catch (error) {
    done(error as Error);
    return;
  }
  // A prefix may end in / and have parameters (/:tenant), so the path of the mount is taken from the visitor's URL.
  const depth = app.prefix.replace(/\/$/, '').split('/').length;
  const baseOf = ({ url = '' }: Request) => url.split('/', depth).join('/');
  const onRequest: Hook = ({ raw }, reply, next) =>
    middleware(depth === 1 ? raw : Object.assign(raw, { baseUrl: baseOf(raw) }), reply.raw, next);
  app.decorate('hints', middleware);
  app.addHook('onRequest', onRequest);
  app.addHook('onClose', () => middleware.close());
  // Below a prefix, Fastify calls the hook only where a route matches, so each URL that the hook answers gets a route.
  const { speculationRules = true, beacon = true } = options;
  const answered = depth === 1 ? [] : ownAnswers({ speculationRules, beacon }).keys();
  for (const key of answered) {
    const route = { schema: { hide: true } }; // documents of the site's API leave the route out
    try {
      app.all(key.slice(key.indexOf('/')), route, (_, reply) => reply.callNotFound());
    } catch (error) {
      // The route exists if another plugin with the same prefix has hints, too.
      if ((error as { code?: string }).code !== 'FST_ERR_DUPLICATED_ROUTE') throw error;
    }
  }
  done();
}

Object.assign(hints, {
  // Fastify adds the hooks to the app itself, not to a scope of the plugin's own.
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'loadahead',
  [Symbol.for('plugin-meta')]: { name: 'loadahead', fastify: '4.x || 5.x' },
});
