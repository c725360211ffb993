// Servers that end a connection after a given number of requests, each on the same folder: real nginx, real Apache
// httpd with mod_http2, and our own origin. Each limit has a port for HTTP/1.1 and one for HTTP/2 by prior knowledge.
// Every response names its target in `X-For`, and the server itself records what it processed.

import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createOrigin } from '../../server/index.ts';
import { freePort, startServer } from './command.ts';

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
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const servers = places.map(
    ({ protocol, limit, port }) =>
      `server { listen 127.0.0.1:${port}${protocol === 'h2' ? ' http2' : ''}; root ${folder};
         keepalive_requests ${limit}; add_header X-For $request_uri; }`,
  );
  return startLogging('nginx', folder, places, (file, log) => ({
    args: ['-c', file, '-e', 'stderr'],
    text: `daemon off; user root; pid ${folder}/nginx.pid; error_log stderr crit;
      events {}
      http {
        ${temporary.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
        types { text/html html; image/gif gif; }
        log_format short '$server_port $request_uri';
        access_log ${log} short;
        ${servers.join('\n')}
      }`,
  }));
};

export const startLimitedApache: StartLimited = async (folder, limits) => {
  const places = await placesFor(limits);
  const names = ['mpm_event', 'authz_core', 'dir', 'mime', 'setenvif', 'headers', 'http2'];
  const modules = names.map(
    (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  );
  const hosts = places.map(
    ({ limit, port }) =>
      `Listen 127.0.0.1:${port}
       <VirtualHost 127.0.0.1:${port}>
         Protocols h2c http/1.1
         MaxKeepAliveRequests ${limit}
       </VirtualHost>`,
  );
  // Its workers are somebody else, who must be let in.
  await chmod(folder, 0o755);
  return startLogging('apache2', folder, places, (file, log) => ({
    args: ['-f', file, '-DFOREGROUND'],
    text: `${modules.join('\n')}
      ServerRoot ${folder}
      ServerName localhost
      PidFile ${folder}/apache.pid
      DefaultRuntimeDir ${folder}
      ErrorLog ${folder}/apache-errors.log
      User www-data
      Group www-data
      StartServers 2
      ThreadsPerChild 25
      MaxRequestWorkers 100
      TypesConfig /dev/null
      AddType text/html .html
      AddType image/gif .gif
      DocumentRoot ${folder}
      DirectoryIndex index.html
      SetEnvIf Request_URI "^(.*)$" target=$1
      Header set X-For %{target}e
      LogFormat "%{local}p %{target}e" short
      CustomLog ${log} short
      ${hosts.join('\n')}
      `,
  }));
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

/** A program that logs `PORT TARGET` a line. */
async function startLogging(
  command: string,
  folder: string,
  places: readonly Place[],
  configure: (file: string, log: string) => { args: string[]; text: string },
): Promise<LimitedServer> {
  const [file, log] = [join(folder, `${command}.conf`), join(folder, `${command}.log`)];
  const { args, text } = configure(file, log);
  await writeFile(log, '');
  await writeFile(file, text);
  const portOf = (protocol: ClearProtocol, limit: number) =>
    places.find((place) => place.protocol === protocol && place.limit === limit)?.port;
  const server = await startServer(command, args, places.at(-1)?.port ?? 0);
  return {
    url: (protocol, limit) => `http://127.0.0.1:${portOf(protocol, limit)}/`,
    async processed(protocol, limit) {
      const start = `${portOf(protocol, limit)} `;
      const lines = (await readFile(log, 'utf8')).split('\n').slice(0, -1);
      return lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
