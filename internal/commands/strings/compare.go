package strings

import (
	"bytes"
	"fmt"

	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/xxh3"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// Changing a string only if it still has an expected value: the conditions of SET and DELEX, from
// Redis 8.4, and DELIFEQ, from Valkey 9.0. Valkey's SET has had IFEQ since 8.1.

// comparison compares a key's value, or its digest, with an operand. The zero value compares
// nothing.
type comparison struct {
	*comparisonWord
	operand []byte
}

func (k *comparison) compares() bool { return k.comparisonWord != nil }

// comparisonWord is an option that asks for a comparison.
type comparisonWord struct {
	word   string
	digest bool // compares digests instead of values
	differ bool // holds if the values differ or the key is absent
}

var comparisons = [...]comparisonWord{
	{word: "IFEQ"}, {word: "IFNE", differ: true}, {word: "IFDEQ", digest: true},
	{word: "IFDNE", digest: true, differ: true},
}

// digestLen is the number of a digest's hexadecimal digits.
const digestLen = 16

// parseComparison moves past a comparison and its operand and reports whether it did. A second one
// must be of the same word; it replaces the first.
func parseComparison(c *engine.Call, k *comparison) bool {
	if c.Left() < 2 {
		return false
	}
	for i := range comparisons {
		if w := &comparisons[i]; (!k.compares() || k.comparisonWord == w) && c.Word(w.word) {
			*k = comparison{w, c.Arg()}
			return true
		}
	}
	return false
}

// holds reports whether a comparison holds for a string. An operand that cannot be a digest latches
// errDigest.
func holds(c *engine.Call, v *str.Value, k *comparison) bool {
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

// appendDigest appends the digest of a text, Redis' XXH3 in hexadecimal.
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

// accessOfDelEx returns the access of DELEX to its key: it reads the value only for a comparison.
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
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	if !c.OK() {
		return
	}
	found, ok := c.DB.Find(key)
	if ok && c.More() {
		ok = holdsNext(c, found)
	}
	if c.OK() {
		deleteIf(c, ok, key)
	}
}

// holdsNext reads a comparison and reports whether it holds for a value, which must be a string.
func holdsNext(c *engine.Call, found any) bool {
	v, ok := found.(*str.Value)
	var k comparison
	switch {
	case !ok:
		c.Refuse(errNotString)
	case !parseComparison(c, &k):
		c.Refuse(errCondition)
	default:
		return holds(c, v, &k)
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

// deleteIf deletes an existing key if ok, and replies with the number of deleted keys.
func deleteIf(c *engine.Call, ok bool, key []byte) {
	if !ok {
		c.Reply.Int(0)
		return
	}
	c.DB.Delete(key)
	c.Changed(key, event.Del)
	elements.PropagateKey(c, "DEL", key)
	c.Reply.Int(1)
}
