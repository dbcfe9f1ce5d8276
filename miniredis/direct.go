package miniredis

import (
	"strconv"
	"strings"
	"time"
)

// The methods of Miniredis that are those of the selected database, and some other names for them.

// Dump returns the selected database as text, for the message of a failed test: see DumpMaxLineLen.
func (m *Miniredis) Dump() string {
	var b strings.Builder
	m.db().dump(&b)
	return b.String()
}

// FlushAll removes all keys of all databases.
func (m *Miniredis) FlushAll() { _, _ = m.db().do("FLUSHALL") }

// FlushDB removes all keys of the selected database.
func (m *Miniredis) FlushDB() { m.db().FlushDB() }

// SwapDB exchanges the keys of two databases, and reports whether there are both.
func (m *Miniredis) SwapDB(i, j int) bool {
	_, err := m.DB(0).do("SWAPDB", strconv.Itoa(i), strconv.Itoa(j))
	return err == nil
}

// Copy copies a value to another key, or another database, in place of what is there. The error is
// ErrKeyNotFound if there is no key.
func (m *Miniredis) Copy(srcDB int, src string, destDB int, dest string) error {
	from := m.DB(srcDB)
	if srcDB == destDB && src == dest {
		_, err := from.found("TYPE", src)
		return err
	}
	_, err := from.found("COPY", src, dest, "DB", strconv.Itoa(destDB), "REPLACE")
	return err
}

// Keys returns all keys, sorted.
func (m *Miniredis) Keys() []string { return m.db().Keys() }

// Exists reports whether there is a key.
func (m *Miniredis) Exists(k string) bool { return m.db().Exists(k) }

// Type returns the type of a key, such as "hash"; "" if there is none. A HyperLogLog is a string.
func (m *Miniredis) Type(k string) string { return m.db().Type(k) }

// Del removes a key and reports whether there was one.
func (m *Miniredis) Del(k string) bool { return m.db().Del(k) }

// Unlink is Del.
func (m *Miniredis) Unlink(k string) bool { return m.db().Unlink(k) }

// TTL returns how long a key will live; 0 if that has no end, or if there is no key.
func (m *Miniredis) TTL(k string) time.Duration { return m.db().TTL(k) }

// SetTTL lets a key live so long, in whole milliseconds; 0 for without end. A key with a negative
// time is gone.
func (m *Miniredis) SetTTL(k string, ttl time.Duration) { m.db().SetTTL(k, ttl) }

// Get returns a string; ErrKeyNotFound if there is no key.
func (m *Miniredis) Get(k string) (string, error) { return m.db().Get(k) }

// Set sets a string, which has no deadline. Unlike a client's SET it does not replace a value of
// another type: that is ErrWrongType.
func (m *Miniredis) Set(k, v string) error { return m.db().Set(k, v) }

// Incr adds to an integer and returns the sum. An absent key counts as 0.
func (m *Miniredis) Incr(k string, delta int) (int, error) { return m.db().Incr(k, delta) }

// Incrfloat adds to a number and returns the sum. An absent key counts as 0.
func (m *Miniredis) Incrfloat(k string, delta float64) (float64, error) {
	return m.db().Incrfloat(k, delta)
}

// IncrByFloat is Incrfloat.
func (m *Miniredis) IncrByFloat(k string, delta float64) (float64, error) {
	return m.db().Incrfloat(k, delta)
}

// HGet returns a field of a hash; "" if there is none.
func (m *Miniredis) HGet(k, f string) string { return m.db().HGet(k, f) }

// HKeys returns the fields of a hash, sorted.
func (m *Miniredis) HKeys(k string) ([]string, error) { return m.db().HKeys(k) }

// HSet sets fields of a hash, each with its value behind it; what is left over counts for nothing.
// A value of another type is replaced.
func (m *Miniredis) HSet(k string, fv ...string) { m.db().HSet(k, fv...) }

// HSetEX is HSet for fields that live so long.
func (m *Miniredis) HSetEX(key string, ttl time.Duration, fv ...string) {
	m.db().HSetEX(key, ttl, fv...)
}

// HDel removes a field of a hash.
func (m *Miniredis) HDel(k, f string) { m.db().HDel(k, f) }

// HIncr adds to a field and returns the sum. An absent field counts as 0, and a value of another
// type is replaced.
func (m *Miniredis) HIncr(k, f string, delta int) (int, error) { return m.db().HIncr(k, f, delta) }

// HIncrBy is HIncr.
func (m *Miniredis) HIncrBy(k, f string, delta int) (int, error) { return m.db().HIncr(k, f, delta) }

// HIncrfloat is HIncr for numbers that need not be integers.
func (m *Miniredis) HIncrfloat(k, f string, delta float64) (float64, error) {
	return m.db().HIncrfloat(k, f, delta)
}

// HIncrByFloat is HIncrfloat.
func (m *Miniredis) HIncrByFloat(k, f string, delta float64) (float64, error) {
	return m.db().HIncrfloat(k, f, delta)
}

// HExpire lets a field live so long, and reports whether there is one. 0 and less remove it.
func (m *Miniredis) HExpire(key, field string, ttl time.Duration) bool {
	return m.db().HExpire(key, field, ttl)
}

// HTTL returns how long a field will live; 0 if that has no end, or if there is no field.
func (m *Miniredis) HTTL(key, field string) time.Duration { return m.db().HTTL(key, field) }

// HPersist lets a field live without end, and reports whether it had one.
func (m *Miniredis) HPersist(key, field string) bool { return m.db().HPersist(key, field) }

// List returns the elements of a list.
func (m *Miniredis) List(k string) ([]string, error) { return m.db().List(k) }

// Push appends to a list and returns its length.
func (m *Miniredis) Push(k string, v ...string) (int, error) { return m.db().Push(k, v...) }

// RPush is Push.
func (m *Miniredis) RPush(k string, v ...string) (int, error) { return m.db().Push(k, v...) }

// Lpush prepends to a list and returns its length.
func (m *Miniredis) Lpush(k, v string) (int, error) { return m.db().Lpush(k, v) }

// Pop removes the last element of a list and returns it.
func (m *Miniredis) Pop(k string) (string, error) { return m.db().Pop(k) }

// RPop is Pop.
func (m *Miniredis) RPop(k string) (string, error) { return m.db().Pop(k) }

// Lpop removes the first element of a list and returns it.
func (m *Miniredis) Lpop(k string) (string, error) { return m.db().Lpop(k) }

// SetAdd adds to a set, and returns how many elements are new.
func (m *Miniredis) SetAdd(k string, elems ...string) (int, error) { return m.db().SetAdd(k, elems...) }

// SAdd is SetAdd.
func (m *Miniredis) SAdd(k string, elems ...string) (int, error) { return m.db().SetAdd(k, elems...) }

// Members returns the elements of a set, sorted.
func (m *Miniredis) Members(k string) ([]string, error) { return m.db().Members(k) }

// SMembers is Members.
func (m *Miniredis) SMembers(k string) ([]string, error) { return m.db().Members(k) }

// IsMember reports whether a set has an element.
func (m *Miniredis) IsMember(k, v string) (bool, error) { return m.db().IsMember(k, v) }

// SIsMember is IsMember.
func (m *Miniredis) SIsMember(k, v string) (bool, error) { return m.db().IsMember(k, v) }

// SCard returns the number of elements of a set; 0 if there is none.
func (m *Miniredis) SCard(key string) (int, error) { return m.db().SCard(key) }

// SRandMember returns an element of a set; "" if there is none.
func (m *Miniredis) SRandMember(key string) (string, error) { return m.db().SRandMember(key) }

// SRem removes elements of a set, and returns how many there were.
func (m *Miniredis) SRem(k string, fields ...string) (int, error) { return m.db().SRem(k, fields...) }

// ZAdd sets the score of a member, and reports whether it is new.
func (m *Miniredis) ZAdd(k string, score float64, member string) (bool, error) {
	return m.db().ZAdd(k, score, member)
}

// ZMembers returns the members of a sorted set by their scores.
func (m *Miniredis) ZMembers(k string) ([]string, error) { return m.db().ZMembers(k) }

// SortedSet returns the members of a sorted set with their scores.
func (m *Miniredis) SortedSet(k string) (map[string]float64, error) { return m.db().SortedSet(k) }

// ZRem removes a member, and reports whether there was one.
func (m *Miniredis) ZRem(k, member string) (bool, error) { return m.db().ZRem(k, member) }

// ZScore returns the score of a member; 0 if there is none.
func (m *Miniredis) ZScore(k, member string) (float64, error) { return m.db().ZScore(k, member) }

// ZMScore returns the scores of members; 0 for one that there is not.
func (m *Miniredis) ZMScore(k string, members ...string) ([]float64, error) {
	return m.db().ZMScore(k, members)
}

// Stream returns the entries of a stream, the oldest first; none if there is no stream.
func (m *Miniredis) Stream(k string) ([]StreamEntry, error) { return m.db().Stream(k) }

// XAdd appends an entry to a stream and returns its ID, which id may leave to the server: "" or
// "*". Values are fields, each with its value behind it.
func (m *Miniredis) XAdd(k string, id string, values []string) (string, error) {
	return m.db().XAdd(k, id, values)
}

// PfAdd adds to a HyperLogLog, and returns 1 if that changed it.
func (m *Miniredis) PfAdd(k string, elems ...string) (int, error) { return m.db().HllAdd(k, elems...) }

// PfCount returns about how many different elements HyperLogLogs have together.
func (m *Miniredis) PfCount(keys ...string) (int, error) { return m.db().HllCount(keys...) }

// PfMerge merges HyperLogLogs into another one.
func (m *Miniredis) PfMerge(destKey string, sourceKeys ...string) error {
	return m.db().HllMerge(destKey, sourceKeys...)
}
