// The only Lua script in Redis: it checks whether a change of the graph counts, and makes the change atomically.
//
// - An addition (`add`) counts once: each node numbers its additions, and the number of the last one is stored.
// - An addition counts only in the graph that the node knows. A graph has a random name (`generation`); the answer
//   `lost` means that another graph is stored, or none. `forgotten` counts deletions of URLs, which a node must know.
// - `raise` gives Redis, which lost its graph, a part of a node's graph: each count is raised to the node's, so several
//   nodes may give theirs, and any part twice. Nodes that find a raise in the news load everything.
// - `forget` deletes a URL and everything below it (`isForgotten`), which takes a second in a graph of full size.
// - If there are too many URLs or arcs, those with the fewest accesses go, with the arcs that leave them.
// - The news is a stream with an entry for each `add` or `raise`, numbered by the second part of its id. The first
//   part is rounded to the second, because exact times of all additions to a quiet site would be an access log.
// - Time never runs backwards for the counts (forward-decay.ts). ZUNIONSTORE scales them to one unit per access long
//   before a double is full.

import { fingerprintsPerArc, neverNext } from '../../model/delta/graph-delta.ts';
import { mostExponent, skewMs } from '../forward-decay.ts';

export const storeFormat = '3';
const flushLifeS = 7 * 24 * 60 * 60;
/** Relative difference up to which aged counts of two nodes are equal. */
const roundingError = 1e-6;

export const flushScript = `
local meta, url, kind, news, flush = unpack(KEYS)
local call, ask, delta = redis.call, cjson.decode(ARGV[1]), cjson.decode(ARGV[2])
local prefix = string.sub(meta, 1, -5)
local is, fields = {}, call('HGETALL', meta)
for i = 1, #fields, 2 do is[fields[i]] = tonumber(fields[i + 1]) or fields[i + 1] end
local gone = 0
local function answer(status)
  return {status, is.generation or '', is.forgotten or 0, is.tick or 0,
    string.format('%.0f-%.0f', is.newsMs or 0, is.tick or 0), string.format('%.17g', is.age or 0), gone}
end
if is.format and is.format ~= ${storeFormat} then return {'format', is.format} end
if is.generation and (is.predictor ~= delta.predictor or is.graphs ~= #delta.graphs) then
  return {'predictor', is.predictor, is.graphs}
end
if ask.generation ~= '' and ask.generation ~= is.generation then return answer('lost') end
if not is.generation then
  is = {format = ${storeFormat}, generation = ask.fresh, predictor = delta.predictor, graphs = #delta.graphs,
    forgotten = 0, tick = 0, age = 0, base = 0, asOfMs = ask.nowMs, era = 0, arcs = 0, newsMs = 0}
end
if ask.generation ~= '' and ask.forgotten ~= is.forgotten then return answer('forgotten') end
if ask.number > 0 and tonumber(call('GET', flush) or 0) >= ask.number then return answer('twice') end

local step, hasChanged = ask.nowMs - is.asOfMs, ask.mode == 'add' and #delta.urls > 0
if step > 0 and ask.halfLifeMs then is.age = is.age + math.min(step / ask.halfLifeMs, ${mostExponent}) end
if step > 0 or step < -${skewMs} then is.asOfMs = ask.nowMs end
if is.age - is.base > ${mostExponent} then
  local keys = {url}
  for _, text in ipairs(call('ZRANGE', url, 0, -1)) do
    for graph = 0, is.graphs - 1 do keys[#keys + 1] = prefix .. 'arc:' .. graph .. ':' .. text end
  end
  for _, key in ipairs(keys) do call('ZUNIONSTORE', key, 1, key, 'WEIGHTS', 2 ^ (is.base - is.age)) end
  is.base = is.age
end
local unit = 2 ^ (is.age - is.base)
local function add(key, member, count)
  local units = math.min(count * unit, 1e300)
  if ask.mode == 'raise' then
    local has = tonumber(call('ZSCORE', key, member) or -1)
    if units <= has * ${1 + roundingError} then return end
    units, hasChanged = units - math.max(has, 0), true
  end
  call('ZINCRBY', key, units, member)
end
for _, one in ipairs(delta.urls) do
  add(url, one.url, one.accesses)
  call('HSET', kind, one.url, one.kind)
end
local function read(key, field)
  local values, list = {}, cjson.decode(call('HGET', key, field) or '[]')
  for i = 1, #list, 2 do values[list[i]] = list[i + 1] end
  return values
end
local function write(key, field, values)
  local list = {}
  for name, value in pairs(values) do
    list[#list + 1], list[#list + 2] = name, value
  end
  if #list == 0 then return call('HDEL', key, field) end
  -- cjson writes each slash with a backslash.
  call('HSET', key, field, (string.gsub(cjson.encode(list), '\\\\/', '/')))
end
local era = delta.era > 0 and delta.era or is.era
local function keysOf(graph, source)
  return prefix .. 'arc:' .. graph .. ':' .. source, prefix .. 'seen:' .. graph,
    prefix .. string.format('clients:%.0f:', era) .. graph
end
local function cut(graph, source, targets)
  if #targets == 0 then return end
  local key, seenKey, clientsKey = keysOf(graph, source)
  local seen, clients = read(seenKey, source), read(clientsKey, source)
  for _, to in ipairs(targets) do
    is.arcs = is.arcs - call('ZREM', key, to)
    seen[to], clients[to] = nil, nil
  end
  write(seenKey, source, seen)
  write(clientsKey, source, clients)
end
local function union(clients, others)
  local has = {}
  for _, client in ipairs(clients) do has[client] = true end
  for _, client in ipairs(others) do
    if not has[client] and #clients < ${fingerprintsPerArc} then clients[#clients + 1] = client end
  end
  return clients
end
for nth, arcs in ipairs(delta.graphs) do
  local graph, rows = nth - 1, {}
  for _, arc in ipairs(arcs) do
    rows[arc.from] = rows[arc.from] or {}
    table.insert(rows[arc.from], arc)
  end
  for from, row in pairs(rows) do
    local source = delta.urls[from + 1].url
    local key, seenKey, clientsKey = keysOf(graph, source)
    local seen, clients = read(seenKey, source), read(clientsKey, source)
    for _, arc in ipairs(row) do
      local to = delta.urls[arc.to + 1].url
      add(key, to, arc.count)
      local all = delta.era > 0 and union(clients[to] or {}, arc.clients) or {}
      if #all > 0 then clients[to], is.era = all, delta.era end
      local had = seen[to] or arc.seen
      local never = math.min(arc.seen, had) >= ${neverNext} and ${neverNext} or 0
      if not seen[to] then is.arcs = is.arcs + 1 end
      seen[to] = math.max(arc.seen % ${neverNext}, had % ${neverNext}, #all) + never
    end
    write(seenKey, source, seen)
    write(clientsKey, source, clients)
    cut(graph, source, call('ZRANGE', key, 0, -ask.maxArcsPerUrl - 1))
  end
  local _, _, clientsKey = keysOf(graph, '')
  if delta.era > 0 then call('PEXPIRE', clientsKey, ask.clientsLifeMs) end
end
while is.arcs > ask.maxArcs * is.graphs or call('ZCARD', url) > ask.maxNodes do
  local weakest = call('ZPOPMIN', url)[1]
  if not weakest then break end
  call('HDEL', kind, weakest)
  for graph = 0, is.graphs - 1 do
    cut(graph, weakest, call('ZRANGE', prefix .. 'arc:' .. graph .. ':' .. weakest, 0, -1))
  end
end
local function isGone(text)
  local rest = string.sub(text, #ask.forget + 1)
  return string.sub(text, 1, #ask.forget) == ask.forget
    and (rest == '' or string.find(ask.forget, '[/?]$') or string.find(rest, '^[/?]'))
end
if ask.mode == 'forget' then
  is.forgotten = is.forgotten + 1
  call('UNLINK', news)
  for _, text in ipairs(call('ZRANGE', url, 0, -1)) do
    local goes = isGone(text)
    if goes then
      gone = gone + call('ZREM', url, text)
      call('HDEL', kind, text)
    end
    for graph = 0, is.graphs - 1 do
      local targets = {}
      for _, to in ipairs(call('ZRANGE', prefix .. 'arc:' .. graph .. ':' .. text, 0, -1)) do
        if goes or isGone(to) then targets[#targets + 1] = to end
      end
      cut(graph, text, targets)
    end
  end
end
if ask.number > 0 then call('SET', flush, ask.number, 'EX', ${flushLifeS}) end
if hasChanged then
  is.tick, is.newsMs = is.tick + 1, math.max(is.newsMs, call('TIME')[1] * 1000)
  call('XADD', news, 'MINID', is.newsMs - ask.newsLifeMs, string.format('%.0f-%.0f', is.newsMs, is.tick),
    'node', ask.node, 'age', is.age, 'delta', ask.mode == 'add' and ARGV[2] or '')
  call('PEXPIRE', news, ask.newsLifeMs)
end
is.window = delta.window
for name, value in pairs(is) do call('HSET', meta, name, value) end
return answer('added')
`;
