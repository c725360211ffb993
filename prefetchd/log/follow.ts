// Follows an access log while it is written: `followLog(path, { take })`. It handles what servers and logrotate do:
// renaming and recreating (the old file is read to its end, including what is written to it before the server opens
// the new one), copying and truncating, truncating, deleting for a while, and files that do not exist yet.
// change-watch.ts decides when to look, followed-file.ts finds what is new, growing-log.ts turns it into accesses.
//
// Guarantee: a line is learned once, when it is complete; an unreadable line is counted. Problems with the file are
// reported as notices and retried; nothing is thrown after the start. Lines written between the last look and a
// truncation are lost.

import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { number, oneOf } from '../../options/kinds.ts';
import { checked, defaultsOf, objectOf, option, type TableOf } from '../../options/options.ts';
import type { Access } from '../access.ts';
import { invalidOption, PrefetchdError } from '../errors.ts';
import type { Notice } from '../notice.ts';
import type { LogContext } from './block-reader.ts';
import { ChangeWatch } from './change-watch.ts';
import { FollowedFile } from './followed-file.ts';
import { GrowingLog } from './growing-log.ts';
import { logSettings, type ReadLogOptions } from './log-options.ts';
import { contextFor } from './read-log.ts';
import {
  emptyFileStatistics,
  emptyStatistics,
  type FileStatistics,
  type LogStatistics,
} from './statistics.ts';

export interface FollowOptions
  extends Pick<
    ReadLogOptions,
    'format' | 'fields' | 'filter' | 'signs' | 'host' | 'normalise' | 'maxLineBytes'
  > {
  /** Receives the accesses of each block of lines, possibly none. Must not throw. */
  take: (accesses: readonly Access[]) => void;
  /** Where to start in a file that exists at the beginning; a file that appears later is read from its start. */
  from?: 'end' | 'start';
  /** Interval between looks, ms, 10..3,600,000; a watched file is also read when it changes. */
  pollIntervalMs?: number;
  /** Receives messages for the operator. */
  onNotice?: (notice: Notice) => void;
  /** A monotonic clock, ms. */
  nowMs?: () => number;
}

export interface Following extends AsyncDisposable {
  readonly path: string;
  readonly statistics: LogStatistics;
  /** Resolves when existing content has been read or, from the end, skipped. @throws PrefetchdError
   *  `log-unreadable` if it is not a file */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

const followTable = {
  from: option(oneOf(['end', 'start']), 'end', 'Where reading begins in the file that is there.'),
  pollIntervalMs: option(
    number({ least: 10, most: 3_600_000 }),
    1000,
    'The file is looked at this often; where it can be watched, also when it changes.',
  ),
} satisfies TableOf<Pick<FollowOptions, 'from' | 'pollIntervalMs'>>;

const followKind = objectOf(followTable);
const followDefaults = defaultsOf(followTable);

const pauseMs = 50;
/** Bytes at the beginning that show the format of a file that is not read from its start. */
const headBytes = 256 * 1024;
/** A renamed file is closed after it has not grown for this time. Servers reopen their logs on a signal. */
const lingerMs = 10_000;
/** Most open files: the current file and renamed ones. */
const maxOpenFiles = 4;
/** Clients are forgotten after this time. */
const rememberMs = 24 * 60 * 60 * 1000;

/** @throws PrefetchdError `invalid-option`, `unknown-log-format` */
export function followLog(path: string, options: FollowOptions): Following {
  return new Follower(path, options);
}

interface OpenFile {
  file: FollowedFile;
  log: GrowingLog;
  /** Time of its last growth. */
  grownMs: number;
}

class Follower implements Following {
  readonly path: string;
  readonly statistics: LogStatistics;
  readonly ready: Promise<void>;
  readonly #take: FollowOptions['take'];
  readonly #onNotice: (notice: Notice) => void;
  readonly #nowMs: () => number;
  readonly #context: LogContext;
  readonly #counts: FileStatistics;
  readonly #watch: ChangeWatch;
  /** Open files; the last one is the file at the path. */
  #open: OpenFile[] = [];
  /** The last problem reported. */
  #trouble = '';
  #toldUnparsed = false;
  #isFirstLook = true;
  #skipsToEnd: boolean;
  #firstError: unknown = null;
  #rememberedMs: number;
  #closing: Promise<void> | undefined;

  constructor(path: string, given: FollowOptions) {
    const { take, from, pollIntervalMs, onNotice, nowMs, ...reading } = {
      ...followDefaults,
      onNotice: () => {},
      nowMs: () => performance.now(),
      ...given,
    };
    checked(followKind, { from, pollIntervalMs }, invalidOption);
    this.path = path;
    this.#take = take;
    this.#onNotice = onNotice;
    this.#nowMs = nowMs;
    this.#skipsToEnd = from === 'end';
    this.#rememberedMs = nowMs();
    const hosts = new Map<string, number>();
    this.statistics = emptyStatistics(hosts);
    this.#counts = emptyFileStatistics(path);
    this.statistics.files.push(this.#counts);
    this.#context = contextFor(logSettings(reading), this.statistics, hosts);
    const look = () => this.#look();
    this.#watch = new ChangeWatch(path, { pollIntervalMs, pauseMs, look });
    this.ready = this.#watch.start().then(() => this.#failAtStart());
    this.ready.catch(() => {});
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await this.#watch.close();
    for (const { file } of this.#open) await file.close();
    this.#open = [];
  }

  /** A wrong path is reported before the service runs; a missing file is not an error. */
  #failAtStart(): void {
    if (this.#firstError === null) return;
    const { message } = this.#firstError as Error;
    throw new PrefetchdError('log-unreadable', `log ${this.path} cannot be followed: ${message}`, {
      cause: this.#firstError,
    });
  }

  async #look(): Promise<void> {
    if (this.#nowMs() - this.#rememberedMs > rememberMs) {
      this.#rememberedMs = this.#nowMs();
      this.#context.forgetClients();
    }
    let trouble = '';
    try {
      await this.#openNew();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && this.#isFirstLook) this.#firstError = error;
      trouble = code === 'ENOENT' ? 'does not exist' : `cannot be opened: ${message}`;
    }
    this.#isFirstLook = false;
    this.#skipsToEnd = false;
    // The oldest file is read first, so that lines come in the order in which they were written.
    for (const open of [...this.#open]) {
      try {
        await this.#advance(open);
      } catch (error) {
        trouble = `cannot be read: ${(error as Error).message}`;
      }
    }
    this.#troubled(trouble);
    await this.#closeOld();
  }

  async #openNew(): Promise<void> {
    const there: BigIntStats = await stat(this.path, { bigint: true });
    const last = this.#open.at(-1);
    if (last !== undefined && (await last.file.isSameAs(there))) return;
    const file = await FollowedFile.open(this.path);
    const log = new GrowingLog(this.#context, this.#counts, last?.log.format);
    if (this.#skipsToEnd) {
      const head = await file.head(headBytes);
      log.startBehind(head, await file.skipToEnd());
    }
    this.#open.push({ file, log, grownMs: this.#nowMs() });
    const what = last === undefined ? 'followed' : 'a new file, followed';
    this.#onNotice({ level: 'info', message: `${this.path} is ${what} from byte ${file.at}` });
  }

  async #advance(open: OpenFile): Promise<void> {
    const { file, log } = open;
    const hasGrown = await file.advance({
      onTruncated: () => {
        log.restart();
        const message = `${this.path} was truncated, and is followed from its start`;
        this.#onNotice({ level: 'info', message });
      },
      onBytes: (bytes) => {
        for (const accesses of log.push(bytes)) this.#give(accesses);
      },
      isEnough: () => this.#closing !== undefined,
    });
    if (hasGrown) open.grownMs = this.#nowMs();
  }

  async #closeOld(): Promise<void> {
    const nowMs = this.#nowMs();
    const old = this.#open.slice(0, -1);
    const over = old.filter(
      ({ grownMs }, at) => nowMs - grownMs >= lingerMs || at < this.#open.length - maxOpenFiles,
    );
    this.#open = this.#open.filter((open) => !over.includes(open));
    for (const { file, log } of over) {
      for (const accesses of log.end()) this.#give(accesses);
      await file.close();
    }
  }

  #give(accesses: readonly Access[]): void {
    this.#take(accesses);
    const [first] = this.statistics.unparsedLines;
    if (first === undefined || this.#toldUnparsed) return;
    this.#toldUnparsed = true;
    // The message omits the line, which may identify a person.
    const message = `a line of ${this.path} cannot be read (${first.reason}); such lines are counted`;
    this.#onNotice({ level: 'warn', message });
  }

  /** Reports a problem once, until it changes. */
  #troubled(trouble: string): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    if (trouble !== '') {
      const message = `${this.path} ${trouble}; retrying`;
      this.#onNotice({ level: 'warn', message });
    }
  }
}
