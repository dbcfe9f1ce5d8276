package engine

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// Keys says where a command's keys are among its arguments, the command's name being argument 0, and what the
// command does with each of them. COMMAND INFO shows it as keyspecs; COMMAND GETKEYS, access control and
// client-side caching find the keys of a call with At. The zero value is for commands without keys.
//
// The access to a key is written in the words of COMMAND INFO: one of RO, RW, OW and RM for what happens to the value
// as a whole, then access, update, insert and delete for what happens to its data. not_key marks an argument that
// decides about the cluster's slot without being a key.
type Keys struct {
	specs  []keyspec
	find   func(args [][]byte) (at []int, ok bool)
	access func(args [][]byte) string
	least  int // arguments that the command takes at least: find and access get no fewer
}

// keyspec is where some of the keys are.
type keyspec struct {
	kind   keyspecKind
	access string
	note   string // a sentence about it; "" for none
	word   string // of afterWord
	first  int    // the first key; the argument that counts the keys; or where the word is looked for
	last   int    // the last key, counted from the end when negative; with a word relative to the first key
	step   int    // arguments from one key to the next
	limit  int    // of afterWord: the keys are one part in so many of what is left; 0 for all
}

type keyspecKind int

const (
	fixed     keyspecKind = iota // between two positions
	counted                      // behind an argument that counts them
	afterWord                    // behind a word
	unknown                      // only the command itself can find them
)

// Key is one key at position i.
func Key(i int, access string) Keys { return KeyRange(i, i, 1, access) }

// KeyRange is keys from first to last, every step arguments. Last counts from the end when negative.
func KeyRange(first, last, step int, access string) Keys {
	return Keys{specs: []keyspec{{kind: fixed, access: access, first: first, last: last, step: step}}}
}

// Noted returns k with a sentence about its last keyspec, for COMMAND INFO.
func (k Keys) Noted(note string) Keys {
	k.specs = slices.Clone(k.specs)
	k.specs[len(k.specs)-1].note = note
	return k
}

// NumKeys is the keys counted by the argument at position count, which follow it.
func NumKeys(count int, access string) Keys { return numKeys(count, 1, access) }

// NumPairs is the keys counted by the argument at position count, which follow it, each with its value.
func NumPairs(count int, access string) Keys { return numKeys(count, 2, access) }

func numKeys(count, step int, access string) Keys {
	return Keys{specs: []keyspec{{kind: counted, access: access, first: count, step: step}}}
}

// KeysAfter is the keys behind a word, which is looked for from position from on. They end last arguments after
// the first, or before the end when last is negative. With a limit they are one part in so many of the arguments
// left. A negative from is for clients, which then search backwards for the word; here Keys.FoundBy finds the keys.
func KeysAfter(word string, from, last, limit int, access string) Keys {
	return Keys{specs: []keyspec{{kind: afterWord, access: access, word: word, first: from, last: last, step: 1, limit: limit}}}
}

// UnknownKeys is keys that no keyspec can describe. Keys.FoundBy finds them.
func UnknownKeys(access string) Keys { return Keys{specs: []keyspec{{kind: unknown, access: access}}} }

// And returns the keys together with further ones, which come after them.
func (k Keys) And(more ...Keys) Keys {
	k.specs = slices.Clone(k.specs)
	for _, m := range more {
		k.specs = append(k.specs, m.specs...)
	}
	return k
}

// FoundBy returns keys whose positions are found by a function; ok is false if the arguments are malformed. The
// first of the positions is the first keyspec's, the others are the last one's.
func (k Keys) FoundBy(find func(args [][]byte) (at []int, ok bool)) Keys {
	k.find = find
	return k
}

// AccessBy returns a key whose access depends on the arguments. The keyspec's own access is the most that it can be.
func (k Keys) AccessBy(access func(args [][]byte) string) Keys {
	k.access = access
	return k
}

// KeyUse is a key of a command line: its position, and the access to it.
type KeyUse struct {
	At     int
	Access string
}

// Reads reports whether the command looks at the key.
func (u KeyUse) Reads() bool {
	return strings.HasPrefix(u.Access, "RO") || strings.Contains(u.Access, "access")
}

// Writes reports whether the command may change the key.
func (u KeyUse) Writes() bool { return !strings.HasPrefix(u.Access, "RO") }

// At returns the keys among args. ok is false if the arguments are malformed, or too few.
func (k Keys) At(args [][]byte) (keys []KeyUse, ok bool) { return k.appendTo(nil, args) }

// appendTo appends the keys among args.
func (k Keys) appendTo(keys []KeyUse, args [][]byte) (all []KeyUse, ok bool) {
	if len(args) < k.least {
		return nil, false
	}
	if k.find != nil {
		at, ok := k.find(args)
		for n, i := range at {
			keys = append(keys, KeyUse{i, k.specs[min(n, 1)*(len(k.specs)-1)].plainAccess()})
		}
		return keys, ok
	}
	for i := range k.specs {
		if keys, ok = k.specs[i].appendTo(keys, args); !ok {
			return nil, false
		}
	}
	if k.access != nil {
		keys[0].Access = k.access(args)
	}
	return keys, true
}

// isComplete reports whether all keys that the command uses are among its arguments, and there are some.
func (k Keys) isComplete() bool {
	return !k.isEmpty() && !slices.ContainsFunc(k.specs, func(s keyspec) bool {
		return s.kind == unknown && k.find == nil || strings.HasSuffix(s.access, " incomplete")
	})
}

// plainAccess returns the access without the words that describe the keyspec.
func (s *keyspec) plainAccess() string {
	return strings.TrimSuffix(strings.TrimSuffix(s.access, " variable_flags"), " incomplete")
}

// appendTo appends the keys of args that the keyspec finds. ok is false if the arguments are malformed.
func (s *keyspec) appendTo(keys []KeyUse, args [][]byte) (all []KeyUse, ok bool) {
	first, last := s.bounds(args)
	if first > len(args) || last >= len(args) {
		return nil, false
	}
	for i := first; i <= last; i += s.step {
		keys = append(keys, KeyUse{i, s.plainAccess()})
	}
	return keys, true
}

// bounds returns the positions of the first and the last key in args, the last before the first if there are
// none, and beyond the arguments if they are malformed.
func (s *keyspec) bounds(args [][]byte) (first, last int) {
	n := len(args)
	switch s.kind {
	case fixed:
		return s.first, fromEnd(s.last, n)
	case counted:
		return s.counted(args)
	case afterWord:
		for i := s.first; i < n-1; i++ {
			if IsWord(args[i], s.word) {
				return i + 1, s.lastAfter(i+1, n)
			}
		}
	}
	return 0, -1
}

func (s *keyspec) counted(args [][]byte) (first, last int) {
	if s.first >= len(args) {
		return 0, len(args)
	}
	first = s.first + 1
	n, ok := resp.ParseInt(args[s.first])
	if !ok || n < 1 || n > int64((len(args)-first)/s.step) {
		return 0, len(args)
	}
	return first, first + (int(n)-1)*s.step
}

func (s *keyspec) lastAfter(first, n int) int {
	switch {
	case s.limit > 0:
		return first + (n-first)/s.limit - 1
	case s.last >= 0:
		return first + s.last
	}
	return n + s.last
}

// fromEnd returns a position among n arguments, which counts from the end when negative.
func fromEnd(i, n int) int {
	if i < 0 {
		i += n
	}
	return i
}

// isEmpty reports whether no argument is a key.
func (k Keys) isEmpty() bool { return len(k.specs) == 0 || k.specs[0].access == "not_key" }

// countsAfterFirst reports whether counted keys follow one at a fixed position. Before 7.0, COMMAND GETKEYS shows that one last.
func (k Keys) countsAfterFirst() bool {
	return len(k.specs) == 2 && k.specs[0].kind == fixed && k.specs[1].kind == counted
}

// movable reports whether the positions depend on the arguments.
func (k Keys) movable() bool {
	return k.find != nil || slices.ContainsFunc(k.specs, func(s keyspec) bool { return s.kind != fixed })
}

// fixed returns the range of keys at fixed positions that the keys begin with, zeros if there is none. Before
// Redis had keyspecs, COMMAND INFO showed only this.
func (k Keys) fixed() (first, last, step int) {
	for _, s := range k.specs {
		if s.kind != fixed || first != 0 && s.first != last+1 {
			break
		}
		if first == 0 {
			first = s.first
		}
		last, step = s.last, s.step
	}
	return first, last, step
}
