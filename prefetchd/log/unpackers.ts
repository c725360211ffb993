// Unpacks logs, whose first bytes tell how they are packed. Node unpacks gzip, zstd and ZIP (from its start, so
// standard input may be one); the commands `bzip2` and `xz` unpack their formats, which are rare.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Transform } from 'node:stream';
import zlib from 'node:zlib'; // an import by names would fail in an old Node before needs-node.ts can report it

export type Packing = 'gzip' | 'zstd' | 'bzip2' | 'xz' | 'zip';

/** Number of first bytes of a file that suffice to recognise every compression or archive format. */
export const magicBytes = 6;

/** The compression and archive formats with their first bytes, and what makes a stream that unpacks them. The stream
 *  fails if data is damaged, and with ENOENT if its command is missing. */
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
  // The process (bzip2, xz) stops reading where the data is damaged, so writing fails; its exit and messages say why.
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

const zipHead = 'PK\x03\x04';
const zipHeadBytes = 30;

/** Unpacks the logs of a ZIP archive, one after the other: each has a head of its own (ZIP format 6.3.10, 4.3.7). */
function unzip(): Transform {
  let rest = Buffer.alloc(0);
  let read: ReadFile | null = null;
  const begin = (): ReadFile | null => {
    // The search skips the sizes that follow a file, and the table of contents after the last file.
    const at = rest.indexOf(zipHead, 0, 'latin1');
    rest = rest.subarray(at === -1 ? 1 - zipHead.length : at);
    if (at === -1 || rest.length < zipHeadBytes) return null;
    const bodyAt = zipHeadBytes + rest.readUInt16LE(26) + rest.readUInt16LE(28);
    if (rest.length < bodyAt) return null;
    const [method, bytes] = [rest.readUInt16LE(8), rest.readUInt32LE(18)];
    if (method !== 0 && method !== 8) throw new Error(`unknown compression ${method}`);
    // macOS adds files below `__MACOSX/` to an archive, which have metadata about the other files.
    const isLog = !rest.toString('latin1', zipHeadBytes).startsWith('__MACOSX/');
    rest = rest.subarray(bodyAt);
    const take = (data: Buffer) => void (isLog && stream.push(data));
    return method === 0 ? copying(bytes, take) : inflating(take);
  };
  const stream = new Transform({
    async transform(chunk, _, done) {
      rest = Buffer.concat([rest, chunk]);
      try {
        while (rest.length > 0) {
          read ??= begin();
          if (read === null) break;
          const own = await read(rest);
          if (own < rest.length) {
            read = null;
            stream.push('\n');
          }
          rest = rest.subarray(own);
        }
        done();
      } catch (error) {
        done(error as Error);
      }
    },
    flush(done) {
      done(read === null ? null : new Error('unexpected end of file'));
    },
  });
  return stream;
}

/** Reads a file of an archive, or its next part, from the beginning of `data`. @returns how many bytes of `data` belong
 *  to the file; all if the file may go on in the next data */
type ReadFile = (data: Buffer) => number | Promise<number>;

function copying(bytes: number, take: (data: Buffer) => void): ReadFile {
  let left = bytes;
  return (data) => {
    take(data.subarray(0, left));
    const own = Math.min(left, data.length);
    left -= own;
    return own;
  };
}

function inflating(take: (data: Buffer) => void): ReadFile {
  const inflater = zlib.createInflateRaw().on('data', take);
  const over = once(inflater, 'end');
  return async (data) => {
    const before = inflater.bytesWritten;
    const written = new Promise((resolve) => inflater.write(data, resolve));
    await Promise.race([over, written]);
    if (inflater.errored) throw inflater.errored;
    return inflater.bytesWritten - before;
  };
}
