// Keeps the files of one folder: they are located, read once, and cached while there is room. A request for a cached
// file costs one synchronous stat, a few microseconds. That is deliberate: pipelined requests are then answered within
// the event-loop turn in which they arrived, and sent in one write; forty asynchronous stats would return in as many
// turns.

import { constants, realpathSync, statSync } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { LatestMap } from '../../process/latest-map.ts';
import { ServerError } from '../errors.ts';
import { type ContentCoding, compress } from './coding-choice.ts';
import { type CodedForm, etagOf, identityOf, readVersion, type StoredFile } from './stored-file.ts';

const attempts = 3;

/** Limit on files that are read or compressed at a time. */
const maxJobs = 16;

/** Bytes that are counted for each cache entry in addition to those of its file. */
const entryBytes = 1024;

// With O_NONBLOCK, opening a FIFO does not wait; with O_NOFOLLOW, a symbolic link that has replaced the file since its
// path was resolved is not followed. Windows has neither flag.
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES', 'EPERM', 'ELOOP', 'EINVAL'].includes(code);
}

export class FileStore {
  readonly #root: string;
  readonly #maxBodyBytes: number;
  readonly #known: LatestMap<string, StoredFile>;
  readonly #loading = new Map<string, Promise<StoredFile | 'folder' | undefined>>();
  #jobs = 0;
  readonly #waiting: (() => void)[] = [];

  /** Makes a store for a folder. @throws ServerError 'folder-not-found' */
  constructor(folder: string, limits: { maxCacheBytes: number; maxCachedFileBytes: number }) {
    try {
      this.#root = realpathSync(folder);
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      const isNone = code === 'ENOENT' || code === 'ENOTDIR';
      const reason = isNone ? 'does not exist' : `cannot be served: ${message}`;
      throw new ServerError('folder-not-found', `${folder || 'the folder ""'} ${reason}`, {
        cause,
      });
    }
    if (!statSync(this.#root).isDirectory()) {
      throw new ServerError('folder-not-found', `${folder} is not a folder`);
    }
    this.#maxBodyBytes = limits.maxCachedFileBytes;
    this.#known = new LatestMap(limits.maxCacheBytes, {
      sizeOf: ({ heldBytes }) => entryBytes + heldBytes,
    });
  }

  pathOf(segments: readonly string[]): string {
    return join(this.#root, ...segments);
  }

  /** Returns the file, synchronously, if it is cached and surely unchanged: not if it was just modified (`isFresh`). */
  known(path: string): StoredFile | undefined {
    const file = this.#known.get(path);
    if (file === undefined || file.isFresh) return undefined;
    try {
      const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (stats !== undefined && identityOf(stats) === file.identity) return file;
    } catch {
      // An error of stat is ignored, because `load` throws the same error or succeeds.
    }
    this.#known.delete(path);
    return undefined;
  }

  /**
   * Reads a file. Resolves with it, with 'folder', or with undefined if there is nothing to serve.
   * @throws ServerError 'file-unstable' if it changed during each of three attempts to read it
   */
  load(path: string): Promise<StoredFile | 'folder' | undefined> {
    const started = this.#loading.get(path);
    if (started !== undefined) return started;
    const loading = this.#inTurn(() => this.#load(path)).finally(() => this.#loading.delete(path));
    this.#loading.set(path, loading);
    return loading;
  }

  /** Runs a job once fewer than `maxJobs` run; a job that ends starts one that waits. */
  async #inTurn<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#jobs === maxJobs) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#jobs++;
    try {
      return await job();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#jobs--;
      else next();
    }
  }

  async #load(path: string): Promise<StoredFile | 'folder' | undefined> {
    try {
      const realPath = await realpath(path);
      if (!this.#isInside(realPath)) return undefined;
      const stats = await stat(realPath);
      if (stats.isDirectory()) return 'folder';
      if (!stats.isFile()) return undefined;
      for (let attempt = 0; attempt < attempts; attempt++) {
        const handle = await open(realPath, openFlags);
        try {
          const file = await readVersion(handle, realPath, this.#maxBodyBytes);
          if (file !== undefined) return this.#keep(path, file);
        } finally {
          await handle.close();
        }
      }
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    throw new ServerError('file-unstable', `${path} changed during each attempt to read it`);
  }

  #isInside(realPath: string): boolean {
    const way = relative(this.#root, realPath);
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  }

  /**
   * Caches a version of a file, with the compressed forms of the previous version if the bytes are the same.
   * @returns The file as cached
   */
  #keep(path: string, read: StoredFile): StoredFile {
    const before = this.#known.peek(path);
    const isSame = before !== undefined && before.etag === read.etag;
    const file = isSame ? { ...read, coded: before.coded, heldBytes: before.heldBytes } : read;
    this.#known.set(path, file);
    return file;
  }

  /** Returns the file compressed in a content coding, done on first use; undefined if that does not make it smaller. */
  coded(path: string, file: StoredFile, coding: ContentCoding): Promise<CodedForm | undefined> {
    const started = file.coded.get(coding);
    if (started !== undefined) return started;
    const work = async () => {
      const { body } = file;
      const bytes = body && (await compress(coding, body));
      if (body === undefined || bytes === undefined || bytes.length >= body.length) return;
      // The bytes are copied, because a slice would keep the compressor's larger buffer alive.
      const exact = Buffer.allocUnsafeSlow(bytes.length);
      bytes.copy(exact);
      const kept = this.#known.peek(path);
      if (kept?.coded === file.coded) {
        this.#known.set(path, { ...kept, heldBytes: kept.heldBytes + exact.length });
      }
      // The ETag covers the compressed bytes, so another compression library or level yields another one.
      return { etag: etagOf(coding, exact), body: exact };
    };
    const compressing = this.#inTurn(work);
    file.coded.set(coding, compressing);
    compressing.catch(() => file.coded.delete(coding));
    return compressing;
  }
}
