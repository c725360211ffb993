// Follows an access log while it is written: `followLog(path, { onAccesses })`. It checks the file every second, and
// handles what servers and logrotate do: renaming and recreating (the old file is read to its end, including lines that
// are written to it before the server opens the new file), copying and truncating, deleting for a while, and files that
// do not exist yet.
//
// Guarantee: a line is delivered once, when it is complete; an unreadable line is counted. Problems with the file are
// reported as notices, and the file is tried again; no error is thrown after the start. The guarantee has two limits:
// lines written between the last check and a truncation are lost; a truncation is missed if the file is larger again by
// the next check.
//
// Invariant: a file stays open while it is followed, so no other file can get its inode number.

import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { type Logger, silentLog } from '../../options/logger.ts';
import type { Access } from '../access.ts';
import { PrefetchdError } from '../errors.ts';
import { LineReader, type LogRun, startRun } from './line-reader.ts';
import { LineSplitter } from './line-splitter.ts';
import type { LogFormat } from './log-format.ts';
import { logSettings } from './log-options.ts';
import type { ReadLogOptions } from './log-table.ts';
import { emptyFileStatistics, type FileStatistics, type LogStatistics } from './statistics.ts';

export interface FollowOptions
  extends Pick<ReadLogOptions, 'format' | 'filter' | 'host' | 'normalise'> {
  /** Receives the accesses of each block of lines, possibly none. Must not throw. */
  onAccesses: (accesses: readonly Access[]) => void;
  /** Where to start in a file that exists (default: `end`); a file that appears later is read from its start. */
  from?: 'end' | 'start';
  /** Time between two checks of the file, ms (default: 1000). */
  pollIntervalMs?: number;
  /** Receives messages for the operator. */
  log?: Logger;
}

/** Bytes that are read at a time, few enough that other work can run in between. */
const readBytes = 64 * 1024;
/** Bytes at the start of a file from which its format is detected if it is followed from its end. */
const headBytes = 256 * 1024;
/** A renamed file that has not grown for this time, ms, is closed. Servers reopen their logs only on a signal. */
const lingerMs = 10_000;
/** Interval at which the reader forgets all clients of the log, such as which of them are bots, ms. */
const rememberMs = 24 * 60 * 60 * 1000;

/** Begins to follow a log: `onAccesses` gets what is appended to it. @throws PrefetchdError `unknown-log-format` */
export function followLog(path: string, options: FollowOptions): Following {
  return new Following(path, options);
}

interface OpenFile extends FollowedFile {
  handle: FileHandle;
  ino: bigint;
  dev: bigint;
}

/** A file that is followed, and how far it has been read. */
interface FollowedFile {
  /** Number of bytes of the file that were read or skipped. */
  at: number;
  /** True if reading starts in the middle of a line, which is then left out. */
  skipsLine: boolean;
  splitter: LineSplitter;
  reader: LineReader;
  /** Monotonic time when bytes were last read, ms. */
  grownMs: number;
}

/** Reads the lines that are appended to a log, as `tail -F` does, until `close()` is called. */
export class Following implements AsyncDisposable {
  readonly statistics: LogStatistics;
  /** Resolves when the existing content has been read or skipped. @throws PrefetchdError `log-unreadable` if the path
   *  cannot be opened or is not a file */
  readonly ready: Promise<void>;
  readonly #path: string;
  readonly #onAccesses: FollowOptions['onAccesses'];
  readonly #log: Logger;
  readonly #pollIntervalMs: number;
  readonly #run: LogRun;
  readonly #counts: FileStatistics;
  readonly #buffer = Buffer.allocUnsafe(readBytes);
  /** The file that is at the path now, and the one that was there before it. */
  #current: OpenFile | null = null;
  #former: OpenFile | null = null;
  /** The problem with the file that was reported last to the operator; '' if there is none now. */
  #trouble = '';
  #toldUnparsed = false;
  #skipsToEnd: boolean;
  #rememberedMs = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<unknown>;
  #isClosed = false;

  constructor(path: string, options: FollowOptions) {
    const {
      onAccesses,
      from = 'end',
      pollIntervalMs = 1000,
      log = silentLog,
      ...reading
    } = options;
    this.#path = path;
    this.#onAccesses = onAccesses;
    this.#log = log;
    this.#pollIntervalMs = pollIntervalMs;
    this.#skipsToEnd = from === 'end';
    this.#run = startRun(logSettings(reading));
    this.statistics = this.#run.statistics;
    this.#counts = emptyFileStatistics(path);
    this.statistics.files.push(this.#counts);
    const first = this.#poll();
    this.#polling = first;
    this.ready = first.then((cause) => {
      // A wrong path is reported before the service runs; a missing file is not an error.
      if (cause === null || cause.code === 'ENOENT') return;
      const message = `log ${path} cannot be followed: ${cause.message}`;
      throw new PrefetchdError('log-unreadable', message, { cause });
    });
    this.ready.catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#polling;
    const files = [this.#former, this.#current];
    [this.#former, this.#current] = [null, null];
    for (const file of files) await file?.handle.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Reads the new lines and schedules the next check. @returns why the file could not be opened; null if it could */
  async #poll(): Promise<NodeJS.ErrnoException | null> {
    if (performance.now() - this.#rememberedMs > rememberMs) {
      this.#rememberedMs = performance.now();
      for (const maker of [this.#run.paths, this.#run.urls]) maker.forgetClients();
    }
    const failure = await this.#openNew().then(
      () => null,
      (error: NodeJS.ErrnoException) => error,
    );
    this.#skipsToEnd = false;
    let trouble = '';
    if (failure !== null) {
      trouble =
        failure.code === 'ENOENT' ? 'does not exist' : `cannot be opened: ${failure.message}`;
    }
    try {
      // The former file comes first, so that lines are delivered in the order in which they were written.
      if (this.#former !== null) await this.#advance(this.#former);
      if (this.#current !== null) await this.#advance(this.#current);
      const isOver = performance.now() - (this.#former?.grownMs ?? Infinity) >= lingerMs;
      if (isOver) await this.#closeFormer();
    } catch (error) {
      trouble = `cannot be read: ${(error as Error).message}`;
    }
    this.#troubled(trouble);
    if (!this.#isClosed) {
      this.#timer = setTimeout(() => {
        this.#polling = this.#poll();
      }, this.#pollIntervalMs).unref();
    }
    return failure;
  }

  async #openNew(): Promise<void> {
    const { ino, dev } = await stat(this.#path, { bigint: true });
    const last = this.#current;
    if (last?.ino === ino && last.dev === dev) return;
    const file = await this.#opened(last?.reader.format);
    if (last !== null) {
      await this.#closeFormer();
      this.#former = last;
    }
    this.#current = file;
    const what = last === null ? 'followed' : 'a new file, followed';
    this.#log.info({}, `${this.#path} is ${what} from byte ${file.at}`);
  }

  async #opened(format: LogFormat | undefined): Promise<OpenFile> {
    // With O_NONBLOCK, opening a pipe does not wait for a writer.
    const handle = await open(this.#path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat({ bigint: true });
      if (!stats.isFile()) throw new Error('it is not a regular file');
      const { ino, dev } = stats;
      const file = { handle, ino, dev, ...this.#fromStart(format) };
      const size = Number(stats.size);
      if (!this.#skipsToEnd || size === 0) return file;
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      file.reader.prime(this.#fromStart().splitter.push(buffer.subarray(0, bytesRead)));
      // Reading starts at the last byte that is there: it ends a line, or the line that it belongs to is left out.
      return { ...file, at: size - 1, skipsLine: true };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Returns the state of a file that is to be read from its start. @param format the format of the file that was at
   *  the path before, whose order of fields this file probably has */
  #fromStart(format?: LogFormat): FollowedFile {
    const splitter = new LineSplitter(this.#run.settings.maxLineBytes);
    const reader = new LineReader(this.#counts, this.#run, format);
    return { at: 0, skipsLine: false, splitter, reader, grownMs: performance.now() };
  }

  async #advance(file: OpenFile): Promise<void> {
    if ((await file.handle.stat()).size < file.at) {
      Object.assign(file, this.#fromStart(file.reader.format));
      this.#log.info({}, `${this.#path} was truncated, and is followed from its start`);
    }
    while (!this.#isClosed) {
      const { bytesRead } = await file.handle.read(this.#buffer, 0, readBytes, file.at);
      if (bytesRead === 0) return;
      file.at += bytesRead;
      file.grownMs = performance.now();
      this.#deliver(file, file.splitter.push(this.#buffer.subarray(0, bytesRead)));
    }
  }

  /** Reads the former file to its end and closes it; its last line may have no newline. */
  async #closeFormer(): Promise<void> {
    const file = this.#former;
    if (file === null) return;
    this.#former = null;
    await this.#advance(file);
    this.#deliver(file, file.splitter.end());
    await file.handle.close();
  }

  #deliver(file: OpenFile, lines: string[]): void {
    if (file.skipsLine && lines.length > 0) {
      lines.shift();
      file.skipsLine = false;
    }
    const { parsed } = this.#counts;
    const accesses = file.reader.accessesOf(lines);
    // The format is detected from the first lines that come, however few. If none of the new lines can be read, it is
    // detected again, so a changed log_format is recognised at once.
    const isReadable = this.#counts.parsed > parsed;
    this.#onAccesses([...accesses, ...file.reader.settle(isReadable ? undefined : 1)]);
    const [first] = this.statistics.unparsedLines;
    if (first === undefined || this.#toldUnparsed) return;
    this.#toldUnparsed = true;
    // The message omits the line, which may identify a person.
    const message = `a line of ${this.#path} cannot be read (${first.reason}); such lines are counted`;
    this.#log.warn({}, message);
  }

  /** Reports a problem unless it is the one reported last. @param trouble '' if there is none */
  #troubled(trouble: string): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    if (trouble !== '') this.#log.warn({}, `${this.#path} ${trouble}; retrying`);
  }
}
