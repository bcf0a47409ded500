/**
 * What is done in Valkey as one step, each only for the server that has the session: it shows the number that it was given
 * with it (a fencing token), which the next owner makes worthless. The number has the server in it: a replica that became
 * the primary may give one again.
 *
 *     PREFIX:{PRINCIPAL}:fence        the last number that was given
 *     PREFIX:{PRINCIPAL}:index        sessions by when they were used last
 *     PREFIX:{PRINCIPAL}:s:SESSION    head, running, fence, seq
 *                       …:own         the parts that it stands on
 *                       …:lease       the server that has it, for as long as it says so
 *     PREFIX:{PRINCIPAL}:p:ID         a part of images, which may be several sessions'
 *     PREFIX:{PRINCIPAL}:r:ID         sessions that it was shared between
 *
 * What a principal has is in one slot of a cluster: the braces. What was not committed within a day goes by itself.
 */

/** KEYS: the session's, the principal's. ARGV[1] is the fencing number, but for the claim. */
const PRELUDE = `
local session, root = KEYS[1], KEYS[2]
local own, lease = session .. ':own', session .. ':lease'
local function part(id) return root .. ':p:' .. id end
local function drop(name, id)
  redis.call('SREM', own, id)
  local sharers = root .. ':r:' .. id
  redis.call('SREM', sharers, name)
  for _, other in ipairs(redis.call('SMEMBERS', sharers)) do
    if redis.call('SISMEMBER', root .. ':s:' .. other .. ':own', id) == 1 then return end
  end
  redis.call('DEL', part(id), sharers)
end
`;
const OURS = `${PRELUDE}
if redis.call('HGET', session, 'fence') ~= ARGV[1] then return 'taken' end
`;
/** ARGV[2] counts the owner's changes: one that was long under way does not undo a later one. */
const IN_ORDER = `${OURS}
if tonumber(redis.call('HGET', session, 'seq')) >= tonumber(ARGV[2]) then return 'late' end
`;

/** ARGV: server, lease, draft (ms). @returns The owner and how long it has the lease; or "", fence, head, running, own. */
export const CLAIM = `${PRELUDE}
local owner = redis.call('GET', lease)
if owner and owner ~= ARGV[1] then return {owner, redis.call('PTTL', lease)} end
local fence = redis.call('INCR', root .. ':fence') .. '-' .. ARGV[1]
redis.call('SET', lease, ARGV[1], 'PX', ARGV[2])
redis.call('HSET', session, 'fence', fence, 'seq', 0)
local head = redis.call('HGET', session, 'head')
if not head then redis.call('PEXPIRE', session, ARGV[3]) end
return {'', fence, head or '', redis.call('HGET', session, 'running') or '', redis.call('SMEMBERS', own)}
`;

/** A lease that ran out is had again, if nobody took the session. ARGV: fence, server, lease, draft (ms). */
export const RENEW = `${OURS}
if redis.call('PEXPIRE', lease, ARGV[3]) == 0 then redis.call('SET', lease, ARGV[2], 'PX', ARGV[3]) end
if redis.call('HEXISTS', session, 'head') == 0 then
  redis.call('PEXPIRE', session, ARGV[4])
  redis.call('PEXPIRE', own, ARGV[4])
end
return 'ok'
`;

/** ARGV: fence, seq, head, last use, name, parts that are new. What needs room comes first: it is all done or nothing. */
export const COMMIT = `${IN_ORDER}
for i = 6, #ARGV do
  if redis.call('EXISTS', part(ARGV[i])) == 0 then return 'gone' end
end
redis.call('HSET', session, 'head', ARGV[3], 'seq', ARGV[2])
redis.call('ZADD', root .. ':index', ARGV[4], ARGV[5])
for i = 6, #ARGV do
  redis.call('SADD', own, ARGV[i])
  redis.call('PERSIST', part(ARGV[i]))
  redis.call('PERSIST', root .. ':r:' .. ARGV[i])
end
redis.call('PERSIST', session)
redis.call('PERSIST', own)
return 'ok'
`;

/** ARGV: fence, seq, executions. */
export const RUNS = `${IN_ORDER}
redis.call('HSET', session, 'seq', ARGV[2], 'running', ARGV[3])
return 'ok'
`;

/** ARGV: fence, name, parts. */
export const REMOVE = `${OURS}
for i = 3, #ARGV do drop(ARGV[2], ARGV[i]) end
return 'ok'
`;

/** To the session from another of its principal's. ARGV: fence, names of this and the other, draft (ms), parts. */
export const SHARE = `${OURS}
for i = 5, #ARGV do
  if redis.call('EXISTS', part(ARGV[i])) == 0 then return 'gone' end
end
for i = 5, #ARGV do
  redis.call('SADD', root .. ':r:' .. ARGV[i], ARGV[2], ARGV[3])
  redis.call('SADD', own, ARGV[i])
  redis.call('PERSIST', part(ARGV[i]))
end
if redis.call('HEXISTS', session, 'head') == 0 then redis.call('PEXPIRE', own, ARGV[4]) end
return 'ok'
`;

/** A part that others of its principal may have, too. ARGV: fence, name, draft (ms), part. @returns Its length; "": nobody has it. */
export const HOLD = `${OURS}
local id = ARGV[4]
if redis.call('EXISTS', part(id)) == 0 then return '' end
redis.call('SADD', root .. ':r:' .. id, ARGV[2])
redis.call('SADD', own, id)
if redis.call('HEXISTS', session, 'head') == 0 then redis.call('PEXPIRE', own, ARGV[3]) end
if redis.call('PTTL', part(id)) >= 0 then
  redis.call('PEXPIRE', part(id), ARGV[3])
  redis.call('PEXPIRE', root .. ':r:' .. id, ARGV[3])
end
return tostring(redis.call('STRLEN', part(id)))
`;

/** ARGV: fence, where, for how long (ms). */
export const SET_ASIDE = `${OURS}
local function keep(from, to)
  redis.call('COPY', from, to)
  redis.call('PEXPIRE', to, ARGV[3])
end
keep(session, ARGV[2])
for _, id in ipairs(redis.call('SMEMBERS', own)) do keep(part(id), ARGV[2] .. ':p:' .. id) end
return 'ok'
`;

/** ARGV: fence, name. */
export const DELETE = `${OURS}
for _, id in ipairs(redis.call('SMEMBERS', own)) do drop(ARGV[2], id) end
redis.call('DEL', session, own, lease)
redis.call('ZREM', root .. ':index', ARGV[2])
return 'ok'
`;

/** ARGV: fence, the server that asked for it or "", how long it is kept for that one (ms). */
export const RELEASE = `${OURS}
redis.call('DEL', lease)
redis.call('HDEL', session, 'fence', 'seq', 'running')
if ARGV[2] ~= '' then redis.pcall('SET', lease, ARGV[2], 'PX', ARGV[3]) end
return 'ok'
`;
