// The keys of a graph in Redis, for people with redis-cli too. All have one hash tag and thus one slot of a cluster.
//
//   {prefix}:meta    hash    what the counts belong to, and its age, for counts are in units (forward-decay.ts)
//   {prefix}:url     zset    URL -> accesses
//   {prefix}:kind    hash    URL -> 0 document, 1 object, 2 short-lived document
//   {prefix}:arc:<graph>:<URL>      zset  URLs that followed this one -> count
//   {prefix}:seen:<graph>           hash  URL -> JSON: the same, each with its most clients in one era (graph-delta.ts)
//   {prefix}:clients:<era>:<graph>  hash  URL -> JSON: the same, each with its fingerprints; expires with the salt
//   {prefix}:news    stream  additions of the last minute, for the other nodes
//   {prefix}:flush:<node>  string  number of its last addition, so that none counts twice; expires after a week
//   {prefix}:salt    string  expires with the salt's lifetime
//   {prefix}:prune   string  lock for pruning; expires after a minute

export function redisKeys(prefix: string) {
  const key = (...parts: (string | number)[]) => [`{${prefix}}`, ...parts].join(':');
  return {
    meta: key('meta'),
    url: key('url'),
    kind: key('kind'),
    arc: (graph: number, url: string) => key('arc', graph, url),
    seen: (graph: number) => key('seen', graph),
    clients: (era: number, graph: number) => key('clients', era, graph),
    news: key('news'),
    flush: (node: string) => key('flush', node),
    salt: key('salt'),
    prune: key('prune'),
  };
}

export type RedisKeys = ReturnType<typeof redisKeys>;
