// Makes the hint service: prefetchd over HTTP, for sites that are not written in Node or run several processes.
// `listen` serves it; `app` is an Express app for an existing server. routes.ts describes the request flow,
// docs/protocol.md the protocol.

import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { hasTooManyFields, maxFields } from '../../http/field-count.ts';
import { gatherPieces } from '../../process/gathered-pieces.ts';
import { tinyPieces } from '../../process/tiny-pieces.ts';
import { engineOf, type Prefetchd } from '../engine/prefetchd.ts';
import { PrefetchdError } from '../errors.ts';
import { ServiceAdmission } from './admission.ts';
import { GracefulShutdown } from './graceful-shutdown.ts';
import { type ListenOptions, listenSafely, type ServiceListening } from './listening.ts';
import { createMetrics } from './metrics.ts';
import { beaconRoutes } from './routes/beacon-routes.ts';
import { dashboardRoutes } from './routes/dashboard-routes.ts';
import { frontRoutes } from './routes/front-routes.ts';
import { hintRoutes } from './routes/hint-routes.ts';
import { learningRoutes } from './routes/learning-routes.ts';
import { createApp } from './routes/routes.ts';
import { watchingRoutes } from './routes/watching-routes.ts';
import { type ServiceOptions, serviceOptions } from './service-options.ts';

export interface Service extends AsyncDisposable {
  /** The handler for an existing server, including Express: `app.use('/prefetchd', service.app)`. */
  readonly app: RequestListener;
  /**
   * Serves `app`, once. @throws PrefetchdError `invalid-option`, `address-in-use`, `listen-failed`, `service-closed`
   */
  listen(where?: ListenOptions): Promise<ServiceListening>;
  /**
   * Stops accepting connections, answers requests that still arrive on open connections (for a second), and lets
   * pending requests finish (for at most five seconds). The Prefetchd that it serves stays open.
   */
  close(): Promise<void>;
  /** Cuts off every connection with its pending requests. Resolves like close(). The served Prefetchd stays open. */
  destroy(): Promise<void>;
}

/** How often the server looks for headers that are incomplete for too long, ms. */
const checkingIntervalMs = 1000;
const maxHeaderBytes = 32 * 1024;

/** Reads and discards the rest of a body by read(), so that `gatherPieces` cuts off clients that send tiny pieces. Node
 *  would discard it, too, but without counting pieces. */
function discardRest(request: IncomingMessage): void {
  request.read(0);
  request.resume();
}

/** Creates the HTTP service through which sites use a prefetchd. @throws PrefetchdError `invalid-option` */
export function createService(prefetchd: Prefetchd, given: ServiceOptions = {}): Service {
  const engine = engineOf(prefetchd);
  const options = serviceOptions(given);
  const { log, token, now } = options;
  let closing: Promise<void> | undefined;
  let listening: Promise<ServiceListening> | undefined;
  const isClosing = () => closing !== undefined;
  const admission = new ServiceAdmission({ ...options, origin: engine.site.origin });
  const metrics = createMetrics(engine, now, options.metrics);
  const kit = { admission, metrics, log, isClosing };
  const app = createApp(
    [
      ...learningRoutes(engine, options),
      ...hintRoutes(engine, options),
      ...frontRoutes(engine, options, admission.ownsAuthorization),
      ...beaconRoutes(engine, options, admission.ownsAuthorization),
      ...watchingRoutes(engine, options, kit),
      ...dashboardRoutes(engine, options),
    ],
    kit,
  );
  const server = createServer(
    {
      headersTimeout: options.headersTimeoutMs,
      requestTimeout: options.requestTimeoutMs,
      keepAliveTimeout: options.keepAliveTimeoutMs,
      connectionsCheckingInterval: checkingIntervalMs,
      maxHeaderSize: maxHeaderBytes,
    },
    (request, response) => {
      if (hasTooManyFields(request.rawHeaders)) {
        response.writeHead(431, { Connection: 'close' }).end();
        return;
      }
      if (!request.complete) {
        gatherPieces(request, tinyPieces(request.socket));
        response.prependOnceListener('finish', () => discardRest(request));
      }
      app(request, response);
    },
  );
  // Some versions of Node silently drop fields above a limit, so one more field is accepted, and the request is then
  // refused.
  server.maxHeadersCount = maxFields + 1;
  server.maxConnections = options.maxConnections;
  server.once('drop', () => {
    const { maxConnections } = options;
    log.warn({ maxConnections }, 'maxConnections reached: further connections are closed');
  });
  const shutdown = new GracefulShutdown(server);

  async function listen(where: ListenOptions = {}): Promise<ServiceListening> {
    if (isClosing()) throw new PrefetchdError('service-closed', 'the service is closed');
    if (listening !== undefined) {
      throw new PrefetchdError('invalid-option', 'the service is already listening');
    }
    listening = listenSafely(server, where, token !== null);
    listening.catch(() => {
      listening = undefined;
    });
    return listening;
  }

  async function closeNow(): Promise<void> {
    await listening?.catch(() => {});
    if (!server.listening) return;
    await shutdown.shutDown({ drainMs: options.drainTimeoutMs, closeMs: options.closeTimeoutMs });
  }

  function close(): Promise<void> {
    closing ??= closeNow();
    return closing;
  }

  function destroy(): Promise<void> {
    shutdown.cut();
    return close();
  }

  return { app, listen, close, destroy, [Symbol.asyncDispose]: close };
}
