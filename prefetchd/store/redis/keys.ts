// Names the keys of a graph in Redis, readable by redis-cli. All have one hash tag, so they share a slot of a cluster.
//
//   {prefix}:meta    hash    predictor, window, generation and age of the graph; counts are in units (forward-decay.ts)
//   {prefix}:url     zset    URL -> accesses
//   {prefix}:kind    hash    URL -> 0 document, 1 object, 2 short-lived document
//   {prefix}:arc:<graph>:<URL>      zset  following URL -> count
//   {prefix}:seen:<graph>           hash  URL -> JSON: following URLs, each with its `seen` (graph-delta.ts)
//   {prefix}:clients:<era>:<graph>  hash  URL -> JSON: following URLs, each with fingerprints; expires with the salt
//   {prefix}:news    stream  additions of the last minute, for the other nodes
//   {prefix}:flush:<node>  string  number of the node's last addition, so that none counts twice; expires after a week
//   {prefix}:salt    string  expires with the salt's lifetime

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
  };
}

export type RedisKeys = ReturnType<typeof redisKeys>;
