// Accesses in few words: a URL that ends like a picture is an object.

import type { Access } from '../../../prefetchd/access.ts';
import type { Predictor } from '../../../prefetchd/model/predictor.ts';

export function access(fields: Partial<Access> & { url: string }): Access {
  const kind = /\.(gif|css|js|png)$/.test(fields.url) ? 'object' : 'document';
  return { client: 'c', timeMs: 0, kind, status: 200, bytes: 1000, prefetch: false, ...fields };
}

/** One client asks for one after the other, a second apart. */
export function observeAll(predictor: Predictor, client: string, urls: string[], startMs = 0) {
  urls.forEach((url, i) => {
    predictor.observe(access({ url, client, timeMs: startMs + i * 1000 }));
  });
}
