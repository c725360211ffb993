// Key layout in Redis. All keys of a site share one hash tag and thus one slot, so a cluster runs each pipeline and
// script on a single node.
//
//   {prefix}:meta   hash    owner, generation and age of the graph
//   {prefix}:nodes  hash    URL -> id and counter (values.ts)
//   {prefix}:rows   hash    graph, id -> the arcs that leave it: id, counter and clients of each (values.ts)
//   {prefix}:deltas stream  additions of about the last minute, for the other nodes (encoding.ts)
//   {prefix}:flows  hash    node -> number of its last chunk, so that none counts twice
//   {prefix}:salt   string  expires with the salt's lifetime
//   {prefix}:prune  string  lock for pruning and for removing fingerprints; expires after a minute

export interface RedisKeys {
  meta: string;
  nodes: string;
  rows: string;
  deltas: string;
  flows: string;
  salt: string;
  prune: string;
}

export function redisKeys(prefix: string): RedisKeys {
  const key = (name: string) => `{${prefix}}:${name}`;
  return {
    meta: key('meta'),
    nodes: key('nodes'),
    rows: key('rows'),
    deltas: key('deltas'),
    flows: key('flows'),
    salt: key('salt'),
    prune: key('prune'),
  };
}
