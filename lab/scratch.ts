// A temporary folder, deleted at the end of its block or when the process is interrupted.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const open = new Set<string>();
const remove = (path: string): void => {
  rmSync(path, { recursive: true, force: true });
  open.delete(path);
};

process.on('exit', () => open.forEach(remove));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

export class Scratch implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'loadahead-bench-'));

  constructor() {
    open.add(this.path);
  }

  [Symbol.dispose](): void {
    remove(this.path);
  }
}
