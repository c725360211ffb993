// Where things lie in Redis. All keys of a site carry one hash tag, so they are of one slot and a cluster
// runs every pipeline and script of ours on one of its nodes.
//
//   {prefix}:meta   hash    what the graph belongs to, which generation it is, how old it is
//   {prefix}:nodes  hash    URL -> id and counter (values.ts)
//   {prefix}:rows   hash    graph, id -> the arcs that leave it: id, counter and clients of each (values.ts)
//   {prefix}:deltas stream  what was added in the last minute or so, for the other nodes (encoding.ts)
//   {prefix}:flows  hash    node -> number of its last chunk, so that none counts twice
//   {prefix}:salt   string  gone by itself when its life is over
//   {prefix}:prune  string  lock of the one who prunes, or takes out fingerprints; gone by itself after a minute

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
