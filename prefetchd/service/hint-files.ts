// Writes the hints of all pages to files whenever they have changed, for anything that reads files. A reader sees
// either the old or the new file, never a part (written under another name, then renamed).
//
// A table takes about 20 microseconds per page. It is built in slices, with other work in between, followed by a
// pause ten times as long, so it takes at most a tenth of the processor.

import { open, rename, rm, stat } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import { PrefetchdError } from '../errors.ts';
import type { Notice } from '../notice.ts';
import { belowPrefix } from '../wire/hint.ts';
import {
  type HintTableEntry,
  hintTableEntry,
  hintTableJson,
  hintTableMap,
  type LinkHintOptions,
} from '../wire/index.ts';

export interface HintFilesOptions {
  /** Path of the JSON file; null: none. */
  json?: string | null;
  /** Path of the map for nginx; null: none. */
  map?: string | null;
  /** Most pages, the most requested ones first. */
  maxPages?: number;
  /** How often to check for changed hints, ms. */
  intervalMs?: number;
  /** Origin of the site; without it, absolute URLs are left out. */
  origin?: string | null;
  /** Path below which visitors see the site, `/shop`; '': the root. */
  prefix?: string;
  onNotice?: (notice: Notice) => void;
}

export const hintFilesDefaults = { maxPages: 10_000, intervalMs: 1000 } as const;

const pagesPerSlice = 100;
const restFactor = 10;

export class HintFiles {
  readonly #prefetchd: Engine;
  readonly #options: Required<HintFilesOptions>;
  readonly #written = new Map<string, string>();
  #revision: number | null = null;
  #isFailing = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(prefetchd: Engine, options: HintFilesOptions) {
    this.#prefetchd = prefetchd;
    this.#options = {
      ...hintFilesDefaults,
      json: null,
      map: null,
      origin: null,
      prefix: '',
      onNotice: () => {},
      ...options,
    };
  }

  /**
   * Creates missing files, so that a server can include them, and continues by itself; an existing file stays until
   * hints change.
   * @throws PrefetchdError `hints-unwritable`
   */
  async start(): Promise<void> {
    const { json, map } = this.#options;
    const before = this.#prefetchd.revision;
    const isMissing = await Promise.all(
      [json, map].map(async (path) => path && (await isNone(path))),
    );
    if (isMissing.some(Boolean) || before > 0) await this.#write();
    else this.#revision = before;
    this.#schedule(this.#options.intervalMs);
  }

  /** Writes the latest changes before it resolves. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.#writeSafely();
  }

  #schedule(delayMs: number): void {
    if (this.#closed) return;
    this.#timer = setTimeout(async () => {
      const startMs = performance.now();
      this.#running = this.#writeSafely();
      await this.#running;
      const rest = (performance.now() - startMs) * restFactor;
      this.#schedule(Math.max(this.#options.intervalMs, rest));
    }, delayMs).unref();
  }

  /** Reports a failure once, until writing works again. */
  async #writeSafely(): Promise<void> {
    const { onNotice } = this.#options;
    try {
      await this.#write();
      if (this.#isFailing)
        onNotice({ level: 'info', message: 'hint files are being written again' });
      this.#isFailing = false;
    } catch (error) {
      if (this.#isFailing) return;
      this.#isFailing = true;
      const { message } = error as Error;
      onNotice({ level: 'error', message: `${message}; retrying`, error: error as Error });
    }
  }

  /** @throws PrefetchdError `hints-unwritable` */
  async #write(): Promise<void> {
    const { revision } = this.#prefetchd;
    if (revision === this.#revision) return;
    const { json, map } = this.#options;
    const link: LinkHintOptions = { origin: this.#options.origin };
    const entries = await this.#entries(link);
    if (json !== null) await this.#replace(json, hintTableJson(entries));
    if (map !== null) await this.#replace(map, hintTableMap(entries, link));
    this.#revision = revision;
  }

  async #entries(link: LinkHintOptions): Promise<HintTableEntry[]> {
    const entries: HintTableEntry[] = [];
    let pages = 0;
    for (const row of this.#prefetchd.pages(this.#options.maxPages)) {
      const hints = belowPrefix(row.hints, this.#options.prefix);
      const entry = hintTableEntry({ ...row, hints }, link);
      if (entry !== null) entries.push(entry);
      if (++pages % pagesPerSlice === 0) await turn();
    }
    return entries;
  }

  async #replace(path: string, content: string): Promise<void> {
    if (this.#written.get(path) === content) return;
    const aside = `${path}.${process.pid}.new`;
    try {
      const file = await open(aside, 'w', 0o644);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(aside, path);
    } catch (cause) {
      await rm(aside, { force: true }).catch(() => {});
      const { message } = cause as Error;
      throw new PrefetchdError(
        'hints-unwritable',
        `hints cannot be written to ${path}: ${message}`,
        {
          cause,
        },
      );
    }
    this.#written.set(path, content);
  }
}

async function isNone(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    () => true,
  );
}
