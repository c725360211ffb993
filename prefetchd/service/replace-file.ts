// Replaces a file as a whole: it is written under another name, then renamed, so that a reader sees the old content or
// the new, never a part.

import { chmod, rename, rm, writeFile } from 'node:fs/promises';

export async function replaceFile(path: string, content: string): Promise<void> {
  const aside = `${path}.${process.pid}.new`;
  try {
    await writeFile(aside, content, { flush: true });
    await chmod(aside, 0o644); // the umask must not matter, because servers of other users read the file
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {});
    throw error;
  }
}
