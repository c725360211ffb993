import { afterAll, beforeAll } from 'vitest';
import { RedisStore } from '../../../../prefetchd/store/redis/redis-store.ts';
import { graphStoreContract } from '../../../contracts/graph-store.ts';
import { RedisServer, whyNoRedis } from '../../../support/redis.ts';

let server: RedisServer;
let cluster: RedisServer;
beforeAll(async () => {
  if (whyNoRedis !== '') return;
  [server, cluster] = await Promise.all([
    RedisServer.start(),
    RedisServer.start({ cluster: true }),
  ]);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});
const prefix = (place: string) => place.replaceAll(/\W/g, '-');

graphStoreContract(
  'redis',
  (place, options) => new RedisStore(server.url(prefix(place)), options),
  { skip: whyNoRedis, hasCreditOrder: false },
);

graphStoreContract(
  'a redis cluster',
  (place, options) => new RedisStore(cluster.url(prefix(place)), { ...options, timeoutMs: 10_000 }),
  { skip: whyNoRedis, hasCreditOrder: false },
);
