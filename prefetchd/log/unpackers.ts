// Unpacks logs, whose first bytes tell how they are packed. Node unpacks gzip and zstd; fflate ZIP (from the start, so
// standard input may be an archive); the commands `bzip2` and `xz` their formats, which are rare.

import { spawn } from 'node:child_process';
import { Transform } from 'node:stream';
import zlib from 'node:zlib'; // an import by names would fail in an old Node before needs-node.ts can report it
import { Unzip, UnzipInflate } from 'fflate';

export type Packing = 'gzip' | 'zstd' | 'bzip2' | 'xz' | 'zip';

/** Number of first bytes that suffice to tell every packing. */
export const magicBytes = 6;

/** The packings with their first bytes. A stream fails where data is damaged; with ENOENT if its command is missing. */
export const unpackers: ReadonlyArray<readonly [Packing, start: string, () => Transform]> = [
  ['gzip', '\x1f\x8b', () => zlib.createGunzip()],
  ['zstd', '\x28\xb5\x2f\xfd', () => zlib.createZstdDecompress()],
  ['bzip2', 'BZh', () => byCommand('bzip2', ['-dc'])],
  ['xz', '\xfd7zXZ\0', () => byCommand('xz', ['-dc', '--memlimit-decompress=256MiB'])],
  ['zip', 'PK\x03\x04', unzip],
];

function byCommand(command: string, args: readonly string[]): Transform {
  const child = spawn(command, args, { env: { ...process.env, LC_ALL: 'C' } });
  let errors = '';
  child.stderr.on('data', (data) => {
    errors = (errors + data).slice(0, 200);
  });
  const ended = new Promise<Error | null>((resolve) => {
    child.on('error', resolve);
    child.on('close', (code) => resolve(code === 0 ? null : new Error(errors.trim())));
  });
  // A command stops reading where the data is damaged; how it ends says why.
  child.stdin.on('error', () => {});
  const stream = new Transform({
    transform(chunk, _, done) {
      const written = new Promise((resolve) => child.stdin.write(chunk, resolve));
      void Promise.race([written, ended]).then(() => done());
    },
    flush(done) {
      child.stdin.end();
      void ended.then(done);
    },
    destroy(error, done) {
      child.kill();
      done(error);
    },
  });
  child.stdout.on('data', (data) => stream.push(data));
  return stream;
}

/** The logs of an archive, one after the other. */
function unzip(): Transform {
  let isOpen = false;
  let failure: Error | null = null;
  const archive = new Unzip((entry) => {
    // macOS adds entries of this name with metadata about a file.
    const isLog = !entry.name.startsWith('__MACOSX/');
    isOpen = true;
    entry.ondata = (error, data, isLast) => {
      failure ??= error;
      if (isLog && error === null) stream.push(data);
      if (!isLast) return;
      isOpen = false;
      if (isLog) stream.push('\n');
    };
    entry.start();
  });
  archive.register(UnzipInflate);
  const stream = new Transform({
    transform(chunk, _, done) {
      try {
        archive.push(chunk);
      } catch (error) {
        failure ??= error as Error;
      }
      done(failure);
    },
    flush(done) {
      done(isOpen ? new Error('unexpected end of file') : null);
    },
  });
  return stream;
}
