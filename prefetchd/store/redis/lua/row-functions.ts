// Lua functions for rows of arcs (values.ts). A row is cut to its strongest arcs when it reaches twice its limit,
// which bounds the cost of pages with many links and makes sorting rare. `cut` visits each arc once and compares
// counts in the units of its `stretch`.

import { neverNext } from '../../../model/delta/graph-delta.ts';
import { arcFormat, halfLivesPerStretch, printsAtByte, recordBytes } from '../values.ts';

export const rowFunctions = `
local find, sub, pack, zeros = string.find, string.sub, struct.pack, string.rep('\\0', ${recordBytes - printsAtByte})
local function placeIn(row, to)
  local at = find(row, to, 1, true)
  while at and (at - 1) % ${recordBytes} ~= 0 do at = find(row, to, at + 1, true) end
  return at
end
local function put(row, at, record)
  if not at then return row .. record end
  return sub(row, 1, at - 1) .. record .. sub(row, at + ${recordBytes})
end
local function printsIn(row, at)
  local first, last = at + ${printsAtByte}, at + ${recordBytes - 1}
  while last > first and sub(row, last - 1, last) == '\\0\\0' do last = last - 2 end
  return sub(row, first, last)
end
local function record(to, tick, its, rank, era, seen, total, prints)
  return to .. pack('${arcFormat}', tick, its, rank, era, seen, total) .. prints .. sub(zeros, #prints + 1)
end
local function mergedSeen(one, other)
  local never = math.min(one, other) >= ${neverNext} and ${neverNext} or 0
  return math.max(one % ${neverNext}, other % ${neverNext}) + never
end
local function unite(one, other)
  for at = 1, #other, 2 do
    if #one >= #zeros then return one end
    local print, isIn = sub(other, at, at + 1), false
    for place = 1, #one, 2 do
      if sub(one, place, place + 1) == print then isIn = true break end
    end
    if not isIn then one = one .. print end
  end
  return one
end
local function cut(row, most, stretch)
  if #row <= 2 * most * ${recordBytes} then return row, 0 end
  local all, kept = {}, {}
  for at = 1, #row, ${recordBytes} do
    local tick, its, rank, _, _, total = struct.unpack('${arcFormat}', row, at + 4)
    total = total * 2 ^ (${halfLivesPerStretch} * (its - stretch))
    all[#all + 1] = {total, tick, rank, sub(row, at, at + ${recordBytes - 1})}
  end
  table.sort(all, function(one, other)
    if one[1] ~= other[1] then return one[1] > other[1] end
    if one[2] ~= other[2] then return one[2] > other[2] end
    return one[3] < other[3]
  end)
  for place = 1, most do kept[place] = all[place][4] end
  return table.concat(kept), #all - most
end
`;
