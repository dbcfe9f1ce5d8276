// Package rdb is the snapshot's format: what Redis writes into dump.rdb, and what DUMP replies.
//
//	file     "REDIS" version in four digits | aux fields | databases | FF | CRC64 of all before
//	record   [FC deadline] [F8 idle | F9 frequency] type key value
//	payload  type value | version u16 | CRC64 of all before           what DUMP replies
//
// Everything that is not a record begins with an opcode from F3 up: FA a field of text with its name,
// FE the number of the database that follows, FB how many keys it has. A type says how the value is
// laid out, and there are some twenty of them: with each encoding that Redis got came a type that
// contains that encoding's bytes as they lie in memory.
//
// Reading takes every version from 1 to 12 and all their types. What it makes are values in the
// encodings that this server has, by the thresholds it is given. Writing takes the oldest type that
// holds the value, mostly those of version 9, which Redis reads since 5.0: a ziplist is a ziplist there
// as it is here. The version in the header is the one that the newest type in the file needs; it is put
// there at the end.
//
// Invariants:
//  1. What is read is checked before it is believed: a Reader returns an error, never a value that
//     violates the invariants of its type, and never panics.
//  2. Memory is taken in proportion to bytes that were read, not to numbers that were read.
//  3. An error is latched: after it a Reader reads nothing but zeros, a Writer writes nothing.
//  4. What Writer wrote, Reader reads as equal values.
//
// What stock Redis has no place for, the deadlines of elements but for those of hash fields, is in aux
// fields behind the key they belong to, which Redis skips; a payload with some is of a type that Redis
// refuses. A Bloom filter is a value of the module type
// of RedisBloom. Values of other modules cannot be read; the error tells the module's name.
//
// There is no I/O here beyond io.Reader and io.Writer, and no clock.
package rdb

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/zset"
)

// Newest is the newest version of the format that is read, that of Redis 7.4.
const Newest = 12

// oldest is the version that is written if nothing needs a newer one, that of Redis 5.
const oldest = 9

// functionsVersion is the version that brought libraries of functions.
const functionsVersion = 10

const magic = "REDIS"

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
	typeHashTTLOld   = 22 // 22 and 23: of release candidates of 7.4, with absolute deadlines
	typeHashPackOld  = 23
	typeHashTTL      = 24
	typeHashPackTTL  = 25

	typeVolatile = 'm' // ours, in payloads only: a value with the deadlines of its elements
)

// versionOf is the version of the format in which a type appeared, for those after the oldest that is
// written.
func versionOf(t byte) int {
	switch {
	case t >= typeHashTTLOld:
		return 12
	case t >= typeSetListpack:
		return 11
	case t >= typeHashListpack:
		return 10
	}
	return oldest
}

// Limits are the thresholds by which values that are read choose their encodings.
type Limits struct {
	Hash hash.Limits
	ZSet zset.Limits
	Set  set.Limits
	List list.Limits
	Dice func(n uint64) uint64 // returns a random number below n, for skiplists
}

// bytesOf returns the bytes of a text, to be read only, without copying.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
