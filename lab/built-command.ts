// The command as published: compiled from the current sources to a temporary folder.

import { readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from './paths.ts';
import { run } from './processes.ts';

/** @returns the command's file. */
export async function buildCommand(folder: string): Promise<string> {
  const out = join(folder, 'dist');
  const compiler = join(repository, 'node_modules/typescript/bin/tsc');
  const project = join(repository, 'tsconfig.build.json');
  await run(process.execPath, [compiler, '-p', project, '--outDir', out]);
  await run(process.execPath, [join(repository, 'build.mjs'), out]);
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'), 'dir');
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  if ((await readdir(out)).length === 0) throw new Error('the build is empty');
  return join(out, 'cli/loadahead.js');
}
