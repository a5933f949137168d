-- Sends requests for wrk: wrk … -s load.lua URL -- KIND CALLS GROUPS ROTATIONS FIRST RUN
-- KIND is the request: any (a random group), fresh (an unused id), named (a random group with a new
-- name), next (a rotation, each group once), mix (90 any, 5 fresh, 4 named, 1 next). CALLS has "METHOD /path" for each of these.
-- GROUPS and ROTATIONS are files with one body per line; rotations start after line FIRST. RUN is a unique number.
local kind, run, thread
rotated = 0
local groups, rotations, ahead, count, calls = "", "", 1, 0, {}

-- One string: the garbage collector would walk a table of a million, on cores shared with the servers.
local function read(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  return text
end

-- The line at a place, and the place after it; the first line follows the last.
local function line_at(text, from)
  if from > #text then from = 1 end
  local last = text:find("\n", from, true)
  return text:sub(from, last - 1), last + 1
end

function setup(one)
  thread = one
end

function init(args)
  kind, run, rotated = args[1], args[6], tonumber(args[5])
  for method, path in args[2]:gmatch("(%u+) ([^,]+)") do calls[#calls + 1] = { method, path } end
  groups = read(args[3])
  if kind == "next" or kind == "mix" then
    rotations = read(args[4])
    for _ = 1, rotated do _, ahead = line_at(rotations, ahead) end
  end
  math.randomseed(tonumber(run))
end

-- The line after a random place: nearly uniform, because the lines have similar lengths.
local function group()
  local _, from = line_at(groups, math.random(#groups))
  return (line_at(groups, from))
end

local function any() return calls[1], group() end

local function fresh()
  count = count + 1
  return calls[2], '{"user_group_id":"fresh-' .. run .. '-' .. count .. '"}'
end

local function named()
  count = count + 1
  return calls[3], group():sub(1, -2) .. ',"name":"name ' .. run .. ' ' .. count .. '"}'
end

local function following()
  rotated = rotated + 1
  -- Once used up they repeat, and ours refuses them: they count as errors.
  local body
  body, ahead = line_at(rotations, ahead)
  return calls[4], body
end

local function mix()
  local dice = math.random(100)
  if dice <= 90 then return any() end
  if dice <= 95 then return fresh() end
  if dice <= 99 then return named() end
  return following()
end

local make = { any = any, fresh = fresh, named = named, next = following, mix = mix }

function request()
  local call, body = make[kind]()
  return wrk.format(call[1], call[2], nil, body)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"rotated":%d,"errors":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), thread:get("rotated"),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
