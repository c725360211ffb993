// The files of one folder: they are located, read once, and cached while there is room. A request for a cached file
// costs one synchronous stat, a few microseconds. That is deliberate: pipelined requests are then answered within the
// event-loop turn in which they arrived, and sent in one write; forty asynchronous stats would return over many
// turns.

import { constants, realpathSync, statSync } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { ServerError } from '../errors.ts';
import { type ContentCoding, compress } from './coding-choice.ts';
import { type CodedForm, etagOf, identityOf, readVersion, type StoredFile } from './stored-file.ts';

const attempts = 3;

/** Most files being read or compressed at a time. */
const maxJobs = 16;

/** Size that is counted for a cache entry besides its bytes. */
const entryBytes = 1024;

// Do not wait for a FIFO, and do not follow a symbolic link created meanwhile. Windows has neither flag.
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES', 'EPERM', 'ELOOP', 'EINVAL'].includes(code);
}

export class FileStore {
  readonly #root: string;
  readonly #maxBodyBytes: number;
  readonly #known: LRUCache<string, StoredFile>;
  readonly #loading = new Map<string, Promise<StoredFile | 'folder' | undefined>>();
  readonly #jobs = pLimit(maxJobs);

  /** @throws ServerError 'folder-not-found' */
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
    this.#known = new LRUCache({ maxSize: Math.max(1, limits.maxCacheBytes) });
  }

  pathOf(segments: readonly string[]): string {
    return join(this.#root, ...segments);
  }

  /** The file if it is cached and unchanged. Synchronous. */
  known(path: string): StoredFile | undefined {
    const file = this.#known.get(path);
    if (file === undefined || file.isFresh) return undefined;
    try {
      const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (stats !== undefined && identityOf(stats) === file.identity) return file;
    } catch {
      // Loading the file yields the same error again, or a better result.
    }
    this.#known.delete(path);
    return undefined;
  }

  /**
   * The file, 'folder', or undefined if there is nothing to serve.
   * @throws ServerError 'file-unstable' if it changed during each of three attempts to read it
   */
  load(path: string): Promise<StoredFile | 'folder' | undefined> {
    const started = this.#loading.get(path);
    if (started !== undefined) return started;
    const loading = this.#jobs(() => this.#load(path)).finally(() => this.#loading.delete(path));
    this.#loading.set(path, loading);
    return loading;
  }

  async #load(path: string): Promise<StoredFile | 'folder' | undefined> {
    try {
      const realPath = await realpath(path);
      if (!this.#isInside(realPath)) return undefined;
      const stats = await stat(realPath);
      if (stats.isDirectory()) return 'folder';
      if (!stats.isFile()) return undefined;
      const handle = await open(realPath, openFlags);
      try {
        for (let attempt = 0; attempt < attempts; attempt++) {
          const file = await readVersion(handle, realPath, this.#maxBodyBytes);
          if (file === undefined) continue;
          this.#keep(path, file);
          return file;
        }
      } finally {
        await handle.close();
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

  #keep(path: string, file: StoredFile): void {
    let size = entryBytes + (file.body?.length ?? 0);
    for (const form of file.coded.values()) size += form?.body.length ?? 0;
    this.#known.set(path, file, { size });
  }

  /** The coded form, created on first use; undefined if coding does not make it smaller. */
  async coded(
    path: string,
    file: StoredFile,
    coding: ContentCoding,
  ): Promise<CodedForm | undefined> {
    const { body } = file;
    if (body === undefined) return undefined;
    const key = `${coding} ${file.identity} ${path}`;
    const form = await this.#compressOnce(key, body, coding);
    file.coded.set(coding, form);
    if (this.#known.get(path) === file) this.#keep(path, file);
    return form;
  }

  readonly #compressing = new Map<string, Promise<CodedForm | undefined>>();

  #compressOnce(key: string, body: Buffer, coding: ContentCoding): Promise<CodedForm | undefined> {
    const started = this.#compressing.get(key);
    if (started !== undefined) return started;
    const work = async () => {
      const bytes = await compress(coding, body);
      if (bytes.length >= body.length) return undefined;
      // The bytes are copied, because a slice would keep the compressor's larger buffer alive.
      const exact = Buffer.allocUnsafeSlow(bytes.length);
      bytes.copy(exact);
      // The tag covers these exact bytes, so another library or level yields another tag.
      return { etag: etagOf(coding, exact), body: exact };
    };
    const compressing = this.#jobs(work).finally(() => this.#compressing.delete(key));
    this.#compressing.set(key, compressing);
    return compressing;
  }
}
