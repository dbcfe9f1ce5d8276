package command

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// Keys says where a command's keys are among its arguments, the command's name being argument 0,
// and what the command does with each of them. COMMAND INFO shows it as keyspecs; COMMAND GETKEYS,
// access control and client-side caching find the keys of a call with At. The zero value is for
// commands without keys.
//
// The access to a key is written in the words of COMMAND INFO: one of RO, RW, OW and RM for what
// happens to the value as a whole, then access, update, insert and delete for what happens to its
// data. not_key marks an argument that decides about the cluster's slot without being a key.
type Keys struct {
	Specs  []Keyspec // read only
	find   func(args [][]byte) (at []int, ok bool)
	access func(args [][]byte) string
	least  int // arguments that the command takes at least: find and access get no fewer
}

// Keyspec is where some of the keys are.
type Keyspec struct {
	Kind   KeyspecKind
	Access string
	Note   string // a sentence about it; "" for none
	Word   string // of SpecAfterWord
	First  int    // the first key; the argument that counts the keys; or where the word is looked for
	Last   int    // the last key, counted from the end when negative; with a word relative to the first key
	Step   int    // arguments from one key to the next
	Limit  int    // of SpecAfterWord: the keys are one part in so many of what is left; 0 for all
}

// KeyspecKind is how a keyspec finds its keys.
type KeyspecKind int

// The kinds of keyspecs.
const (
	SpecFixed     KeyspecKind = iota // between two positions
	SpecCounted                      // behind an argument that counts them
	SpecAfterWord                    // behind a word
	SpecUnknown                      // only the command itself can find them
)

// Key is one key at position i.
func Key(i int, access string) Keys { return KeyRange(i, i, 1, access) }

// KeyRange is keys from first to last, every step arguments. Last counts from the end when
// negative.
func KeyRange(first, last, step int, access string) Keys {
	return Keys{Specs: []Keyspec{{Kind: SpecFixed, Access: access, First: first, Last: last, Step: step}}}
}

// Noted returns k with a sentence about its last keyspec, for COMMAND INFO.
func (k Keys) Noted(note string) Keys {
	k.Specs = slices.Clone(k.Specs)
	k.Specs[len(k.Specs)-1].Note = note
	return k
}

// NumKeys is the keys counted by the argument at position count, which follow it.
func NumKeys(count int, access string) Keys { return numKeys(count, 1, access) }

// NumPairs is the keys counted by the argument at position count, which follow it, each with its
// value.
func NumPairs(count int, access string) Keys { return numKeys(count, 2, access) }

func numKeys(count, step int, access string) Keys {
	return Keys{Specs: []Keyspec{{Kind: SpecCounted, Access: access, First: count, Step: step}}}
}

// KeysAfter is the keys behind a word, which is looked for from position from on. They end last
// arguments after the first, or before the end when last is negative. With a limit they are one
// part in so many of the arguments left. A negative from is for clients, which then search
// backwards for the word; here Keys.FoundBy finds the keys.
func KeysAfter(word string, from, last, limit int, access string) Keys {
	return Keys{Specs: []Keyspec{{Kind: SpecAfterWord, Access: access, Word: word, First: from, Last: last, Step: 1,
		Limit: limit}}}
}

// UnknownKeys is keys that no keyspec can describe. Keys.FoundBy finds them.
func UnknownKeys(access string) Keys {
	return Keys{Specs: []Keyspec{{Kind: SpecUnknown, Access: access}}}
}

// And returns the keys together with further ones, which come after them.
func (k Keys) And(more ...Keys) Keys {
	k.Specs = slices.Clone(k.Specs)
	for _, m := range more {
		k.Specs = append(k.Specs, m.Specs...)
	}
	return k
}

// FoundBy returns keys whose positions are found by a function; ok is false if the arguments are
// malformed. The first of the positions is the first keyspec's, the others are the last one's.
func (k Keys) FoundBy(find func(args [][]byte) (at []int, ok bool)) Keys {
	k.find = find
	return k
}

// AccessBy returns a key whose access depends on the arguments. The keyspec's own access is the
// most that it can be.
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
func (k Keys) At(args [][]byte) (keys []KeyUse, ok bool) { return k.AppendTo(nil, args) }

// AppendTo appends the keys among args.
func (k Keys) AppendTo(keys []KeyUse, args [][]byte) (all []KeyUse, ok bool) {
	if len(args) < k.least {
		return nil, false
	}
	if k.find != nil {
		at, ok := k.find(args)
		for n, i := range at {
			keys = append(keys, KeyUse{i, k.Specs[min(n, 1)*(len(k.Specs)-1)].plainAccess()})
		}
		return keys, ok
	}
	for i := range k.Specs {
		if keys, ok = k.Specs[i].appendTo(keys, args); !ok {
			return nil, false
		}
	}
	if k.access != nil {
		keys[0].Access = k.access(args)
	}
	return keys, true
}

// IsComplete reports whether all keys that the command uses are among its arguments, and there are
// some.
func (k Keys) IsComplete() bool {
	return !k.IsEmpty() && !slices.ContainsFunc(k.Specs, func(s Keyspec) bool {
		return s.Kind == SpecUnknown && k.find == nil || strings.HasSuffix(s.Access, " incomplete")
	})
}

// plainAccess returns the access without the words that describe the keyspec.
func (s *Keyspec) plainAccess() string {
	return strings.TrimSuffix(strings.TrimSuffix(s.Access, " variable_flags"), " incomplete")
}

// appendTo appends the keys of args that the keyspec finds. ok is false if the arguments are
// malformed.
func (s *Keyspec) appendTo(keys []KeyUse, args [][]byte) (all []KeyUse, ok bool) {
	first, last := s.bounds(args)
	if first > len(args) || last >= len(args) {
		return nil, false
	}
	for i := first; i <= last; i += s.Step {
		keys = append(keys, KeyUse{i, s.plainAccess()})
	}
	return keys, true
}

// bounds returns the positions of the first and the last key in args, the last before the first if
// there are none, and beyond the arguments if they are malformed.
func (s *Keyspec) bounds(args [][]byte) (first, last int) {
	n := len(args)
	switch s.Kind {
	case SpecFixed:
		return s.First, fromEnd(s.Last, n)
	case SpecCounted:
		return s.counted(args)
	case SpecAfterWord:
		for i := s.First; i < n-1; i++ {
			if IsWord(args[i], s.Word) {
				return i + 1, s.lastAfter(i+1, n)
			}
		}
	}
	return 0, -1
}

func (s *Keyspec) counted(args [][]byte) (first, last int) {
	if s.First >= len(args) {
		return 0, len(args)
	}
	first = s.First + 1
	n, ok := resp.ParseInt(args[s.First])
	if !ok || n < 1 || n > int64((len(args)-first)/s.Step) {
		return 0, len(args)
	}
	return first, first + (int(n)-1)*s.Step
}

func (s *Keyspec) lastAfter(first, n int) int {
	switch {
	case s.Limit > 0:
		return first + (n-first)/s.Limit - 1
	case s.Last >= 0:
		return first + s.Last
	}
	return n + s.Last
}

// fromEnd returns a position among n arguments, which counts from the end when negative.
func fromEnd(i, n int) int {
	if i < 0 {
		i += n
	}
	return i
}

// IsEmpty reports whether no argument is a key.
func (k Keys) IsEmpty() bool { return len(k.Specs) == 0 || k.Specs[0].Access == "not_key" }

// CountsAfterFirst reports whether counted keys follow one at a fixed position. Before 7.0, COMMAND
// GETKEYS shows that one last.
func (k Keys) CountsAfterFirst() bool {
	return len(k.Specs) == 2 && k.Specs[0].Kind == SpecFixed && k.Specs[1].Kind == SpecCounted
}

// movable reports whether the positions depend on the arguments.
func (k Keys) movable() bool {
	return k.find != nil || slices.ContainsFunc(k.Specs, func(s Keyspec) bool { return s.Kind != SpecFixed })
}

// Fixed returns the range of keys at fixed positions that the keys begin with, zeros if there is
// none. Before Redis had keyspecs, COMMAND INFO showed only this.
func (k Keys) Fixed() (first, last, step int) {
	for _, s := range k.Specs {
		if s.Kind != SpecFixed || first != 0 && s.First != last+1 {
			break
		}
		if first == 0 {
			first = s.First
		}
		last, step = s.Last, s.Step
	}
	return first, last, step
}
