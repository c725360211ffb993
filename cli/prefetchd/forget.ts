// `prefetchd forget URL --store STORE`: removes a URL and all URLs below it from a store, as privacy may require.

import { plural } from '../../loader/report/units.ts';
import { prefetchdDefaults } from '../../prefetchd/engine/prefetchd-options.ts';
import { urlNormaliser } from '../../prefetchd/normalise-url.ts';
import { openStore, storeName } from '../../prefetchd/store/store-location.ts';
import { CommandError } from '../command-error.ts';
import { keptStore, requireFile } from './train.ts';

/** Runs `prefetchd forget`. @returns the exit code */
export async function forgetUrl(
  given: string,
  { store: name, origin = null }: { store: string; origin?: string | null },
): Promise<number> {
  const location = keptStore(name);
  // URLs are normalised as in the service, with the site's own URLs as paths; a query is kept as it is stored.
  const url = urlNormaliser({ query: 'keep', origin })(given);
  if (url === null) throw new CommandError(`${given} is no path and no http or https URL`, 2);
  requireFile(location);
  const store = await openStore(location);
  try {
    // This call removes the salt for hashing clients if it is too old, with the clients' fingerprints made with it.
    await store.salt(Date.now(), prefetchdDefaults.fingerprintLifeMs);
    const gone = (await store.forget?.(url)) ?? 0;
    if (gone === 0) throw new CommandError(unknown(storeName(location), url, origin), 1);
    process.stdout.write(`${plural(gone, 'URL')} forgotten, with the ways from and to them\n`);
    return 0;
  } finally {
    await store.close();
  }
}

function unknown(store: string, url: string, origin: string | null): string {
  const isAbsolute = !url.startsWith('/');
  const remedy = '; the pages of the site are paths there: give its --origin, or the path alone';
  return `${store} has no ${url}${isAbsolute && origin === null ? remedy : ''}`;
}
