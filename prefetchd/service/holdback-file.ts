// Keeps the counts of a holdback in a file, so that a comparison over weeks survives a restart: it is read at the
// start, and written each minute and at the end.

import { readFile, rename } from 'node:fs/promises';
import type { Logger } from '../../options/logger.ts';
import type { Engine } from '../engine/engine.ts';
import { replaceFile } from './replace-file.ts';

const intervalMs = 60_000;

export class HoldbackFile {
  readonly #engine: Engine;
  readonly #path: string;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #written = '';
  #isFailing = false;

  constructor(engine: Engine, path: string, log: Logger) {
    this.#engine = engine;
    this.#path = path;
    this.#log = log;
  }

  /** Continues from the counts in the file. A damaged file, or one for another percentage of visitors, is renamed. */
  async start(): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (text !== null) await this.#restore(text);
    this.#timer = setInterval(() => void this.#write(), intervalMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#write();
  }

  async #restore(text: string): Promise<void> {
    const why = this.#engine.holdback?.restore(text) ?? null;
    if (why === null) return;
    const aside = `${this.#path}.${Date.now()}.old`;
    await rename(this.#path, aside);
    this.#log.warn({}, `${this.#path} ${why}: counting begins anew, it is now ${aside}`);
  }

  async #write(): Promise<void> {
    const text = this.#engine.holdback?.state();
    if (text === undefined || text === this.#written) return;
    try {
      await replaceFile(this.#path, text);
      this.#written = text;
      this.#isFailing = false;
    } catch (error) {
      if (this.#isFailing) return;
      this.#isFailing = true;
      const message = `the holdback cannot be written to ${this.#path}; retrying each minute`;
      this.#log.error({ err: error }, message);
    }
  }
}
