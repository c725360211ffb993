// Reads the TLS files that flags name.

import { readFile } from 'node:fs/promises';
import { fileFailure } from '../process/file-failure.ts';
import { CommandError } from './command-error.ts';

/** @throws CommandError that names the flag */
export async function readPem(file: string, flag: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new CommandError(`${flag}: ${fileFailure(file, 'read', cause)}`, 2, { cause });
  }
}

/** Key and certificate of a server; undefined without both. @throws CommandError */
export async function tlsOf({
  tlsKey,
  tlsCert,
}: {
  tlsKey?: string | undefined;
  tlsCert?: string | undefined;
}): Promise<{ key: Buffer; cert: Buffer } | undefined> {
  if ((tlsKey === undefined) !== (tlsCert === undefined)) {
    throw new CommandError('--tls-key and --tls-cert go together', 2);
  }
  if (tlsKey === undefined || tlsCert === undefined) return undefined;
  return { key: await readPem(tlsKey, '--tls-key'), cert: await readPem(tlsCert, '--tls-cert') };
}
