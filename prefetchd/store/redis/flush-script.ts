// The only Lua script in Redis: it checks whether a change of the graph counts, and makes the change atomically.
//
// - An addition counts once: each process numbers its additions, and the number of the last one is stored.
// - A change counts only in the graph that the process knows. A graph has a random name (`generation`, 36 letters), and
//   a second one since URLs were deleted (`forgotten`); the answer `lost` means that another graph is stored, or none.
// - A change without a number gives Redis, which lost its graph, a part of a process's graph: each count is raised to
//   the process's, so several may give theirs, and any part twice. Processes that find it in the news load everything.
// - `forget` deletes a URL and everything below it (`isForgotten`), which takes a second in a graph of full size.
// - If there are too many URLs or arcs, those with the fewest accesses go, with the arcs that leave them.
// - The news, by which processes learn of each other's changes, is a stream with an entry for each of these changes,
//   numbered by the second part of its id. The first part is rounded to the second, because exact times of all
//   additions to a quiet site would be an access log.
// - Time never runs backwards for the counts (forward-decay.ts). ZUNIONSTORE scales them to one unit per access long
//   before a double is full.

import { fingerprintsPerArc, neverNext } from '../../model/delta/graph-delta.ts';
import { mostExponent, skewMs } from '../forward-decay.ts';

export const storeFormat = '4';
/** How long client fingerprints are kept that were made with a salt that has been replaced meanwhile, ms. */
const lateLifeMs = 60_000;
/** If counts in Redis are raised to those of a process, one that is lower by this share or less counts as equal. */
const roundingError = 1e-6;

export const flushScript = `
local call, ask, delta = redis.call, cjson.decode(ARGV[1]), cjson.decode(ARGV[2])
local meta, prefix = KEYS[1], string.sub(KEYS[1], 1, -5)
local url, kind, news, flush = prefix .. 'url', prefix .. 'kind', prefix .. 'news', prefix .. 'flush:' .. ask.node
local is, fields = {}, call('HGETALL', meta)
for i = 1, #fields, 2 do is[fields[i]] = tonumber(fields[i + 1]) or fields[i + 1] end
if is.format and (is.format ~= ${storeFormat} or is.predictor ~= delta.predictor or is.graphs ~= #delta.graphs) then
  return {'other'}
end
if ask.generation ~= '' and ask.generation ~= is.generation then
  return {string.sub(is.generation or '', 1, 36) == string.sub(ask.generation, 1, 36) and 'forgotten' or 'lost'}
end
if not is.generation then
  is = {format = ${storeFormat}, generation = ask.fresh, predictor = delta.predictor, graphs = #delta.graphs,
    tick = 0, age = 0, base = 0, asOfMs = ask.nowMs, era = 0, arcs = 0, newsMs = 0}
end
if ask.number > 0 and tonumber(call('GET', flush) or 0) >= ask.number then return {'twice', is.generation} end

local step, hasChanged, gone = ask.nowMs - is.asOfMs, ask.number > 0 and #delta.urls > 0, 0
if step > 0 and ask.halfLifeMs then is.age = is.age + math.min(step / ask.halfLifeMs, ${mostExponent}) end
if step > 0 or step < -${skewMs} then is.asOfMs = ask.nowMs end
local era = delta.era > 0 and delta.era or is.era
local salt, printsLifeMs = prefix .. 'salt', ${lateLifeMs}
if tonumber(string.match(call('GET', salt) or '', '%d+$')) == era then printsLifeMs = call('PTTL', salt) end
local function keysOf(graph, source)
  local arcs = graph .. ':' .. source
  return prefix .. 'arc:' .. arcs, prefix .. 'seen:' .. arcs, prefix .. string.format('clients:%.0f:', era) .. arcs
end
if is.age - is.base > ${mostExponent} then
  local keys = {url}
  for _, text in ipairs(call('ZRANGE', url, 0, -1)) do
    for graph = 0, is.graphs - 1 do keys[#keys + 1] = keysOf(graph, text) end
  end
  for _, key in ipairs(keys) do call('ZUNIONSTORE', key, 1, key, 'WEIGHTS', 2 ^ (is.base - is.age)) end
  is.base = is.age
end
local unit = 2 ^ (is.age - is.base)
local function add(key, member, count)
  local units = math.min(count * unit, 1e300)
  if ask.number > 0 then return call('ZINCRBY', key, units, member) end
  if units <= (call('ZSCORE', key, member) or -1) * ${1 + roundingError} then return end
  call('ZADD', key, units, member)
  hasChanged = true
end
local function cut(graph, source, last, isGone)
  local key, seenKey, clientsKey = keysOf(graph, source)
  for _, to in ipairs(call('ZRANGE', key, 0, last)) do
    if not isGone or isGone(to) then
      is.arcs = is.arcs - call('ZREM', key, to)
      call('HDEL', seenKey, to)
      call('HDEL', clientsKey, to)
    end
  end
end
for _, one in ipairs(delta.urls) do
  add(url, one.url, one.accesses)
  call('HSET', kind, one.url, one.kind)
end
for nth, arcs in ipairs(delta.graphs) do
  local changed = {}
  for _, arc in ipairs(arcs) do
    local source, to = delta.urls[arc.from + 1].url, delta.urls[arc.to + 1].url
    local key, seenKey, clientsKey = keysOf(nth - 1, source)
    changed[source] = true
    add(key, to, arc.count)
    local prints, has = cjson.decode(call('HGET', clientsKey, to) or '[]'), {}
    for _, print in ipairs(prints) do has[print] = true end
    for _, print in ipairs(arc.clients) do
      if not has[print] and #prints < ${fingerprintsPerArc} then prints[#prints + 1] = print end
    end
    if #arc.clients > 0 then
      is.era = delta.era
      call('HSET', clientsKey, to, cjson.encode(prints))
      call('PEXPIRE', clientsKey, printsLifeMs)
    end
    local had = tonumber(call('HGET', seenKey, to) or arc.seen)
    local never = math.min(arc.seen, had) >= ${neverNext} and ${neverNext} or 0
    local seen = math.max(arc.seen % ${neverNext}, had % ${neverNext}, #prints) + never
    is.arcs = is.arcs + call('HSET', seenKey, to, seen)
  end
  for source in pairs(changed) do cut(nth - 1, source, -ask.maxArcsPerUrl - 1) end
end
while is.arcs > ask.maxArcs * is.graphs or call('ZCARD', url) > ask.maxNodes do
  local weakest = call('ZPOPMIN', url)[1]
  if not weakest then break end
  call('HDEL', kind, weakest)
  for graph = 0, is.graphs - 1 do cut(graph, weakest, -1) end
end
local function isGone(text)
  local length = #ask.forget
  return string.sub(text, 1, length) == ask.forget
    and (#text == length or string.find(string.sub(text, length, length + 1), '[/?]'))
end
if ask.forget then
  is.generation = string.sub(is.generation, 1, 36) .. ask.fresh
  call('UNLINK', news)
  for _, text in ipairs(call('ZRANGE', url, 0, -1)) do
    local goes = isGone(text)
    if goes then
      gone = gone + call('ZREM', url, text)
      call('HDEL', kind, text)
    end
    for graph = 0, is.graphs - 1 do cut(graph, text, -1, not goes and isGone) end
  end
end
if ask.number > 0 then call('SET', flush, ask.number, 'EX', ask.keptS) end
if hasChanged then
  is.tick, is.newsMs = is.tick + 1, math.max(is.newsMs, call('TIME')[1] * 1000)
  call('XADD', news, 'MINID', is.newsMs - ask.newsLifeMs, string.format('%.0f-%.0f', is.newsMs, is.tick),
    'node', ask.node, 'age', is.age, 'delta', ask.number > 0 and ARGV[2] or '')
  call('PEXPIRE', news, ask.newsLifeMs)
end
is.window = delta.window
for name, value in pairs(is) do call('HSET', meta, name, value) end
return {'added', is.generation, gone}
`;
