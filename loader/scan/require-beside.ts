// Loads a module of this folder when it is first needed, without a promise: scanning is synchronous, and most pages
// need none of these.

import { createRequire } from 'node:module';

/** By URL of the caller and name: to resolve a name takes longer than to scan a small page. */
const loaded = new Map<string, unknown>();

/**
 * @param from `import.meta.url` of the caller: TypeScript in the repository, JavaScript in the package
 * @param name of a module beside it, without extension
 */
export function requireBeside<Module>(from: string, name: string): Module {
  const key = `${from} ${name}`;
  let module = loaded.get(key);
  if (module === undefined) {
    const extension = from.endsWith('.ts') ? 'ts' : 'js';
    module = createRequire(from)(`./${name}.${extension}`);
    loaded.set(key, module);
  }
  return module as Module;
}
