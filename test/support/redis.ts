// A real redis-server for a test: on a socket in a folder of its own, nothing written to disk, ended with the
// test. Clients reach it through a relay on a free port, which stays the same when the server is killed and
// started again, counts round trips, and loses answers or cuts requests when it is told to.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { Redis } from 'ioredis';
import { freePort, isInstalled } from './command.ts';

const program = 'redis-server';
/** Empty: it is there. */
export const whyNoRedis = isInstalled(program) ? '' : `${program} is not installed`;

export interface RedisServerOptions {
  /** More arguments for redis-server. */
  args?: string[];
  /** One node with all slots. */
  cluster?: boolean;
  /** The relay speaks TLS. */
  tls?: TlsOptions;
}

export class RedisServer implements AsyncDisposable {
  readonly relay: RedisRelay;
  readonly #folder: string;
  readonly #options: RedisServerOptions;
  #child: ChildProcess | null = null;
  #admin: Redis | null = null;
  /** 0: none but the socket. */
  #port = 0;

  private constructor(folder: string, relay: RedisRelay, options: RedisServerOptions) {
    this.#folder = folder;
    this.relay = relay;
    this.#options = options;
  }

  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    const folder = mkdtempSync(join(tmpdir(), 'redis-'));
    const relay = await RedisRelay.start(join(folder, 'socket'), options.tls);
    const server = new RedisServer(folder, relay, options);
    try {
      await server.start();
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    return server;
  }

  /** `user` as in user:password@ */
  url(prefix = 'test', user = ''): string {
    const scheme = this.#options.tls === undefined ? 'redis' : 'rediss';
    const at = user === '' ? '' : `${user}@`;
    const isCluster = this.#options.cluster === true;
    // A cluster tells its own address, so the relay would be left at once.
    const port = isCluster ? this.#port : this.relay.port;
    return `${scheme}://${at}127.0.0.1:${port}?prefix=${prefix}${isCluster ? '&cluster=1' : ''}`;
  }

  /** Beside the relay, as the test itself. */
  get admin(): Redis {
    if (this.#admin === null) throw new Error('the server is not running');
    return this.#admin;
  }

  /** Empty, as after a crash. */
  async start(): Promise<void> {
    const socket = join(this.#folder, 'socket');
    const args = ['--unixsocket', socket, '--dir', this.#folder, '--appendonly', 'no'];
    args.push('--save', '');
    if (this.#options.cluster) {
      const [port, bus] = [await freePort(), await freePort()];
      this.#port = port;
      args.push('--cluster-enabled', 'yes', '--cluster-port', `${bus}`);
      args.push('--cluster-announce-ip', '127.0.0.1');
      args.push('--cluster-config-file', join(this.#folder, `nodes-${port}.conf`));
    }
    args.push('--port', `${this.#port}`, '--bind', '127.0.0.1', ...(this.#options.args ?? []));
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#child = child;
    await saysIsReady(child);
    this.#admin = new Redis(socket, { lazyConnect: true });
    this.#admin.on('error', () => {}); // it is killed under us
    await this.#admin.connect();
    if (!this.#options.cluster) return;
    await this.#admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    // It takes no writes in its first two seconds.
    while (!String(await this.#admin.call('CLUSTER', 'INFO')).includes('cluster_state:ok')) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** All is lost. */
  async kill(): Promise<void> {
    this.#admin?.disconnect();
    this.#admin = null;
    if (this.#child === null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
    this.#child = null;
  }

  /** It keeps its connections and answers nothing. */
  stall(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.relay[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

class RedisRelay implements AsyncDisposable {
  /** Requests that came after an answer, or first; the greeting of a connection is among them. */
  trips = 0;
  connections = 0;
  /** After so many answers Redis gets a request, and its answer is lost with the connection; null: none. */
  answersBeforeLoss: number | null = null;
  /** Of the next request so many bytes arrive, then the connection is cut; null: all. */
  cutsNextAt: number | null = null;
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #held: Array<() => void> | null = null;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** Redis works on, and nobody hears of it. */
  holdAnswers(): void {
    this.#held = [];
  }

  releaseAnswers(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const answer of held) answer();
  }

  static async start(path: string, tls?: TlsOptions): Promise<RedisRelay> {
    const accept = (socket: Socket) => relay.#accept(socket, connect(path));
    const server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept);
    server.on('tlsClientError', () => {});
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const relay = new RedisRelay(server);
    return relay;
  }

  #accept(client: Socket, redis: Socket): void {
    this.connections++;
    client.setNoDelay(true);
    let wasAnswered = true;
    for (const [socket, other] of [[client, redis] as const, [redis, client] as const]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.end(); // what was sent arrives
      });
    }
    client.on('data', (bytes: Buffer) => {
      if (wasAnswered) this.trips++;
      wasAnswered = false;
      if (this.cutsNextAt === null) {
        redis.write(bytes);
        return;
      }
      redis.end(bytes.subarray(0, this.cutsNextAt));
      this.cutsNextAt = null;
      client.destroy();
    });
    redis.on('data', (bytes: Buffer) => {
      const answer = () => {
        wasAnswered = true;
        const left = this.answersBeforeLoss;
        if (left === 0) client.destroy();
        else client.write(bytes);
        this.answersBeforeLoss = left === null || left === 0 ? null : left - 1;
      };
      if (this.#held === null) answer();
      else this.#held.push(answer);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

function saysIsReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      if (/ready to accept connections/i.test(output)) resolve();
    });
    child.once('exit', () => reject(new Error(`${program} ended: ${output}`)));
  });
}
