// The libwww robot of Nielsen, Gettys et al. 1997 on plain sockets, with what they turned: HTTP/1.0 and 1.1, connections
// at once, Keep-Alive, HEAD in place of conditions, and a write buffer with its timer and flushes (3.3, 4.1, 4.1.1).

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ResponseParts } from './response-parts.ts';

export interface RobotVisit {
  host: string;
  port: number;
  version: '1.0' | '1.1';
  /** Connections at once. */
  connections: number;
  /** `each`: a connection for each request. `kept`: one request after the other on each connection. `pipelined`:
   *  requests do not wait for responses. */
  lines: 'each' | 'kept' | 'pipelined';
  /** `first`: everything is fetched. `head`: the page is fetched, of images only the header fields. `conditional`:
   *  If-Modified-Since for the page and the images of the first visit before. */
  kind: 'first' | 'head' | 'conditional';
  buffer?: WriteBuffer;
  /** The page is scanned when it is complete, not as it comes. */
  scansAtEnd?: boolean;
}

/** When the buffer of a pipelined connection is written. */
export interface WriteBuffer {
  /** It has this many bytes. */
  bytes: number;
  /** So long after the first byte came into it. */
  timerMs: number;
  /** Behind the request for the page; behind the last image; behind the images of each piece of the page. */
  flush: Array<'page' | 'end' | 'piece'>;
}

export interface RobotAnswer {
  /** From the start of connecting to the last byte. */
  ms: number;
  connections: number;
  atOnce: number;
  requests: number;
  writes: number;
  /** Requests for images that were written before the page was complete. */
  ahead: number;
  bodyBytes: number;
}

/** Length of a request: "around 190 bytes" (4.1). */
const requestBytes = 190;

interface Asked {
  method: 'GET' | 'HEAD';
  path: string;
}

/** What the first visit left: each path with its Last-Modified, the page first. */
export type Cache = Map<string, string>;

/** Loads the page once. @throws Error if a response is not one that the visit expects */
export async function visitPage(visit: RobotVisit, cache: Cache): Promise<RobotAnswer> {
  const robot = new Robot(visit, cache);
  await robot.done;
  return robot.answer;
}

class Robot {
  readonly answer: RobotAnswer = {
    ...{ ms: 0, connections: 0, atOnce: 0, requests: 0 },
    ...{ writes: 0, ahead: 0, bodyBytes: 0 },
  };
  readonly done: Promise<void>;
  readonly #visit: RobotVisit;
  readonly #cache: Cache;
  readonly #known: string[];
  readonly #waiting: Asked[] = [];
  readonly #lines = new Set<Line>();
  readonly #startedAt = performance.now();
  readonly #seen = new Set<string>();
  #open = 0;
  #pageIsWhole = false;
  #finish: (error?: Error) => void = () => {};

  constructor(visit: RobotVisit, cache: Cache) {
    this.#visit = visit;
    this.#cache = cache;
    this.#known = [...cache.keys()].slice(1);
    if (visit.kind === 'first') cache.clear();
    this.done = new Promise((resolve, reject) => {
      this.#finish = (error) => (error ? reject(error) : resolve());
    });
    this.#ask({ method: 'GET', path: '/' });
  }

  fail(error: Error): void {
    this.#finish(error);
    for (const line of this.#lines) line.end();
  }

  wrote(asked: readonly Asked[]): void {
    this.answer.writes++;
    if (!this.#pageIsWhole) this.answer.ahead += asked.filter(({ path }) => path !== '/').length;
  }

  /** Reads a piece of the page for the images that it names. */
  piece(line: Line, text: string, isLast: boolean): void {
    if (this.#visit.scansAtEnd && !isLast) return;
    for (const [, name = ''] of text.matchAll(/\bsrc="([^"]+)"/g)) {
      if (this.#seen.has(name)) continue;
      this.#seen.add(name);
      this.#askForImage(`/${name}`);
    }
    line.pieceScanned(isLast);
  }

  answered(line: Line, { method, path }: Asked, response: ResponseParts): void {
    const { status, bodyBytes } = response;
    const expected = this.#visit.kind === 'conditional' ? 304 : 200;
    if (status !== expected) {
      this.fail(new Error(`${method} ${path}: ${status}`));
      return;
    }
    this.answer.bodyBytes += bodyBytes;
    if (this.#visit.kind === 'first') this.#cache.set(path, response.field('last-modified'));
    if (path === '/') {
      this.#pageIsWhole = true;
      if (status === 304) {
        for (const known of this.#known) this.#askForImage(known);
        line.pieceScanned(true);
      }
    }
    if (--this.#open === 0) this.#end();
    else this.#next();
  }

  /** Asks again what a kept connection was asked for when the server closed it. */
  again(asked: Asked): void {
    this.#waiting.unshift(asked);
  }

  closed(line: Line): void {
    this.#lines.delete(line);
    this.#next();
  }

  #end(): void {
    this.answer.ms = performance.now() - this.#startedAt;
    for (const line of this.#lines) line.end();
    this.#finish();
  }

  #askForImage(path: string): void {
    this.#ask({ method: this.#visit.kind === 'head' ? 'HEAD' : 'GET', path });
  }

  #ask(asked: Asked): void {
    this.#open++;
    this.answer.requests++;
    this.#waiting.push(asked);
    this.#next();
  }

  #next(): void {
    for (let asked = this.#waiting[0]; asked !== undefined; asked = this.#waiting[0]) {
      const free = [...this.#lines].find((line) => line.isFree);
      if (free === undefined && this.#lines.size >= this.#visit.connections) return;
      this.#waiting.shift();
      (free ?? this.#openLine()).send(asked, this.#request(asked));
    }
  }

  #openLine(): Line {
    const line = new Line(this, this.#visit);
    this.#lines.add(line);
    this.answer.connections++;
    this.answer.atOnce = Math.max(this.answer.atOnce, this.#lines.size);
    return line;
  }

  #request({ method, path }: Asked): string {
    const { version, host, lines, kind } = this.#visit;
    const since = kind === 'conditional' ? `If-Modified-Since: ${this.#cache.get(path)}\r\n` : '';
    const keep = version === '1.0' && lines === 'kept' ? 'Connection: Keep-Alive\r\n' : '';
    const fields = `Host: ${host}\r\nAccept: */*\r\n${keep}${since}User-Agent: libwww-robot/`;
    const head = `${method} ${path} HTTP/${version}\r\n${fields}`;
    return `${head.padEnd(requestBytes - 4, '1')}\r\n\r\n`;
  }
}

/** One connection of the robot. */
class Line {
  readonly #robot: Robot;
  readonly #visit: RobotVisit;
  readonly #socket: Socket;
  readonly #asked: Asked[] = [];
  #response: ResponseParts | null = null;
  #buffer = '';
  #buffered: Asked[] = [];
  #timer: NodeJS.Timeout | null = null;
  #isEnding = false;

  constructor(robot: Robot, visit: RobotVisit) {
    this.#robot = robot;
    this.#visit = visit;
    const { host, port } = visit;
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.on('data', (bytes) => this.#read(bytes));
    // A reset of a kept connection is a close that came too late.
    once(this.#socket, 'end').then(
      () => this.#ended(),
      () => this.#ended(),
    );
    this.#socket.on('error', () => {});
  }

  get isFree(): boolean {
    if (this.#isEnding || this.#visit.lines === 'each') return false;
    return this.#visit.lines === 'pipelined' || this.#asked.length === 0;
  }

  send(asked: Asked, text: string): void {
    this.#asked.push(asked);
    this.#buffered.push(asked);
    this.#buffer += text;
    const { buffer } = this.#visit;
    if (buffer === undefined) {
      this.#flush(this.#buffer.length);
      return;
    }
    while (this.#buffer.length >= buffer.bytes) this.#flush(buffer.bytes);
    if (asked.path === '/' && buffer.flush.includes('page')) this.#flush(this.#buffer.length);
    if (this.#buffer !== '') {
      this.#timer ??= setTimeout(() => this.#flush(this.#buffer.length), buffer.timerMs);
    }
  }

  pieceScanned(isLast: boolean): void {
    const rules = this.#visit.buffer?.flush ?? [];
    if (rules.includes('piece') || (isLast && rules.includes('end'))) {
      this.#flush(this.#buffer.length);
    }
  }

  end(): void {
    this.#isEnding = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#socket.end();
  }

  #flush(bytes: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (bytes === 0) return;
    this.#socket.write(this.#buffer.slice(0, bytes), 'latin1');
    this.#buffer = this.#buffer.slice(bytes);
    const whole = this.#buffered.length - Math.ceil(this.#buffer.length / requestBytes);
    this.#robot.wrote(this.#buffered.splice(0, whole));
  }

  #read(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0 && this.#asked.length > 0) {
      const asked = this.#asked[0] as Asked;
      this.#response ??= new ResponseParts(asked.method);
      rest = this.#response.read(rest);
      const { isWhole } = this.#response;
      if (asked.path === '/' && this.#response.status === 200) {
        this.#robot.piece(this, this.#response.text, isWhole);
      }
      if (isWhole) this.#answered(asked, this.#response);
    }
  }

  #answered(asked: Asked, response: ResponseParts): void {
    this.#asked.shift();
    this.#response = null;
    const keeps = this.#visit.lines !== 'each' && !/close/i.test(response.field('connection'));
    const saysSo = /keep-alive/i.test(response.field('connection'));
    if (!keeps || (this.#visit.version === '1.0' && !saysSo)) this.#isEnding = true;
    this.#robot.answered(this, asked, response);
  }

  /** The server has closed: the response without a length is complete, and what a kept connection was asked for too
   *  late is asked for on another. */
  #ended(): void {
    if (!this.#socket.destroyed) this.#socket.end();
    this.#isEnding = true;
    const [asked] = this.#asked.splice(0, 1);
    if (asked !== undefined && this.#response?.endsWithConnection === true) {
      if (asked.path === '/') this.#robot.piece(this, this.#response.text, true);
      this.#robot.answered(this, asked, this.#response);
    } else if (asked !== undefined && this.#visit.lines === 'kept' && this.#response === null) {
      this.#robot.again(asked);
    } else if (asked !== undefined) {
      this.#robot.fail(new Error(`${asked.path}: the server closed`));
    }
    this.#robot.closed(this);
  }
}
