// A link with Microscape from a server of `loadahead compare` at the far end, and the robot and the loader at the near end.

import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compareWorker, Link, type LinkCounts, type LinkSettings } from '../link/link.ts';
import { loadWorkerFile } from '../page-loads/links.ts';
import type { LoadAnswer, LoadRequest } from '../page-loads/load-worker.ts';
import { microscape } from '../paths.ts';
import { LineProcess } from '../processes.ts';
import type { RobotAnswer, RobotVisit } from './robot.ts';

/** Of the flag `--server`. */
export type ServerName = 'own' | 'nginx' | 'apache';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
/** Longest time of a page over the modem. */
const patienceMs = 300_000;

/** The command that serves Microscape at an address, and prints its URL as JSON. */
export type ServeCommand = (host: string) => string[];
export const servedBy =
  (server: ServerName): ServeCommand =>
  (host) => [process.execPath, compareWorker('serve'), microscape, host, server];

export class RobotPlace implements AsyncDisposable {
  readonly link: Link;
  readonly server: LineProcess;
  readonly #url: URL;
  readonly #robot: LineProcess;
  readonly #loader: LineProcess;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    link: Link,
    server: LineProcess,
    url: URL,
    stack: AsyncDisposableStack,
    nodeFlags: readonly string[],
  ) {
    this.link = link;
    this.server = server;
    this.#url = url;
    this.#stack = stack;
    const worker = (name: string) =>
      stack.use(new LineProcess(...link.at('client', [process.execPath, ...nodeFlags, name])));
    this.#robot = worker(file('robot-worker.ts'));
    this.#loader = worker(loadWorkerFile);
  }

  /** @param nodeFlags of Node at the near end */
  static async open(
    settings: LinkSettings,
    serve: ServeCommand,
    nodeFlags: readonly string[] = [],
  ): Promise<RobotPlace> {
    await using stack = new AsyncDisposableStack();
    const link = stack.use(await Link.open(settings));
    const server = stack.use(
      new LineProcess(...link.atForInput('server', serve(link.serverAddress))),
    );
    // A server of another program, such as nginx, ends only with a worker that ends by itself.
    stack.defer(async () => {
      server.child.stdin?.end();
      if (server.child.exitCode === null) await once(server.child, 'close');
    });
    const { url } = JSON.parse(await server.nextLine()) as { url: string };
    await link.counts();
    return new RobotPlace(link, server, new URL(url), stack.move(), nodeFlags);
  }

  visit(visit: Omit<RobotVisit, 'host' | 'port'>): Promise<RobotAnswer> {
    const { hostname: host, port } = this.#url;
    return ask(this.#robot, { ...visit, host, port: Number(port) });
  }

  load(request: Omit<LoadRequest, 'url'>): Promise<LoadAnswer> {
    return ask(this.#loader, { ...request, url: this.#url.href });
  }

  /** What passed since the last call. */
  counts(): Promise<LinkCounts> {
    return this.link.counts();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

async function ask<Answer>(worker: LineProcess, request: object): Promise<Answer> {
  worker.send(JSON.stringify(request));
  return JSON.parse(await worker.nextLine(patienceMs)) as Answer;
}
