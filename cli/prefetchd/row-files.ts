// Reads rows from files and writes them, as Parquet where a file's name ends so, else as lines of text, compressed or
// not. Memory does not grow with a file: of Parquet one row group is held. The npm packages for Parquet are optional.

import { appendFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import zlib from 'node:zlib';
import { logLines } from '../../prefetchd/log/log-bytes.ts';
import { emptyFileStatistics } from '../../prefetchd/log/statistics.ts';
import { fileFailure } from '../../process/file-failure.ts';
import { CommandError } from '../command-error.ts';

type FileRow = Readonly<Record<string, unknown>>;

/** The columns of a file of accesses (requests of a log), with their types in Parquet. `line` is their order. */
const types = {
  line: 'INT64',
  time: 'INT64',
  client: 'STRING',
  visitor: 'INT64',
  url: 'STRING',
  kind: 'STRING',
  entry: 'BOOLEAN',
} as const;
type AccessColumn = keyof typeof types;

const maxLineLength = 2 ** 20;
/** Number of rows that are gathered in memory before they are written, in Parquet as a row group. */
const groupRows = 100_000;
const packing = {
  GZIP: (bytes: Uint8Array) => zlib.gunzipSync(bytes),
  ZSTD: (bytes: Uint8Array) => zlib.zstdDecompressSync(bytes),
  BROTLI: (bytes: Uint8Array) => zlib.brotliDecompressSync(bytes),
};

/** Yields the rows (Parquet) or lines of a file in batches, with the share of the file read so far, 0..1.
 *  @throws CommandError, PrefetchdError */
export async function* rowsOf(
  path: string,
): AsyncGenerator<[rows: (FileRow | string)[], share?: number]> {
  const unreadable = (cause: unknown) =>
    new CommandError(fileFailure(path, 'read', cause), 1, { cause });
  if (!path.endsWith('.parquet')) {
    const size = (await stat(path).catch(() => null))?.size ?? 0;
    const file = emptyFileStatistics(path);
    let bytes = 0;
    const onRead = (read: number) => {
      bytes += read;
    };
    for await (const lines of logLines(path, file, maxLineLength, onRead)) {
      yield size > 0 ? [lines, bytes / size] : [lines];
    }
    if (file.broken !== undefined) throw unreadable(file.broken);
    return;
  }
  const parquet = await import('hyparquet').catch(needs('hyparquet'));
  try {
    const file = await parquet.asyncBufferFromFile(path);
    const metadata = await parquet.parquetMetadataAsync(file);
    let rowEnd = 0;
    for (const { num_rows } of metadata.row_groups) {
      const rowStart = rowEnd;
      rowEnd += Number(num_rows);
      const part = { file, metadata, rowStart, rowEnd, compressors: packing };
      yield [await parquet.parquetReadObjects(part), rowEnd / Number(metadata.num_rows)];
    }
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** Returns functions that add requests of a log (accesses) to a file, which exists and is empty, and that end it. */
export async function accessWriter(path: string) {
  let rows: Record<AccessColumn, unknown>[] = [];
  let write = () => appendFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  let end = () => {};
  if (path.endsWith('.parquet')) {
    const parquet = await import('hyparquet-writer').catch(needs('hyparquet-writer'));
    const columnData = () =>
      Object.entries(types).map(([name, type]) => {
        const data = rows.map((row) => row[name as AccessColumn]);
        const values = type === 'INT64' ? data.map((value) => BigInt(value as number)) : data;
        return { name, type, data: values, nullable: false };
      });
    const schema = parquet.schemaFromColumnData({ columnData: columnData() });
    const writer = new parquet.ParquetWriter({ writer: parquet.fileWriter(path), schema });
    write = () => void writer.write({ columnData: columnData(), rowGroupSize: groupRows });
    end = () => void writer.finish();
  }
  return {
    add(row: Record<AccessColumn, unknown>) {
      if (rows.push(row) < groupRows) return;
      write();
      rows = [];
    },
    end() {
      if (rows.length > 0) write();
      end();
    },
  };
}

/** Returns a function that rethrows why a package cannot be imported, or says how to install it if it is missing. */
function needs(name: string): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new CommandError(`Parquet needs the package ${name}: npm install ${name}`, 1, { cause });
  };
}
