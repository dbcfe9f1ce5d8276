// Package config is parameters: what CONFIG, the flags and the configuration file set. It knows how
// a value is written and checked, and in which releases there is a parameter; what a parameter does
// is its owner's.
//
//	param.go     one parameter, and how those of each kind are written
//	table.go     those of a server, as its release has them
//	ignored.go   those of Redis that are accepted and have no effect
//	unknown.go   what to say of other names
package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Param is one parameter of CONFIG GET and SET, of the flags and of the configuration file.
type Param struct {
	Name    string
	Aliases []string
	Get     func() string
	// Set takes a new value and returns an error, in Redis' words, or nil.
	Set func(value string) error
	// Apply has what was set take effect, after all parameters of a CONFIG SET were, for those that
	// only make sense together. Not at the start. It may be nil.
	Apply     func() error
	Immutable bool   // only at start
	Protected bool   // changed by CONFIG SET only if enable-protected-configs lets it
	Hidden    bool   // not shown by patterns: CONFIG GET must name it
	Secret    bool   // not shown by MONITOR and the slow log
	List      bool   // several words in a configuration file
	Each      bool   // each of the words is a value of its own, which Set adds; several lines add theirs
	Switch    bool   // yes if it stands alone in a configuration file
	Optional  bool   // empty if no line of a configuration file sets it
	Fitted    bool   // by default it suits the machine
	Note      string // what else help says of it, a sentence

	inert bool // has no effect, and gives way to one that has
}

// Errors of the parameters' setters.
const (
	ErrInt          = command.Error("argument couldn't be parsed into an integer")
	ErrMemory       = command.Error("argument must be a memory value")
	ErrPercent      = command.Error("argument must be a memory or percent value")
	ErrPercentRange = command.Error("percentage argument must be less or equal to 100")
	ErrBool         = command.Error("argument must be 'yes' or 'no'")
	ErrRange        = "argument must be between %d and %d inclusive"
	ErrEnum         = "argument(s) must be one of the following: %s"
	ErrCount        = command.Error("wrong number of arguments")

	errTitle = command.Error("template format is invalid or contains unknown variables")
)

// Choice is the error of a parameter that must be one of these words.
type Choice string

// NotOneOf returns the error for a value that is none of the words.
func NotOneOf(words ...string) error { return Choice(strings.Join(words, ", ")) }

// Error returns the error as Redis has worded it since 7.0.
func (words Choice) Error() string { return fmt.Sprintf(ErrEnum, string(words)) }

// Int is a parameter that is an integer between lo and hi.
func Int[T int | int64 | uint32 | uint64](name string, p *T, lo, hi int64, aliases ...string) Param {
	return Param{Name: name, Aliases: aliases,
		Get: func() string { return strconv.FormatInt(int64(*p), 10) },
		Set: func(v string) error {
			n, err := strconv.ParseInt(v, 10, 64)
			switch {
			case err != nil:
				return ErrInt
			case n < lo || n > hi:
				return command.Errorf(ErrRange, lo, hi)
			}
			*p = T(n)
			return nil
		}}
}

// Release is like, the release as which the server behaves. An engine needs its value when it is
// made.
func Release(r **release.Release) Param {
	return Param{Name: "like", Note: documented(), Get: func() string { return (*r).Name }, Set: func(v string) error {
		found, err := release.Find(v)
		if err == nil {
			*r = found
		}
		return err
	}}
}

// documented says which releases no test compares with their servers.
func documented() string {
	var names []string
	for _, r := range release.Known {
		if r.Documented {
			names = append(names, r.Name)
		}
	}
	return "Made after their documentation: " + strings.Join(names, ", ") +
		". The others are compared with their servers."
}

// Memory is a parameter in bytes that takes units such as 100mb.
func Memory[T int | int64](name string, p *T, lo int64, aliases ...string) Param {
	return Param{Name: name, Aliases: aliases,
		Get: func() string { return strconv.FormatInt(int64(*p), 10) },
		Set: func(v string) error {
			n, ok := ParseMemory(v)
			switch {
			case !ok:
				return ErrMemory
			case n < uint64(lo) || n > math.MaxInt64:
				return command.Errorf(ErrRange, lo, int64(math.MaxInt64))
			}
			*p = T(n)
			return nil
		}}
}

// Bool is a parameter that is yes or no.
func Bool(name string, p *bool, aliases ...string) Param {
	return Param{Name: name, Aliases: aliases,
		Get: func() string { return YesNo(*p) },
		Set: func(v string) error {
			switch strings.ToLower(v) {
			case "yes":
				*p = true
			case "no":
				*p = false
			default:
				return ErrBool
			}
			return nil
		}}
}

// Text is a parameter that is any text.
func Text(name string, p *string, aliases ...string) Param {
	return Param{Name: name, Aliases: aliases,
		Get: func() string { return *p },
		Set: func(v string) error { *p = v; return nil }}
}

// Enum is a parameter that is one of a few words.
func Enum(name string, p *string, words ...string) Param {
	return Param{Name: name,
		Get: func() string { return *p },
		Set: func(v string) error {
			i := slices.IndexFunc(words, func(word string) bool { return strings.EqualFold(word, v) })
			if i < 0 {
				return NotOneOf(words...)
			}
			*p = words[i]
			return nil
		}}
}

// Words is a parameter of any number of words, to which several lines of a configuration file may
// add. An empty word removes those before it.
func Words(name string, list *[]string) Param {
	return Param{Name: name, List: true, Each: true, Optional: true,
		Get: func() string {
			quoted := slices.Clone(*list)
			for i, word := range quoted {
				if strings.ContainsAny(word, " \t\r\n\"'") {
					quoted[i] = string(resp.Quote(nil, word))
				}
			}
			return strings.Join(quoted, " ")
		},
		Set: func(v string) error {
			if *list = append(*list, v); v == "" {
				*list = nil
			}
			return nil
		}}
}

// SetWords sets the parameter to the words of a line of a configuration file.
func (p *Param) SetWords(words []string) error {
	if !p.Each {
		return p.Set(strings.Join(words, " "))
	}
	for _, w := range words {
		if err := p.Set(w); err != nil {
			return err
		}
	}
	return nil
}

// Bare reports whether the parameter's name may stand alone in a configuration file, for no value:
// "save".
func (p *Param) Bare() bool { return p.List && !p.Optional }

// AtStart returns p as a parameter that CONFIG SET refuses.
func (p Param) AtStart() Param {
	p.Immutable = true
	return p
}

// Inert returns p as one that has no effect, and gives way to one of its name that has.
func (p Param) Inert() Param {
	p.inert = true
	return p
}

// Then returns p with something to do after each Set, whether it took the value or not.
func (p Param) Then(do func()) Param {
	set := p.Set
	p.Set = func(value string) error {
		defer do()
		return set(value)
	}
	return p
}

// AsSwitch returns a parameter of two values, yes and no, as one that may stand alone for yes.
func (p Param) AsSwitch() Param {
	p.Switch = true
	return p
}

// YesNo returns "yes" or "no".
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

var memoryUnits = map[string]uint64{"": 1, "b": 1, "k": 1000, "kb": 1 << 10, "m": 1000 * 1000, "mb": 1 << 20,
	"g": 1000 * 1000 * 1000, "gb": 1 << 30}

// ParseMemory reads a number of bytes with an optional unit, as redis.conf takes it: 1k is 1000,
// 1kb is 1024. As in Redis it is 0 without digits, digits beyond 64 bits are the greatest number
// that has them, and a unit may make the number wrap around.
func ParseMemory(s string) (bytes uint64, ok bool) {
	s = strings.ToLower(s)
	digits := strings.TrimRight(s, "bkmg")
	unit, known := memoryUnits[s[len(digits):]]
	if !known || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, _ := strconv.ParseUint("0"+digits, 10, 64) // the greatest number if it is out of range
	return n * unit, true
}
