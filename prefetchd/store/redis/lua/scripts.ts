// The atomic operations in Redis. Every key a script uses is passed to it.
//
// `merge` adds one chunk (encoding.ts). Its rules:
// - A chunk counts once. Nodes number their chunks, and the number of each node's last chunk is stored beside the
//   counters. The first chunk of a delta may skip numbers, later ones may not, so a delta that was cut off is
//   completed when it is sent again.
// - Time never runs backwards for the counters: a lagging clock counts as now. Only the node that moved the clock
//   forward may set it back, or any node after an hour without additions.
// - A generation is the lifetime of one graph. If Redis lost it, the first node that knew the former generation
//   founds the next one and is asked for its whole graph in the same step. Its chunk is not added, because the whole
//   graph includes it. The last chunk numbers that this graph includes are stored too, so chunks of other nodes do
//   not count again. Other nodes learn that the generation changed and resend what they sent last.
// - The part of the whole graph that is new even to nodes that knew the graph goes to the stream only. So does what
//   another node resends and the whole graph includes; the number of the last chunk announced that way is stored
//   beside the node's last number.
// - News expires after about a minute, and its times are rounded to the second: on a quiet site, all of it together
//   would amount to an access log. A node that was away longer finds a number missing and loads everything.
// - A node that was asked for the whole graph and does not supply it within a minute loses the claim to the next one.

import { neverNext } from '../../../model/delta/graph-delta.ts';
import { arcFormat, halfLivesPerStretch, nodeFormat, storeFormat } from '../values.ts';
import { rowFunctions } from './row-functions.ts';

export const mergeScript = `
${rowFunctions}
local meta, nodes, rows, deltas, flows = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local node, known, knowsAll, fresh = ARGV[1], ARGV[2], ARGV[3] == '1', ARGV[4]
local predictor, window, halfLife, now = ARGV[5], ARGV[6], tonumber(ARGV[7]), tonumber(ARGV[8])
local mode, graphs, within, kept = ARGV[9], tonumber(ARGV[10]), ARGV[11], ARGV[12]
local seq, isFirst, bytes, newsLife = tonumber(ARGV[13]), ARGV[14] == '1', ARGV[15], tonumber(ARGV[16])
local mostPerUrl = tonumber(ARGV[17])
local time = redis.call('TIME')
local serverMs = time[1] * 1000 + math.floor(time[2] / 1000)
local flowLifeMs, wholeWithinMs, disorderMs = 86400000, 60000, 3600000

local names = {'format', 'generation', 'predictor', 'tick', 'nextId', 'graphs', 'age', 'clockMs',
  'clockNode', 'clockSeenMs', 'restorer', 'restoreByMs', 'era', 'lastId', 'arcs'}
local found = redis.call('HMGET', meta, unpack(names))
local is = {}
for i, name in ipairs(names) do is[name] = found[i] or '' end
if is.format ~= '' and is.format ~= '${storeFormat}' then return {'format', is.format} end
if is.format ~= '' and (is.predictor ~= predictor or tonumber(is.graphs) ~= graphs) then
  return {'predictor', is.predictor, is.graphs}
end

local function save()
  local fields = {'window', window}
  for _, name in ipairs(names) do
    fields[#fields + 1] = name
    fields[#fields + 1] = is[name]
  end
  redis.call('HSET', meta, unpack(fields))
end
local function begin()
  is = {format = '${storeFormat}', generation = fresh, predictor = predictor, tick = 0, nextId = 1, graphs = graphs, age = 0,
    clockMs = ARGV[8], clockNode = node, clockSeenMs = serverMs, restorer = '', restoreByMs = 0, era = 0,
    lastId = '0-0', arcs = 0}
  save()
  redis.call('UNLINK', nodes, rows, deltas, flows)
end
local function answer(status, id)
  local restoring = tonumber(is.restoreByMs) > 0 and 1 or 0
  return {status, is.generation, tostring(is.tick), id or '', restoring, is.lastId,
    redis.call('HLEN', nodes), tonumber(is.arcs)}
end
local function claim()
  is.restorer, is.restoreByMs = node, serverMs + wholeWithinMs
  save()
  for id, last in string.gmatch(within, '(%S+) (%d+)') do
    local before = tonumber(string.match(redis.call('HGET', flows, id) or '0', '^%d+'))
    if before < tonumber(last) then
      redis.call('HSET', flows, id, last .. ' ' .. serverMs .. ' ' .. before)
    end
  end
  return answer('claimed')
end

local status = 'added'
if is.generation == '' then
  begin()
  if known ~= '' and knowsAll then return claim() end
  status = 'founded'
elseif known ~= '' and known ~= is.generation and knowsAll and is.restorer == '' then
  return claim()
elseif knowsAll and is.restorer ~= node and tonumber(is.restoreByMs) > 0 and serverMs > tonumber(is.restoreByMs) then
  begin()
  return claim()
end
local isRestorer = is.restorer == node and tonumber(is.restoreByMs) > 0
if mode == 'delta' and isRestorer then return claim() end
if mode == 'delta' and known ~= '' and known ~= is.generation then return answer('moved') end
if mode ~= 'delta' and (is.restorer ~= node or is.generation ~= known) then return answer('lost') end
for _, name in ipairs({'tick', 'nextId', 'age', 'clockMs', 'clockSeenMs', 'arcs'}) do
  is[name] = tonumber(is[name])
end

local flow = redis.call('HGET', flows, node)
local last = flow and tonumber(string.match(flow, '^%d+')) or 0
local told = flow and tonumber(string.match(flow, '^%d+ %d+ (%d+)')) or last
if seq > 0 and seq <= told then return answer('twice') end
local isInWhole = seq <= last
if isInWhole and seq > 0 then mode = 'news' end
if seq > 0 and not isInWhole and not isFirst and seq ~= last + 1 then return answer('gap') end

local step = now - is.clockMs
local maySetBack = is.clockNode == node or serverMs - is.clockSeenMs > disorderMs
if step > 0 or (step < -disorderMs and maySetBack) then
  if step > 0 and halfLife > 0 then is.age = is.age + step / halfLife end
  is.clockMs, is.clockNode = now, node
end
if is.clockNode == node then is.clockSeenMs = serverMs end
local stretch = math.floor(is.age / ${halfLivesPerStretch})
local gain = 2 ^ (is.age - ${halfLivesPerStretch} * stretch)
local function sum(count, its, more)
  if its > stretch then return count + more * gain * 2 ^ (${halfLivesPerStretch} * (stretch - its)), its end
  if its < stretch then count = count * 2 ^ (${halfLivesPerStretch} * (its - stretch)) end
  return count + more * gain, stretch
end
local function read(key, fields)
  local values = {}
  for from = 1, #fields, 1000 do
    local part = redis.call('HMGET', key, unpack(fields, from, math.min(from + 999, #fields)))
    for i = 1, #part do values[from + i - 1] = part[i] end
  end
  return values
end
local function write(key, pairsToWrite)
  for from = 1, #pairsToWrite, 2000 do
    redis.call('HSET', key, unpack(pairsToWrite, from, math.min(from + 1999, #pairsToWrite)))
  end
end
if seq > 0 then is.tick = is.tick + 1 end
if seq > 0 and mode ~= 'news' then
  local unpackStruct, packStruct = struct.unpack, struct.pack
  local tick = is.tick
  local era, count, at = unpackStruct('<I4I4', bytes)
  if era ~= 0 then is.era = era end
  local urls, kinds, accesses, ids, changed = {}, {}, {}, {}, {}
  for i = 1, count do urls[i], kinds[i], accesses[i], at = unpackStruct('<I4c0Bd', bytes, at) end
  for i, value in ipairs(read(nodes, urls)) do
    local id, was, its, kind, old
    if value then id, was, its, kind, old = unpackStruct('${nodeFormat}', value) end
    if not id then id, its, old = is.nextId, stretch, 0; is.nextId = id + 1 end
    ids[i] = packStruct('<I4', id)
    if not value or accesses[i] > 0 or kind ~= kinds[i] then
      old, its = sum(old, its, accesses[i])
      changed[#changed + 1] = urls[i]
      changed[#changed + 1] = packStruct('${nodeFormat}', id, tick, its, kinds[i], old)
    end
  end
  write(nodes, changed)
  local rank, added, graphsHere = 0, 0, nil
  graphsHere, at = unpackStruct('<B', bytes, at)
  for graph = 0, graphsHere - 1 do
    local length
    length, at = unpackStruct('<I4', bytes, at)
    local fields, held, graphByte = {}, {}, packStruct('<B', graph)
    local froms, tos, counts, seens, prints = {}, {}, {}, {}, {}
    for i = 1, length do
      local from, to, hasPrints
      from, to, counts[i], seens[i], hasPrints, at = unpackStruct('<HHdBB', bytes, at)
      local field = graphByte .. ids[from + 1]
      if not held[field] then held[field] = ''; fields[#fields + 1] = field end
      froms[i], tos[i], prints[i] = field, ids[to + 1], sub(bytes, at, at + 2 * hasPrints - 1)
      at = at + 2 * hasPrints
    end
    for i, row in ipairs(read(rows, fields)) do held[fields[i]] = row or '' end
    for i = 1, length do
      local row, to, seen, more, itsEra, total, its = held[froms[i]], tos[i], seens[i], prints[i], era, 0, stretch
      local place = placeIn(row, to)
      if place then
        local was, order, oldEra, oldSeen
        was, its, order, oldEra, oldSeen, total = unpackStruct('${arcFormat}', row, place + 4)
        local old = printsIn(row, place)
        seen = mergedSeen(seen, oldSeen)
        if more == '' or old == more then
          if more == '' then itsEra = oldEra elseif oldEra ~= era then seen = mergedSeen(seen, ${neverNext} + #old / 2) end
          more = old
        elseif oldEra == era then
          more = unite(old, more)
        else
          seen = mergedSeen(seen, ${neverNext} + #old / 2)
        end
      else
        added = added + 1
      end
      total, its = sum(total, its, counts[i])
      held[froms[i]] = put(row, place, record(to, tick, its, rank, itsEra, seen, total, more))
      rank = rank + 1
    end
    changed = {}
    for i, field in ipairs(fields) do
      local row, gone = cut(held[field], mostPerUrl, stretch)
      added = added - gone
      changed[2 * i - 1], changed[2 * i] = field, row
    end
    write(rows, changed)
  end
  is.arcs = is.arcs + added
end
local id
if seq > 0 then
  local lastMs, place = string.match(is.lastId, '^(%d+)-(%d+)$')
  id = time[1] .. '000-0'
  if tonumber(lastMs) >= time[1] * 1000 then id = lastMs .. string.format('-%.0f', place + 1) end
  redis.call('XADD', deltas, 'MAXLEN', '~', kept, id, 'n', is.tick, 'o', node, 's', seq,
    't', string.format('%.0f', math.floor(now / 1000) * 1000), 'a', string.format('%.17g', is.age), 'm', mode,
    'w', window, 'd', bytes)
  redis.call('XTRIM', deltas, 'MINID', string.format('%.0f', serverMs - newsLife))
  redis.call('PEXPIRE', deltas, newsLife)
  is.lastId = id
  redis.call('HSET', flows, node, isInWhole and last .. ' ' .. serverMs .. ' ' .. seq or seq .. ' ' .. serverMs)
  if not flow and redis.call('HLEN', flows) > 200 then
    local all = redis.call('HGETALL', flows)
    for i = 1, #all, 2 do
      if serverMs - tonumber(string.match(all[i + 1], ' (%d+)')) > flowLifeMs then
        redis.call('HDEL', flows, all[i])
      end
    end
  end
end
if is.restorer == node and tonumber(is.restoreByMs) > 0 then is.restoreByMs = serverMs + wholeWithinMs end
if mode == 'done' then is.restoreByMs = 0 end
is.age = string.format('%.17g', is.age)
is.clockMs = string.format('%.17g', is.clockMs)
is.clockSeenMs = string.format('%.17g', is.clockSeenMs)
save()
return answer(status, id)
`;
