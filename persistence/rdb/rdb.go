// Package rdb reads and writes the format of snapshots: the file dump.rdb of Redis, and the
// payloads of DUMP.
//
//	file     "REDIS" version in four digits | aux fields | databases | FF | CRC64 of all before
//	record   [FC deadline] [F8 idle | F9 frequency] type key value
//	payload  type value | version u16 | CRC64 of all before           what DUMP replies
//
// What is not a record begins with an opcode from F3 up: FA is a text field with a name, FE selects
// the database of the keys that follow, FB gives the number of its keys. A type defines the layout
// of the value. There are more than twenty types: each encoding that was added to Redis brought a
// type with the bytes of that encoding as they are in memory.
//
// A Reader reads all types of the versions 1 to 14, and of Valkey's version 80. It returns values
// in this server's encodings, chosen by the thresholds in Options. A Writer uses the oldest type
// that can hold the value. Mostly that is a type of version 9, which Redis reads since 5.0; its
// ziplists are the same as this server's. Or it uses the types of a release: see Format. The header
// has the version that the newest type in the file needs. It is written last.
//
// Invariants:
//  1. Input is checked before it is used: a Reader returns an error, but never a value that
//     violates the invariants of its type, and never panics.
//  2. Memory is allocated in proportion to the bytes that were read, not to numbers in them.
//  3. An error is latched: after it a Reader reads only zeros, and a Writer writes nothing.
//  4. A Reader reads what a Writer wrote as equal values.
//
// Redis has no place for the deadlines of elements other than hash fields. They are in aux fields
// after the key, which Redis skips. A payload with such deadlines has a type that Redis refuses. A
// Bloom filter is a value of the module type of RedisBloom. A Reader skips values of other module
// types, and says which, or refuses them: see Skipped.
//
// The package does no I/O except through io.Reader and io.Writer, and reads no clock.
package rdb

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/array"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/zset"
)

// Newest is the newest version of the format that a Reader reads, that of Redis 8.8.
const Newest = 14

// oldest is the oldest version that a Writer writes, that of Redis 5.
const oldest = 9

// functionsVersion is the first version with libraries of functions, that of Redis 7.0.
const functionsVersion = 10

const magic = "REDIS"

// Valkey 9 has a format of its own: another magic, versions from 80 on, and its own type of hashes
// whose fields have deadlines.
const (
	valkeyMagic  = "VALKEY"
	oldestValkey = 80
	newestValkey = 80
)

// The opcodes.
const (
	opSlotInfo     = 244 // three numbers about a cluster's slot
	opFunction     = 245
	opFunctionOld  = 246 // of release candidates of 7.0
	opModuleAux    = 247
	opIdle         = 248
	opFreq         = 249
	opAux          = 250
	opResize       = 251
	opDeadlineMs   = 252
	opDeadlineSecs = 253
	opSelect       = 254
	opEnd          = 255
)

// The types of values.
const (
	typeString       = 0
	typeList         = 1
	typeSet          = 2
	typeZSetText     = 3 // scores as text
	typeHash         = 4
	typeZSet         = 5
	typeModuleOld    = 6
	typeModule       = 7
	typeZipmap       = 9
	typeListZiplist  = 10
	typeIntset       = 11
	typeZSetZiplist  = 12
	typeHashZiplist  = 13
	typeQuicklist    = 14
	typeStream1      = 15
	typeHashListpack = 16
	typeZSetListpack = 17
	typeQuicklist2   = 18
	typeStream2      = 19
	typeSetListpack  = 20
	typeStream3      = 21
	typeHashValkey   = 22 // of Valkey 9, see valkeyMagic
	typeHashTTLOld   = 22 // 22 and 23: of release candidates of 7.4, with absolute deadlines
	typeHashPackOld  = 23
	typeHashTTL      = 24
	typeHashPackTTL  = 25
	typeStream4      = 26
	typeStream5      = 27
	typeArray        = 28

	typeVolatile = 'm' // not of Redis, and in payloads only: a value with the deadlines of its elements
)

// versionOf returns the version of the format that introduced a type, but at least oldest.
func versionOf(t byte) int {
	switch {
	case t == typeStream5, t == typeArray:
		return 14
	case t == typeStream4:
		return 13
	case t >= typeHashTTLOld:
		return 12
	case t >= typeSetListpack:
		return 11
	case t >= typeHashListpack:
		return 10
	}
	return oldest
}

// Limits are the thresholds that select the encodings of values being read.
type Limits struct {
	Hash  hash.Limits
	ZSet  zset.Limits
	Set   set.Limits
	List  list.Limits
	Array array.Limits
	Dice  func(n uint64) uint64 // returns a random number below n, for skiplists
}

// bytesOf returns the bytes of a string without a copy. They must not be changed.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
