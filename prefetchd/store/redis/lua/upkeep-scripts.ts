// Scripts that maintain a store, beside the one that adds to it (scripts.ts).

import { neverNext } from '../../../model/delta/graph-delta.ts';
import { arcFormat, recordBytes } from '../values.ts';
import { rowFunctions } from './row-functions.ts';

// Implements isOver of salt.ts; the key also expires when nobody asks for it. ARGV: now, lifetime, a new salt, the
// salt to store if there is none, and its remaining lifetime.
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

// Delete URLs unchanged since the weakest were chosen. KEYS: nodes; ARGV: that tick, fields.
export const pruneNodesScript = `
local gone = {}
local fields = {unpack(ARGV, 2)}
for i, value in ipairs(redis.call('HMGET', KEYS[1], unpack(fields))) do
  if value and struct.unpack('<I4', value, 5) <= tonumber(ARGV[1]) then
    gone[#gone + 1] = fields[i]
  end
end
if #gone == 0 then return 0 end
return redis.call('HDEL', KEYS[1], unpack(gone))
`;

// Delete arcs unchanged since then. KEYS: meta, rows; ARGV: that tick, then pairs of a field and the targets' ids,
// four bytes each.
export const dropArcsScript = `
local dropped = 0
for i = 2, #ARGV, 2 do
  local row, weak, kept = redis.call('HGET', KEYS[2], ARGV[i]) or '', {}, {}
  for at = 1, #ARGV[i + 1], 4 do weak[string.sub(ARGV[i + 1], at, at + 3)] = true end
  for at = 1, #row, ${recordBytes} do
    local isWeak = weak[string.sub(row, at, at + 3)]
    if not isWeak or struct.unpack('<I4', row, at + 4) > tonumber(ARGV[1]) then
      kept[#kept + 1] = string.sub(row, at, at + ${recordBytes - 1})
    end
  end
  dropped = dropped + #row / ${recordBytes} - #kept
  if #kept > 0 then redis.call('HSET', KEYS[2], ARGV[i], table.concat(kept))
  else redis.call('HDEL', KEYS[2], ARGV[i]) end
end
if dropped > 0 then redis.call('HINCRBY', KEYS[1], 'arcs', -dropped) end
return dropped
`;

// Remove fingerprints of eras other than the present one and keep their number. Tick and rank stay, so an arc read
// before remains valid. KEYS: rows; ARGV: the present era, fields.
export const endErasScript = `
${rowFunctions}
local fields, changed = {unpack(ARGV, 2)}, {}
for i, row in ipairs(redis.call('HMGET', KEYS[1], unpack(fields))) do
  if row then
    local records = {}
    for at = 1, #row, ${recordBytes} do
      local whole, to = sub(row, at, at + ${recordBytes - 1}), sub(row, at, at + 3)
      local tick, its, rank, era, seen, total = struct.unpack('${arcFormat}', row, at + 4)
      if era ~= 0 and era ~= tonumber(ARGV[1]) then
        whole = record(to, tick, its, rank, 0, mergedSeen(seen, ${neverNext} + #printsIn(row, at) / 2), total, '')
      end
      records[#records + 1] = whole
    end
    changed[#changed + 1] = fields[i]
    changed[#changed + 1] = table.concat(records)
  end
end
if #changed > 0 then redis.call('HSET', KEYS[1], unpack(changed)) end
return #changed / 2
`;
