// The pages that come with the package, by their names: `microscape`, `twelve-pages`.

import { fileURLToPath } from 'node:url';

/** Returns the folder of the fixture of this name; it may not exist. */
export const fixture = (name: string): string =>
  fileURLToPath(new URL(`fixtures/${name}/`, import.meta.resolve('loadahead/package.json')));
