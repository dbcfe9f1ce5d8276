package miniredis

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// The errors of methods. Others have the text that a client would get, too.
var (
	ErrKeyNotFound           = reply("ERR no such key")
	ErrWrongType             = reply("WRONGTYPE Operation against a key holding the wrong kind of value")
	ErrNotValidHllValue      = reply("WRONGTYPE Key is not a valid HyperLogLog string value.")
	ErrIntValueError         = reply("ERR value is not an integer or out of range")
	ErrIntValueOverflowError = reply("ERR increment or decrement would overflow")
	ErrFloatValueError       = reply("ERR value is not a valid float")
)

// reply returns an error that is equal to the error reply of that text.
func reply(text string) error { return resp.ReplyError(text) }

// alike are errors that the original does not tell from others.
var alike = map[error]error{
	reply("ERR hash value is not an integer"):            ErrIntValueError,
	reply("ERR hash value is not a float"):               ErrFloatValueError,
	reply("ERR value is NaN or Infinity"):                ErrFloatValueError,
	reply("ERR increment would produce NaN or Infinity"): ErrFloatValueError,
}

// RedisDB is a database of a server.
type RedisDB struct {
	m  *Miniredis
	id int
}

// DB returns a database. If there is none of that number, its methods have the error of SELECT, or
// find nothing.
func (m *Miniredis) DB(i int) *RedisDB { return &RedisDB{m, i} }

// db returns the database that Select has chosen.
func (m *Miniredis) db() *RedisDB { return m.DB(int(m.selected.Load())) }

// Select chooses the database for the methods of Miniredis. Clients choose their own.
func (m *Miniredis) Select(i int) { m.selected.Store(int64(i)) }

// deaf is an engine.Peer for commands whose replies are there when they have run.
type deaf struct{}

// Wake implements engine.Peer.
func (deaf) Wake() {}

// all executes commands in the database, with nothing in between, and returns the replies. They
// need no password, and no client sees them. An error among them is returned.
func (db *RedisDB) all(commands ...[]string) (list []resp.Value, err error) {
	m := db.m
	batch := [][][]byte{words("SELECT", []string{strconv.Itoa(db.id)})}
	for _, c := range commands {
		batch = append(batch, words(c[0], c[1:]))
	}
	unlocked(func() {
		s := m.engine.NewOperator(deaf{}, m.engine.Home())
		defer m.engine.Close(s)
		list, err = m.methods.parse(m.engine.Do(s, batch).Out)
	})
	return list, err
}

// methods reads the replies to commands that methods execute.
type methods struct {
	mu      sync.Mutex
	in      bytes.Buffer
	replies *resp.Reader
}

// parse returns the replies behind the first one. An error among all is returned.
func (d *methods) parse(out []byte) (list []resp.Value, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.replies == nil {
		d.replies = resp.NewReader(&d.in)
	}
	d.in.Write(out)
	for d.in.Len() > 0 || d.replies.Buffered() > 0 {
		reply, flaw := d.replies.Read()
		if list = append(list, reply); err == nil {
			err = cmp.Or(flaw, alike[reply.Err()], reply.Err())
		}
	}
	return list[1:], err
}

// do executes a command: see all.
func (db *RedisDB) do(command ...string) (reply resp.Value, err error) {
	list, err := db.all(command)
	if err != nil {
		return resp.Value{}, err
	}
	return list[0], nil
}

// found is do for a command of a key, and ErrKeyNotFound if there is none.
func (db *RedisDB) found(command ...string) (reply resp.Value, err error) {
	list, err := db.all([]string{"EXISTS", command[1]}, command)
	switch {
	case err != nil:
		return resp.Value{}, err
	case list[0].Int == 0:
		return resp.Value{}, ErrKeyNotFound
	}
	return list[1], nil
}

// number is do for a reply that is an integer.
func (db *RedisDB) number(command ...string) (int, error) {
	reply, err := db.do(command...)
	return int(reply.Int), err
}

// is is number for commands whose errors count as no.
func (db *RedisDB) is(command ...string) bool {
	n, _ := db.number(command...)
	return n == 1
}

// text is do for a reply that is a string. If it is absent the error is ErrKeyNotFound.
func (db *RedisDB) text(command ...string) (string, error) {
	reply, err := db.do(command...)
	if err == nil && reply.IsNull() {
		err = ErrKeyNotFound
	}
	if err != nil {
		return "", err
	}
	return reply.Text, nil
}

// list is do for a reply that is a list of strings. If it is empty, as there is no key, the error
// is ErrKeyNotFound.
func (db *RedisDB) list(command ...string) ([]string, error) {
	reply, err := db.do(command...)
	if err == nil && len(reply.Elems) == 0 {
		err = ErrKeyNotFound
	}
	if err != nil {
		return nil, err
	}
	return reply.Strings(), nil
}

// replace executes a command that makes a hash, in place of a value of another type.
func (db *RedisDB) replace(command ...string) (resp.Value, error) {
	reply, err := db.do(command...)
	if !errors.Is(err, ErrWrongType) {
		return reply, err
	}
	list, err := db.all([]string{"DEL", command[1]}, command)
	if err != nil {
		return resp.Value{}, err
	}
	return list[1], nil
}

// Keys returns all keys, sorted.
func (db *RedisDB) Keys() []string {
	reply, _ := db.do("KEYS", "*")
	keys := append([]string{}, reply.Strings()...)
	slices.Sort(keys)
	return keys
}

// FlushDB removes all keys.
func (db *RedisDB) FlushDB() { _, _ = db.do("FLUSHDB") }

// Exists reports whether there is a key.
func (db *RedisDB) Exists(k string) bool { return db.is("EXISTS", k) }

// Type returns the type of a key, such as "hash"; "" if there is none. A HyperLogLog is a string.
func (db *RedisDB) Type(k string) string {
	reply, err := db.do("TYPE", k)
	if err != nil || reply.Text == "none" {
		return ""
	}
	return reply.Text
}

// Del removes a key and reports whether there was one.
func (db *RedisDB) Del(k string) bool { return db.is("DEL", k) }

// Unlink is Del.
func (db *RedisDB) Unlink(k string) bool { return db.is("UNLINK", k) }

// TTL returns how long a key will live; 0 if that has no end, or if there is no key.
func (db *RedisDB) TTL(k string) time.Duration {
	ms, _ := db.number("PTTL", k)
	return time.Duration(max(0, ms)) * time.Millisecond
}

// SetTTL lets a key live so long, in whole milliseconds; 0 for without end. A key with a negative
// time is gone.
func (db *RedisDB) SetTTL(k string, ttl time.Duration) {
	if ttl == 0 {
		_, _ = db.do("PERSIST", k)
		return
	}
	_, _ = db.do("PEXPIRE", k, millis(ttl))
}

// millis returns a duration in milliseconds, rounded up, as an argument.
func millis(d time.Duration) string {
	ms := d.Milliseconds()
	if time.Duration(ms)*time.Millisecond < d {
		ms++
	}
	return strconv.FormatInt(ms, 10)
}

// Get returns a string; ErrKeyNotFound if there is no key.
func (db *RedisDB) Get(k string) (string, error) { return db.text("GET", k) }

// Set sets a string, which has no deadline. Unlike a client's SET it does not replace a value of
// another type: that is ErrWrongType.
func (db *RedisDB) Set(k, v string) error {
	_, err := db.do("SET", k, v, "GET")
	return err
}

// Incr adds to an integer and returns the sum. An absent key counts as 0.
func (db *RedisDB) Incr(k string, delta int) (int, error) {
	return db.number("INCRBY", k, strconv.Itoa(delta))
}

// Incrfloat adds to a number and returns the sum. An absent key counts as 0.
func (db *RedisDB) Incrfloat(k string, delta float64) (float64, error) {
	return parsed(db.text("INCRBYFLOAT", k, decimal(delta)))
}

// decimal returns a number as an argument.
func decimal(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// parsed returns the number that a text is.
func parsed(text string, err error) (float64, error) {
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(text, 64)
}

// HGet returns a field of a hash; "" if there is none.
func (db *RedisDB) HGet(k, f string) string {
	v, _ := db.text("HGET", k, f)
	return v
}

// HKeys returns the fields of a hash, sorted.
func (db *RedisDB) HKeys(key string) ([]string, error) { return sorted(db.list("HKEYS", key)) }

func sorted(list []string, err error) ([]string, error) {
	slices.Sort(list)
	return list, err
}

// HSet sets fields of a hash, each with its value behind it; what is left over counts for nothing.
// A value of another type is replaced.
func (db *RedisDB) HSet(k string, fv ...string) {
	if fv = pairs(fv); len(fv) > 0 {
		_, _ = db.replace(append([]string{"HSET", k}, fv...)...)
	}
}

// pairs returns a list without an element that has no other.
func pairs(list []string) []string { return list[:len(list)&^1] }

// HSetEX is HSet for fields that live so long.
func (db *RedisDB) HSetEX(key string, ttl time.Duration, fv ...string) {
	if fv = pairs(fv); len(fv) > 0 {
		head := []string{"HSETEX", key, "PX", millis(ttl), "FIELDS", strconv.Itoa(len(fv) / 2)}
		_, _ = db.replace(append(head, fv...)...)
	}
}

// HDel removes a field of a hash.
func (db *RedisDB) HDel(k, f string) { _, _ = db.do("HDEL", k, f) }

// HIncr adds to a field and returns the sum. An absent field counts as 0, and a value of another
// type is replaced.
func (db *RedisDB) HIncr(k, f string, delta int) (int, error) {
	reply, err := db.replace("HINCRBY", k, f, strconv.Itoa(delta))
	return int(reply.Int), err
}

// HIncrfloat is HIncr for numbers that need not be integers.
func (db *RedisDB) HIncrfloat(k, f string, delta float64) (float64, error) {
	reply, err := db.replace("HINCRBYFLOAT", k, f, decimal(delta))
	return parsed(reply.Text, err)
}

// HExpire lets a field live so long, and reports whether there is one. 0 and less remove it.
func (db *RedisDB) HExpire(key, field string, ttl time.Duration) bool {
	return db.ofField(max(0, ttl), "HPEXPIRE", key, field) > 0
}

// HTTL returns how long a field will live; 0 if that has no end, or if there is no field.
func (db *RedisDB) HTTL(key, field string) time.Duration {
	return time.Duration(max(0, db.ofField(-1, "HPTTL", key, field))) * time.Millisecond
}

// HPersist lets a field live without end, and reports whether it had one.
func (db *RedisDB) HPersist(key, field string) bool {
	return db.ofField(-1, "HPERSIST", key, field) > 0
}

// ofField executes a command of a single field, with a time unless that is negative, and returns
// what it replies for it; -2 if there is no field.
func (db *RedisDB) ofField(ttl time.Duration, name, key, field string) int {
	command := []string{name, key}
	if ttl >= 0 {
		command = append(command, millis(ttl))
	}
	reply, err := db.do(append(command, "FIELDS", "1", field)...)
	if err != nil || len(reply.Elems) == 0 {
		return -2
	}
	return int(reply.Elems[0].Int)
}

// List returns the elements of a list.
func (db *RedisDB) List(k string) ([]string, error) { return db.list("LRANGE", k, "0", "-1") }

// Push appends to a list and returns its length.
func (db *RedisDB) Push(k string, v ...string) (int, error) {
	if len(v) == 0 {
		return db.number("LLEN", k)
	}
	return db.number(append([]string{"RPUSH", k}, v...)...)
}

// Lpush prepends to a list and returns its length.
func (db *RedisDB) Lpush(k, v string) (int, error) { return db.number("LPUSH", k, v) }

// Pop removes the last element of a list and returns it.
func (db *RedisDB) Pop(k string) (string, error) { return db.text("RPOP", k) }

// Lpop removes the first element of a list and returns it.
func (db *RedisDB) Lpop(k string) (string, error) { return db.text("LPOP", k) }

// SetAdd adds to a set, and returns how many elements are new.
func (db *RedisDB) SetAdd(k string, elems ...string) (int, error) {
	if len(elems) == 0 {
		_, err := db.number("SCARD", k)
		return 0, err
	}
	return db.number(append([]string{"SADD", k}, elems...)...)
}

// Members returns the elements of a set, sorted.
func (db *RedisDB) Members(k string) ([]string, error) { return sorted(db.list("SMEMBERS", k)) }

// IsMember reports whether a set has an element.
func (db *RedisDB) IsMember(k, v string) (bool, error) {
	reply, err := db.found("SISMEMBER", k, v)
	return reply.Int == 1, err
}

// SCard returns the number of elements of a set; 0 if there is none.
func (db *RedisDB) SCard(key string) (int, error) { return db.number("SCARD", key) }

// SRandMember returns an element of a set; "" if there is none.
func (db *RedisDB) SRandMember(key string) (string, error) {
	v, err := db.text("SRANDMEMBER", key)
	if errors.Is(err, ErrKeyNotFound) {
		err = nil
	}
	return v, err
}

// SRem removes elements of a set, and returns how many there were.
func (db *RedisDB) SRem(k string, fields ...string) (int, error) {
	if len(fields) == 0 {
		_, err := db.found("SCARD", k)
		return 0, err
	}
	reply, err := db.found(append([]string{"SREM", k}, fields...)...)
	return int(reply.Int), err
}

// ZAdd sets the score of a member, and reports whether it is new.
func (db *RedisDB) ZAdd(k string, score float64, member string) (bool, error) {
	n, err := db.number("ZADD", k, decimal(score), member)
	return n == 1, err
}

// ZMembers returns the members of a sorted set by their scores.
func (db *RedisDB) ZMembers(k string) ([]string, error) { return db.list("ZRANGE", k, "0", "-1") }

// SortedSet returns the members of a sorted set with their scores.
func (db *RedisDB) SortedSet(k string) (map[string]float64, error) {
	list, err := db.list("ZRANGE", k, "0", "-1", "WITHSCORES")
	if err != nil {
		return nil, err
	}
	scores := make(map[string]float64, len(list)/2)
	for i := 0; i < len(list); i += 2 {
		scores[list[i]], _ = strconv.ParseFloat(list[i+1], 64)
	}
	return scores, nil
}

// ZRem removes a member, and reports whether there was one.
func (db *RedisDB) ZRem(k, member string) (bool, error) {
	reply, err := db.found("ZREM", k, member)
	return reply.Int == 1, err
}

// ZScore returns the score of a member; 0 if there is none.
func (db *RedisDB) ZScore(k, member string) (float64, error) {
	scores, err := db.ZMScore(k, []string{member})
	if err != nil {
		return 0, err
	}
	return scores[0], nil
}

// ZMScore returns the scores of members; 0 for one that there is not.
func (db *RedisDB) ZMScore(k string, members []string) ([]float64, error) {
	if len(members) == 0 {
		_, err := db.found("ZCARD", k)
		return nil, err
	}
	reply, err := db.found(append([]string{"ZMSCORE", k}, members...)...)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(members))
	for i, text := range reply.Strings() {
		scores[i], _ = strconv.ParseFloat(text, 64) // 0 for ""
	}
	return scores, nil
}

// StreamEntry is an entry of a stream. Values are its fields, each with its value behind it.
type StreamEntry struct {
	ID     string // such as "1700000000000-0"
	Values []string
}

// Stream returns the entries of a stream, the oldest first; none if there is no stream.
func (db *RedisDB) Stream(key string) ([]StreamEntry, error) {
	reply, err := db.do("XRANGE", key, "-", "+")
	if err != nil {
		return nil, err
	}
	var entries []StreamEntry
	for _, e := range reply.Elems {
		entries = append(entries, StreamEntry{ID: e.Elems[0].Text, Values: e.Elems[1].Strings()})
	}
	return entries, nil
}

// XAdd appends an entry to a stream and returns its ID, which id may leave to the server: "" or
// "*". Values are fields, each with its value behind it.
func (db *RedisDB) XAdd(k string, id string, values []string) (string, error) {
	if id == "" {
		id = "*"
	}
	return db.text(append([]string{"XADD", k, id}, values...)...)
}

// HllAdd adds to a HyperLogLog, and returns 1 if that changed it.
func (db *RedisDB) HllAdd(k string, elems ...string) (int, error) {
	n, err := db.number(append([]string{"PFADD", k}, elems...)...)
	if errors.Is(err, ErrNotValidHllValue) {
		err = ErrWrongType
	}
	return n, err
}

// HllCount returns about how many different elements HyperLogLogs have together.
func (db *RedisDB) HllCount(keys ...string) (int, error) {
	n, err := db.number(append([]string{"PFCOUNT"}, keys...)...)
	return n, ofHll(err)
}

// HllMerge merges HyperLogLogs into another one.
func (db *RedisDB) HllMerge(destKey string, sourceKeys ...string) error {
	_, err := db.do(append([]string{"PFMERGE", destKey}, sourceKeys...)...)
	return ofHll(err)
}

// ofHll returns the error of a command that found no HyperLogLog.
func ofHll(err error) error {
	if errors.Is(err, ErrWrongType) {
		return ErrNotValidHllValue
	}
	return err
}

// dump writes the database for Dump.
func (db *RedisDB) dump(b *strings.Builder) {
	for _, key := range db.Keys() {
		b.WriteString("- " + key + "\n")
		for _, line := range db.lines(key) {
			b.WriteString("   " + line + "\n")
		}
	}
}

// lines returns the lines of Dump for the value of a key.
func (db *RedisDB) lines(key string) (lines []string) {
	switch db.Type(key) {
	case "string":
		v, _ := db.Get(key)
		return []string{short(v)}
	case "hash":
		fields, _ := db.HKeys(key)
		for _, f := range fields {
			lines = append(lines, f+": "+short(db.HGet(key, f)))
		}
	case "list":
		list, _ := db.List(key)
		return shortened(list)
	case "set":
		list, _ := db.Members(key)
		return shortened(list)
	case "zset":
		scores, _ := db.SortedSet(key)
		members, _ := db.ZMembers(key)
		for _, m := range members {
			lines = append(lines, strconv.FormatFloat(scores[m], 'f', 6, 64)+": "+short(m))
		}
	case "stream":
		entries, _ := db.Stream(key)
		for _, e := range entries {
			lines = append(lines, e.ID)
			for i := 0; i+1 < len(e.Values); i += 2 {
				lines = append(lines, "   "+short(e.Values[i])+": "+short(e.Values[i+1]))
			}
		}
	}
	return lines
}

// DumpMaxLineLen is the most characters that Dump shows of a text.
var DumpMaxLineLen = 60

// short returns a text in quotes, with its length if only its beginning is shown.
func short(text string) string {
	if len(text) <= DumpMaxLineLen {
		return strconv.Quote(text)
	}
	length := "...(" + strconv.Itoa(len(text)) + ")"
	return strconv.Quote(text[:max(0, DumpMaxLineLen-len(length))]) + length
}

func shortened(list []string) []string {
	lines := make([]string, len(list))
	for i, text := range list {
		lines[i] = short(text)
	}
	return lines
}
