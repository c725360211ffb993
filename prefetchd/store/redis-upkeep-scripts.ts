// Scripts that keep a store in order, beside the one that adds to it (redis-scripts.ts).

import { arcFormat } from './redis-values.ts';

// The rule of salt.ts (isOver), and a life that ends though nobody asks any more. ARGV: now, life, a new salt, the
// one to keep where there is none, and how long.
export const saltScript = `
local salt, now, life = redis.call('GET', KEYS[1]), tonumber(ARGV[1]), tonumber(ARGV[2])
if salt then
  local made = tonumber(string.match(salt, '^-?%d+'))
  if now - made < life and now >= made - life then return salt end
  redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[2])
  return ARGV[3]
end
redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5])
return ARGV[4]
`;

// Fields that were not touched since the weakest were chosen go; ARGV: offset of the tick in a value, that
// tick, fields.
export const pruneScript = `
local gone = {}
local fields = {unpack(ARGV, 3)}
for i, value in ipairs(redis.call('HMGET', KEYS[1], unpack(fields))) do
  if value and struct.unpack('<I4', value, tonumber(ARGV[1])) <= tonumber(ARGV[2]) then
    gone[#gone + 1] = fields[i]
  end
end
if #gone == 0 then return 0 end
return redis.call('HDEL', KEYS[1], unpack(gone))
`;

// Fingerprints of other eras than the present one go, their number stays; a value that was read before this keeps its
// tick and rank. KEYS: arcs; ARGV: the present era, fields.
export const endErasScript = `
local fields, changed = {unpack(ARGV, 2)}, {}
for i, value in ipairs(redis.call('HMGET', KEYS[1], unpack(fields))) do
  if value then
    local tick, its, rank, era, seen, total = struct.unpack('${arcFormat}', value)
    if era ~= 0 and era ~= tonumber(ARGV[1]) then
      seen = math.max(seen, (#value - 23) / 2)
      changed[#changed + 1] = fields[i]
      changed[#changed + 1] = struct.pack('${arcFormat}', tick, its, rank, 0, seen, total)
    end
  end
end
if #changed > 0 then redis.call('HSET', KEYS[1], unpack(changed)) end
return #changed / 2
`;
