// Loads a module of this folder when it is first needed, without a promise: scanning is synchronous, and most pages need
// none of these.

import { createRequire } from 'node:module';

/**
 * @param from `import.meta.url` of the caller: TypeScript in the repository, JavaScript in the package
 * @param name of a module beside it, without extension
 */
export function requireBeside<Module>(from: string, name: string): Module {
  const extension = from.endsWith('.ts') ? 'ts' : 'js';
  return createRequire(from)(`./${name}.${extension}`) as Module;
}
