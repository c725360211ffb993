// Servers that end a connection after a given number of requests, each on the same folder: real nginx, real Apache
// httpd with mod_http2, and our own origin. Each limit has a port for HTTP/1.1 and one for HTTP/2 by prior knowledge.
// Every response names its target in `X-For`, and the server itself records what it processed.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createOrigin } from '../../server/index.ts';
import { startApache } from '../support/apache.ts';
import { freePort } from '../support/command.ts';
import { startNginx } from '../support/nginx.ts';

export type ClearProtocol = 'auto' | 'h2';

export interface LimitedServer extends AsyncDisposable {
  url(protocol: ClearProtocol, requestsPerConnection: number): string;
  /** Targets of the requests it processed there, in its order. */
  processed(protocol: ClearProtocol, requestsPerConnection: number): Promise<string[]>;
}

/** @param folder its files are served; configuration and logs are written beside them. */
export type StartLimited = (folder: string, limits: readonly number[]) => Promise<LimitedServer>;

interface Place {
  protocol: ClearProtocol;
  limit: number;
  port: number;
}

export const startLimitedNginx: StartLimited = async (folder, limits) => {
  const places = await placesFor(limits);
  const log = join(folder, 'nginx.log');
  const servers = places.map(
    ({ protocol, limit, port }) =>
      `server { listen 127.0.0.1:${port}${protocol === 'h2' ? ' http2' : ''}; root ${folder};
         keepalive_requests ${limit}; add_header X-For $request_uri; }`,
  );
  const nginx = await startNginx(
    ({ port }) => `types { text/html html; image/gif gif; }
      log_format short '$server_port $request_uri';
      access_log ${log} short;
      server { listen 127.0.0.1:${port}; }
      ${servers.join('\n')}`,
  );
  const lines = async () => (await readFile(log, 'utf8')).split('\n').slice(0, -1);
  return logging(places, lines, nginx);
};

export const startLimitedApache: StartLimited = async (folder, limits) => {
  const places = await placesFor(limits);
  const hosts = places.map(
    ({ limit, port }) =>
      `Listen 127.0.0.1:${port}
       <VirtualHost 127.0.0.1:${port}>
         Protocols h2c http/1.1
         MaxKeepAliveRequests ${limit}
       </VirtualHost>`,
  );
  const apache = await startApache(folder, {
    modules: ['setenvif', 'headers', 'http2'],
    logFormat: '%{local}p %{target}e',
    directives: `SetEnvIf Request_URI "^(.*)$" target=$1
      Header set X-For %{target}e
      ${hosts.join('\n')}`,
  });
  return logging(places, () => apache.log(), apache);
};

export const startLimitedOrigin: StartLimited = async (folder, limits) => {
  const all = new AsyncDisposableStack();
  const origins = new Map<string, { url: string; processed: string[] }>();
  for (const limit of limits) {
    for (const protocol of ['auto', 'h2'] as const) {
      const processed: string[] = [];
      const origin = all.use(
        createOrigin(folder, {
          maxRequestsPerConnection: limit,
          handlers: [
            (request, response, next) => {
              processed.push(request.url ?? '');
              response.setHeader('X-For', request.url ?? '');
              next();
            },
          ],
        }),
      );
      const { port } = await origin.listen({ port: 0 });
      origins.set(`${protocol} ${limit}`, { url: `http://127.0.0.1:${port}/`, processed });
    }
  }
  const at = (protocol: ClearProtocol, limit: number) => {
    const found = origins.get(`${protocol} ${limit}`);
    if (found === undefined) throw new RangeError(`no server with limit ${limit}`);
    return found;
  };
  return {
    url: (protocol, limit) => at(protocol, limit).url,
    processed: async (protocol, limit) => at(protocol, limit).processed,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
};

async function placesFor(limits: readonly number[]): Promise<Place[]> {
  const places: Place[] = [];
  for (const limit of limits) {
    for (const protocol of ['auto', 'h2'] as const) {
      let port = await freePort();
      while (places.some((place) => place.port === port)) port = await freePort();
      places.push({ protocol, limit, port });
    }
  }
  return places;
}

/** A program whose lines of the log are `PORT TARGET`. */
function logging(
  places: readonly Place[],
  lines: () => Promise<string[]>,
  program: AsyncDisposable,
): LimitedServer {
  const portOf = (protocol: ClearProtocol, limit: number) =>
    places.find((place) => place.protocol === protocol && place.limit === limit)?.port;
  return {
    url: (protocol, limit) => `http://127.0.0.1:${portOf(protocol, limit)}/`,
    async processed(protocol, limit) {
      const start = `${portOf(protocol, limit)} `;
      const own = (await lines()).filter((line) => line.startsWith(start));
      return own.map((line) => line.slice(start.length));
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
