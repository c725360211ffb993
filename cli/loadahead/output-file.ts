// Checks files that commands will write before the work begins, and writes them at its end.

import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inert } from '../../loader/report/printable.ts';
import { fileFailure } from '../../process/file-failure.ts';
import { CommandError } from '../command-error.ts';

/** Checks the file that a flag names before the load, so that no load is lost to a misspelt path.
 *  @throws CommandError */
export async function checkOutput(flag: string, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  if (file === '-' || file === '') {
    const rule = 'name a file; standard output is for the report, or the record with --json';
    throw new CommandError(`${flag}: ${rule}`, 2);
  }
  const folder = await stat(dirname(file)).catch(() => null);
  if (!folder?.isDirectory()) {
    throw new CommandError(`${flag}: the folder ${dirname(file)} does not exist`, 2);
  }
  if ((await stat(file).catch(() => null))?.isDirectory()) {
    throw new CommandError(`${flag}: ${file} is a folder`, 2);
  }
}

/** Mode of a file that only its owner may read and write, because it may hold secrets. */
export const ownerOnly = 0o600;

/** Writes a file. @param mode Mode of the file, even if the file exists; absent: the usual one @throws CommandError */
export async function writeOutput(
  path: string,
  text: string,
  flag: string,
  mode?: number,
): Promise<void> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'w', mode);
    // A device or a pipe keeps its mode, because other programs use it.
    if (mode !== undefined && (await file.stat()).isFile()) await file.chmod(mode);
    await file.writeFile(inert(text, { color: false }));
  } catch (cause) {
    throw new CommandError(`${flag}: ${fileFailure(path, 'written', cause)}`, 2, { cause });
  } finally {
    await file?.close();
  }
}
