// Reads rows from files and writes them, as Parquet where a file's name ends so, else as text in lines, which may be
// packed. Memory does not grow with a file: of Parquet one group of rows is held. Its packages are for those who need them.

import { appendFileSync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import zlib from 'node:zlib';
import { fileFailure } from '../../process/file-failure.ts';
import { invalidOption, PrefetchdError } from '../errors.ts';
import { logLines } from '../log/log-bytes.ts';
import { emptyFileStatistics } from '../log/statistics.ts';

type Row = Readonly<Record<string, unknown>>;

/** The columns of accesses, with their types in Parquet. `line` is the order in which they are learned. */
const columns = {
  line: 'INT64',
  time: 'INT64',
  client: 'STRING',
  visitor: 'INT64',
  url: 'STRING',
  kind: 'STRING',
  entry: 'BOOLEAN',
} as const;

const isParquet = (path: string) => path.endsWith('.parquet');
const maxLineLength = 2 ** 20;
/** Rows that are written at once. */
const groupRows = 100_000;
const ownerOnly = 0o600;

/** Yields the rows of a file, or its lines, in batches, with the share that is read, 0..1. @throws PrefetchdError
 *  `log-unreadable` */
export async function* rowsOf(
  path: string,
): AsyncGenerator<{ rows: (Row | string)[]; share?: number }> {
  const { size = 0 } = (await stat(path).catch(() => null)) ?? {};
  if (isParquet(path)) yield* parquetRows(path);
  else {
    const file = emptyFileStatistics(path);
    let bytes = 0;
    const onRead = (read: number) => {
      bytes += read;
    };
    for await (const rows of logLines(path, file, maxLineLength, onRead)) {
      yield { rows, ...(size > 0 && { share: bytes / size }) };
    }
    if (file.broken !== undefined) throw unreadable(path, file.broken);
  }
}

async function* parquetRows(path: string) {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import(
    'hyparquet'
  ).catch(needs('hyparquet'));
  const compressors = {
    GZIP: (bytes: Uint8Array) => zlib.gunzipSync(bytes),
    ZSTD: (bytes: Uint8Array) => zlib.zstdDecompressSync(bytes),
    BROTLI: (bytes: Uint8Array) => zlib.brotliDecompressSync(bytes),
  };
  try {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file);
    let rowStart = 0;
    for (const { num_rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows);
      yield {
        rows: await parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors }),
        share: rowEnd / Number(metadata.num_rows),
      };
      rowStart = rowEnd;
    }
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Creates a file for accesses, which only its owner may read. */
export async function accessWriter(path: string) {
  const descriptor = created(path);
  let rows: Record<keyof typeof columns, unknown>[] = [];
  let write = () =>
    appendFileSync(descriptor, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  let finish = () => {};
  if (isParquet(path)) {
    const { fileWriter, ParquetWriter, schemaFromColumnData } = await import(
      'hyparquet-writer'
    ).catch(needs('hyparquet-writer'));
    const names = Object.keys(columns) as (keyof typeof columns)[];
    const columnData = () =>
      names.map((name) => {
        const data = rows.map((row) => row[name]);
        const type = columns[name];
        return {
          name,
          type,
          data: type === 'INT64' ? data.map(BigInt as never) : data,
          nullable: false,
        };
      });
    const schema = schemaFromColumnData({ columnData: columnData() });
    const writer = new ParquetWriter({ writer: fileWriter(path), schema });
    write = () => void writer.write({ columnData: columnData(), rowGroupSize: groupRows });
    finish = () => void writer.finish();
  }
  return {
    add(row: (typeof rows)[number]) {
      if (rows.push(row) < groupRows) return;
      write();
      rows = [];
    },
    end() {
      if (rows.length > 0) write();
      finish();
    },
  };
}

function created(path: string): number {
  try {
    return openSync(path, 'w', ownerOnly);
  } catch (cause) {
    invalidOption(fileFailure(path, 'written', cause));
  }
}

function unreadable(path: string, cause: unknown): PrefetchdError {
  return new PrefetchdError('log-unreadable', fileFailure(path, 'read', cause), { cause });
}

/** Returns a function that throws the error of an import or, if the package is not installed, how to install it. */
const needs =
  (name: string) =>
  (cause: NodeJS.ErrnoException): never => {
    if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const message = `Parquet needs the package ${name}: npm install ${name}`;
    throw new PrefetchdError('invalid-option', message, { cause });
  };
