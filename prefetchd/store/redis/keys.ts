// Names the keys of a graph in Redis, readable by redis-cli. All have one hash tag, so they share a slot of a cluster.
//
//   {prefix}:meta    hash    predictor, window, generation and age of the graph; counts are in units (forward-decay.ts)
//   {prefix}:url     zset    URL -> accesses
//   {prefix}:kind    hash    URL -> 0 document, 1 object, 2 short-lived document
//   {prefix}:arc:<graph>:<URL>            zset  following URL -> count
//   {prefix}:seen:<graph>:<URL>           hash  following URL -> its `seen` (graph-delta.ts)
//   {prefix}:clients:<era>:<graph>:<URL>  hash  following URL -> its fingerprints, as JSON; an era is a salt's lifetime
//   {prefix}:news    stream  additions of the last minute, for the other processes
//   {prefix}:flush:<node>  string  number of the last addition of a process or import, so each counts once; expires
//   {prefix}:import:<name>  string  digest of an import that began, or `added`; expires
//   {prefix}:salt    string  creation time in ms, 16 bytes in hexadecimal, era, with spaces between; expires

const kept = ['meta', 'url', 'kind', 'arc', 'seen'] as const;
const expiring = ['clients', 'news', 'flush', 'import', 'salt'] as const;
export const redisKeyNames = [...kept, ...expiring];
type RedisKeyName = (typeof redisKeyNames)[number];
export type RedisKeys = (name: RedisKeyName, ...rest: (string | number)[]) => string;

export function redisKeys(prefix: string): RedisKeys {
  return (...parts) => [`{${prefix}}`, ...parts].join(':');
}
