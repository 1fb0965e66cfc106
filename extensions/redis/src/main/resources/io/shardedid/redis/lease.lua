-- The rows of one namespace are the fields of one hash, without expiry. One call reads, takes the time, compares and sets.
-- Numbers are compared as texts, because those of Lua are exact below 2^53 only.
local time = redis.call('TIME')
local now = string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))

local function atMost(a, b)
  local negative = a:sub(1, 1) == '-'
  if negative ~= (b:sub(1, 1) == '-') then
    return negative
  end
  if negative then
    a, b = b:sub(2), a:sub(2)
  end
  return #a < #b or (#a == #b and a <= b)
end

if ARGV[1] == 'read' then
  return { now, redis.call('HGETALL', KEYS[1]) }
end

if ARGV[1] == 'read one' then
  local found = {}
  for _, field in ipairs(ARGV[2] == '-1' and { '-1' } or { '-1', ARGV[2] }) do
    local row = redis.call('HGET', KEYS[1], field)
    if row then
      found[#found + 1] = field
      found[#found + 1] = row
    end
  end
  return { now, found }
end

-- Leaves nothing behind, and fails unless this user may write here and the server takes writes.
if ARGV[1] == 'probe' then
  redis.call('HDEL', KEYS[1], 'probe')
  redis.call('HSET', KEYS[1], 'probe', '')
  local inserted = redis.pcall('HSETNX', KEYS[1], 'probe', '')
  redis.call('HDEL', KEYS[1], 'probe')
  return inserted
end

-- worker id, latest time or '', row
if ARGV[1] == 'insert' then
  if ARGV[3] ~= '' and not atMost(now, ARGV[3]) then
    return 0
  end
  return redis.call('HSETNX', KEYS[1], ARGV[2], ARGV[4]) == 1 and 1 or -1
end

-- worker id, token seen, most hwm_tick, latest time or '', 'leased' or '', fence step, new token, lease_until, hwm_tick, rest
local row = redis.call('HGET', KEYS[1], ARGV[2])
if not row then
  return 0
end
local token, fence, leaseUntil, hwmTick = row:match('^([^\n]*)\n(-?%d+)\n(-?%d+)\n(-?%d+)\n')
if not token then
  return redis.error_reply('SHARDEDID field ' .. ARGV[2] .. ' is no lease')
end
if token ~= ARGV[3] or not atMost(hwmTick, ARGV[4]) or (ARGV[5] ~= '' and not atMost(now, ARGV[5]))
    or (ARGV[6] == 'leased' and not atMost(now, leaseUntil)) then
  return 0
end
-- The fence alone is added, once an acquire: it stays exact for longer than a server lives.
redis.call('HSET', KEYS[1], ARGV[2], table.concat({ ARGV[8], ARGV[7] == '0' and fence or string.format('%.0f', tonumber(fence) + tonumber(ARGV[7])),
    ARGV[9], ARGV[10], ARGV[11] }, '\n'))
return 1
