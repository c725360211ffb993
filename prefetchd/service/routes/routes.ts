// Builds an Express app from routes, which are data. Each request passes admission.ts, then its handler, and gets one
// answer (send.ts). A handler throws a Problem; any other error is a bug: it is answered with 500 and logged, and the
// service continues. Routes for web servers (`front`) respond with 204 in any case, because an error would keep a
// visitor from a page.

import { performance } from 'node:perf_hooks';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { hasValidHost } from '../../../http/host-field.ts';
import type { Logger } from '../../../options/logger.ts';
import { PrefetchdError } from '../../errors.ts';
import type { Guard, ServiceAdmission } from '../admission.ts';
import type { Metrics } from '../metrics.ts';
import { ClientGone, Problem } from '../problem.ts';
import { sendNothing, sendProblem } from '../send.ts';

export interface ApiRoute {
  /** The method of a route; `any`: every method. HEAD is answered wherever GET is. */
  method: 'get' | 'post' | 'patch' | 'any';
  path: string;
  guard: Guard;
  handle: (request: Request, response: Response) => void | Promise<void>;
}

export const route = (
  method: ApiRoute['method'],
  path: string,
  guard: Guard,
  handle: ApiRoute['handle'],
): ApiRoute => ({ method, path, guard, handle });

export interface RouteKit {
  admission: ServiceAdmission;
  metrics: Metrics;
  log: Logger;
}

/** Shortest time between two log lines about refusals on a route, ms; the metrics count every refusal. */
const quietMs = 10_000;

export function createApp(routes: readonly ApiRoute[], kit: RouteKit): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.use((request: Request, _: Response, next: NextFunction) => {
    if (hasValidHost(request)) next();
    else
      throw new Problem(
        'invalid-request',
        'one valid Host field is needed, and no other host in the target (RFC 9112 3.2)',
      );
  });
  for (const path of new Set(routes.map((route) => route.path))) {
    const here = routes.filter((route) => route.path === path);
    const handled = app.route(path);
    for (const route of here) {
      handled[route.method === 'any' ? 'all' : route.method](handlerOf(route, kit));
    }
    if (!here.some(({ method }) => method === 'any')) {
      handled.all(handlerOf(methodNotAllowed(path, here), kit));
    }
  }
  app.use(handlerOf(notFound, kit));
  app.use((error: unknown, request: Request, response: Response, _: NextFunction) =>
    answerError(error, request, response, kit),
  );
  return app;
}

function handlerOf(route: ApiRoute, { admission, metrics, log }: RouteKit) {
  const { path, guard, handle } = route;
  let quietUntilMs = 0;
  return (request: Request, response: Response): void | Promise<void> => {
    const startedMs = performance.now();
    response.on('finish', () => {
      metrics.answered(path, response.statusCode, (performance.now() - startedMs) / 1000);
    });
    const refusal = admission.refusal(request, guard);
    if (refusal !== null) {
      metrics.refused(refusal.code);
      if (startedMs >= quietUntilMs) {
        quietUntilMs = startedMs + quietMs;
        log.warn({ route: path, code: refusal.code }, refusal.message);
      }
      if (guard === 'front') return sendNothing(response);
      throw refusal;
    }
    if (guard !== 'front') return handle(request, response);
    try {
      return handle(request, response);
    } catch (error) {
      log.error({ route: path, err: error }, 'a request of the web server failed');
      if (!response.headersSent) sendNothing(response);
    }
  };
}

function methodNotAllowed(path: string, routes: readonly ApiRoute[]): ApiRoute {
  const allowed = routes.flatMap(({ method }) =>
    method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
  );
  const Allow = allowed.join(', ');
  return route('any', path, 'page', (request) => {
    const detail = `${path} does not support ${request.method}; it supports ${Allow}`;
    throw new Problem('method-not-allowed', detail, { headers: { Allow } });
  });
}

const notFound = route('any', 'none', 'page', () => {
  throw new Problem('not-found', 'docs/protocol.md lists all resources');
});

function answerError(error: unknown, request: Request, response: Response, { log }: RouteKit) {
  if (error instanceof ClientGone) return;
  const problem = problemOf(error);
  const route = request.route?.path ?? 'none';
  if (problem.code === 'internal-error') log.error({ route, err: error }, 'a request failed');
  else log.debug({ route, code: problem.code }, 'a request was refused');
  if (response.headersSent) response.destroy();
  else sendProblem(response, problem);
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof PrefetchdError && error.code === 'invalid-option') {
    return new Problem('invalid-request', error.message);
  }
  // Express throws a URIError for a path that it cannot decode.
  if (error instanceof URIError) {
    return new Problem('invalid-request', 'the path has broken percent-encoding (RFC 3986 2.1)');
  }
  return new Problem('internal-error', 'see the log of the service');
}
