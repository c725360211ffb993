// The pages that come with the package, by their names: `microscape`, `twelve-pages`.

import { fileURLToPath } from 'node:url';

/** Returns the folder that the fixture of this name has, or would have. */
export const fixture = (name: string): string =>
  fileURLToPath(new URL(`fixtures/${name}/`, import.meta.resolve('loadahead/package.json')));
