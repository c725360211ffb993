// A link with origins of different faults at the far end, each on a port of its own, and the client at the near end.

import { fileURLToPath } from 'node:url';
import { Link, type LinkSettings } from '../link/link.ts';
import { sourceCommand } from '../paths.ts';
import { LineProcess } from '../processes.ts';
import type { Visit, VisitTimes } from './client-worker.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const workerFile = here('client-worker.ts');
/** In place of faults: an origin whose sockets send by rate. */
export const paced = 'paced';

export class Place implements AsyncDisposable {
  readonly link: Link;
  readonly #worker: LineProcess;
  readonly #stack: AsyncDisposableStack;
  readonly #folder: string;
  readonly #ports = new Map<string, number>();

  private constructor(link: Link, folder: string, stack: AsyncDisposableStack) {
    this.link = link;
    this.#folder = folder;
    this.#stack = stack;
    this.#worker = stack.use(new LineProcess(...link.at('client', [process.execPath, workerFile])));
  }

  static async open(settings: LinkSettings, folder: string): Promise<Place> {
    await using stack = new AsyncDisposableStack();
    const link = stack.use(await Link.open(settings));
    return new Place(link, folder, stack.move());
  }

  /** The port of an origin with these faults and this limit of requests, started when first asked for. */
  async origin(study: string, requests?: number): Promise<number> {
    const key = `${study} ${requests}`;
    const known = this.#ports.get(key);
    if (known !== undefined) return known;
    const port = 8000 + this.#ports.size;
    this.#ports.set(key, port);
    const { link } = this;
    if (study === paced) {
      const folder = [this.#folder, link.serverAddress, String(port)];
      const command = [process.execPath, here('paced-server.ts'), ...folder];
      await this.#stack.use(new LineProcess(...link.at('server', command))).nextLine();
      return port;
    }
    const flags = ['--host', link.serverAddress, '--port', String(port)];
    const faults = study === '' ? [] : ['--study', study];
    if (requests !== undefined) faults.push('--requests-per-connection', String(requests));
    const command = [process.execPath, sourceCommand, 'serve', this.#folder, ...flags, ...faults];
    const server = this.#stack.use(new LineProcess(...link.at('server', command)));
    await server.nextLine();
    return port;
  }

  async visit(study: string, visit: Omit<Visit, 'host' | 'port'>): Promise<VisitTimes> {
    const port = await this.origin(study);
    this.#worker.send(JSON.stringify({ ...visit, host: this.link.serverAddress, port }));
    return JSON.parse(await this.#worker.nextLine()) as VisitTimes;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}
