package strings

import (
	"bytes"
	"fmt"

	"github.com/miniserver-go/miniserver/commands/elements"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/xxh3"
	"github.com/miniserver-go/miniserver/engine"
)

// Changing a string only if it is still what it was: the conditions of SET and DELEX, which came with
// Redis 8.4, and DELIFEQ, which is Valkey's (9.0). Valkey's SET, since 8.1, has IFEQ of these.

// comparison compares a key's value, or its digest, with an operand. The zero value is none.
type comparison struct {
	*comparisonWord
	operand []byte
}

func (k *comparison) asked() bool { return k.comparisonWord != nil }

// comparisonWord is a word that asks for a comparison.
type comparisonWord struct {
	word   string
	digest bool // compares digests
	differ bool // holds if they differ, and if the key is absent
}

var comparisons = [...]comparisonWord{
	{word: "IFEQ"}, {word: "IFNE", differ: true}, {word: "IFDEQ", digest: true}, {word: "IFDNE", digest: true, differ: true},
}

// digestLen is the length of a digest in hexadecimal digits.
const digestLen = 16

// comparisonOption moves past a comparison and its operand and reports whether it did.
func comparisonOption(c *engine.Call, k *comparison) bool {
	if c.Left() < 2 {
		return false
	}
	for i := range comparisons {
		if w := &comparisons[i]; c.Word(w.word) {
			*k = comparison{w, c.Arg()}
			return true
		}
	}
	return false
}

// meets reports whether a string satisfies a comparison; an operand that cannot be a digest latches
// ErrDigest.
func meets(c *engine.Call, v *str.Value, k *comparison) bool {
	text := v.Text(c.Scratch())
	if !k.digest {
		return bytes.Equal(text, k.operand) != k.differ
	}
	if len(k.operand) != digestLen {
		c.Refuse(errDigest)
		return false
	}
	var room [digestLen]byte
	return bytes.EqualFold(appendDigest(room[:0], text), k.operand) != k.differ
}

// appendDigest appends the digest of a text.
func appendDigest(dst, text []byte) []byte { return fmt.Appendf(dst, "%016x", xxh3.Sum64(text)) }

// DIGEST key
func cmdDigest(c *engine.Call) {
	v, ok := engine.Read[*str.Value](c, c.Arg())
	switch {
	case !c.OK():
	case !ok:
		c.Reply.Null()
	default:
		var room [digestLen]byte
		c.Reply.Bulk(appendDigest(room[:0], v.Text(c.Scratch())))
	}
}

// accessOfDelEx returns what DELEX does with its key: only with a comparison it reads.
func accessOfDelEx(args [][]byte) string {
	if len(args) == 2 {
		return "RM delete"
	}
	return "RW delete"
}

// DELEX key [IFEQ value | IFNE value | IFDEQ digest | IFDNE digest]
func cmdDelEx(c *engine.Call) {
	key := c.Arg()
	if n := c.Left(); n != 0 && n != 2 {
		c.Refusef(engine.ErrArity, c.Cmd.FullName())
	}
	if !c.OK() {
		return
	}
	found, ok := c.DB.Find(key)
	if ok && c.More() {
		ok = meetsNext(c, found)
	}
	if c.OK() {
		deleteIf(c, ok, key)
	}
}

// meetsNext reports whether a value satisfies the comparison that the next arguments are.
func meetsNext(c *engine.Call, found any) bool {
	v, ok := found.(*str.Value)
	var k comparison
	switch {
	case !ok:
		c.Refuse(errNotString)
	case !comparisonOption(c, &k):
		c.Refuse(errCondition)
	default:
		return meets(c, v, &k)
	}
	return false
}

// DELIFEQ key value
func cmdDelIfEq(c *engine.Call) {
	key, value := c.Arg(), c.Arg()
	v, ok := engine.Read[*str.Value](c, key)
	if c.OK() {
		deleteIf(c, ok && bytes.Equal(v.Text(c.Scratch()), value), key)
	}
}

// deleteIf deletes a key that is there if ok, and replies with the number of keys deleted.
func deleteIf(c *engine.Call, ok bool, key []byte) {
	if !ok {
		c.Reply.Int(0)
		return
	}
	c.DB.Delete(key)
	c.Changed(key, "gdel")
	elements.LogKey(c, "DEL", key)
	c.Reply.Int(1)
}
