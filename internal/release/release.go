// Package release knows the releases of Redis and Valkey as one of which a server behaves, and
// compares what came, changed or went with them.
//
//	"7.4.0"                  Redis since 7.4, and no Valkey
//	"6.2.0"                  Redis since 6.2, and every Valkey, which has all of Redis up to 7.2
//	"8.2.0 valkey:8.0.0"     Redis since 8.2, and Valkey since 8.0
//	"valkey:8.1.0"           Valkey since 8.1, and no Redis
//	"8.0.0 redis-stack:7.4"  Redis since 8.0, and Redis Stack, whose modules that has, since 7.4
//	"bloom:1.0.0"            a module, another server, or this server itself: in every release
//
// Such a text stands beside the command, the option or the behaviour that it is about.
package release

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Release is a release of Redis or Valkey.
type Release struct {
	Name    string // as users choose it: "redis:7.2"
	Product string // what the server says it is: "redis" or "valkey"
	Stack   bool   // a Redis with the modules of Redis Stack, which is older than Redis 8
	Version string // with the patch level, as HELLO shows it: "7.2.5"
	Redis   string // the version of Redis that it is compatible with, as INFO shows it: its own if it is Redis

	number version

	// Open says that commands and options of later releases are there too. Behaviour is that of the
	// release all the same.
	Open bool

	// Documented says that the release is known from its documentation. The others are compared
	// with their servers.
	Documented bool
}

// Known are the releases that can be chosen, of each product oldest first.
var Known = []Release{
	of("redis:6.2", "6.2.14"), of("redis:7.0", "7.0.15"), of("redis:7.2", "7.2.5"), of("redis:7.4", "7.4.1"),
	of("redis:8.0", "8.0.2"), documented("redis:8.2", "8.2.9"), documented("redis:8.4", "8.4.6"),
	of("redis:8.6", "8.6.3"), documented("redis:8.8", "8.8.2"), documented("redis:8.10", "8.10.2"),
	of("valkey:8.1", "8.1.1"), documented("valkey:9.0", "9.0.7"), of("valkey:9.1", "9.1.2"),
	of("redis-stack:7.4", "7.4.1"),
}

// stack is the product of releases with the modules of Redis Stack.
const stack = "redis-stack"

// Default is the release of a server for which none was chosen: Redis 8.6 with the commands and
// options of all later releases.
var Default = func() Release {
	r := of("redis:8.6", "8.6.3")
	r.Name, r.Open = "default", true
	return r
}()

func of(name, patch string) Release {
	r := Release{Name: name, Version: patch, Redis: patch, number: parseVersion(patch)}
	r.Product, _, _ = strings.Cut(name, ":")
	switch r.Product {
	case stack:
		r.Product, r.Stack = "redis", true
	case "valkey":
		r.Redis = fork
	}
	return r
}

// documented returns a release that is known from its documentation.
func documented(name, patch string) Release {
	r := of(name, patch)
	r.Documented = true
	return r
}

// Exactly returns the release of that product, such as "redis-stack", with that version, known or
// not. The version is well-formed, such as "8.0.6".
func Exactly(product, version string) *Release {
	r := of(product+":"+version, version)
	return &r
}

// Told returns the release that another server says it is; nil if the text is no version, of which
// no part is above 255. An unstable Valkey says 255.255.255.
func Told(product, version string) *Release {
	for word := range strings.SplitSeq(version, ".") {
		if _, err := strconv.ParseUint(word, 10, 8); err != nil {
			return nil
		}
	}
	if strings.Count(version, ".") > 2 {
		return nil
	}
	return Exactly(product, version)
}

// Find returns the release that a user names: one of Known, such as "redis:7.2", or "default".
func Find(name string) (*Release, error) {
	var names []string
	for _, r := range append(Known[:len(Known):len(Known)], Default) {
		if r.Name == strings.ToLower(name) {
			return &r, nil
		}
		names = append(names, r.Name)
	}
	return nil, fmt.Errorf("unknown release %q; it must be one of the following: %s", name, strings.Join(names, ", "))
}

// Parse returns the release that a version names, of Redis unless the product stands before it:
// "7.0", "5.0.14" or "valkey:8.1". It is one of Known if that begins so, else the newest one with
// the numbers that are given.
func Parse(text string) (*Release, error) {
	product, version, named := strings.Cut(strings.ToLower(text), ":")
	if !named {
		product, version = "redis", product
	}
	if r, err := Find(product + ":" + version); err == nil {
		return r, nil
	}
	if product != "redis" && product != "valkey" || !wellFormed.MatchString(version) {
		return nil, fmt.Errorf("malformed release %q; write a version such as 7.0, 6.2.5 or valkey:8.1", text)
	}
	number := version
	if strings.Count(version, ".") < 2 {
		number += ".99"
	}
	r := of(product+":"+version, number)
	r.Version = version
	return &r, nil
}

var wellFormed = regexp.MustCompile(`^\d{1,2}(\.\d{1,2}){1,2}$`)

// String returns the product and the version in words, "Redis 7.2.5".
func (r *Release) String() string { return r.Named(r.Version) }

// Named returns another version of the product in words.
func (r *Release) Named(version string) string {
	name := strings.ToUpper(r.Product[:1]) + r.Product[1:]
	if r.Stack {
		name += " Stack"
	}
	return name + " " + version
}

// Is reports whether the release is one of a product as users name it, such as "redis-stack".
func (r *Release) Is(product string) bool { return r.Product == product || r.Stack && product == stack }

// Has reports whether the release has what came with since.
func (r *Release) Has(since Since) bool {
	if r.Product == "valkey" {
		return r.number >= since.valkey
	}
	return r.number >= since.redis || r.Stack && r.number >= since.stack
}

// Shows reports whether the release says of itself what came with since. An open release says what
// all later releases of Redis do, not what only Valkey does.
func (r *Release) Shows(since Since) bool { return r.Has(since) || r.Open && since.InRedis() }

// Offers is Has for commands and options, of which an open release has all.
func (r *Release) Offers(since Since) bool { return r.Open || r.Has(since) }

// Extends is Offers for what came to a command that was there. What other servers added to it only
// an open release has.
func (r *Release) Extends(since Since) bool { return r.Open || r.Has(since) && !since.foreign }

// Since is the releases from which on something is there.
type Since struct {
	redis, valkey version
	stack         version // of Redis with the modules, if it has it earlier than Redis
	foreign       bool    // neither Redis nor Valkey ever had it
	text          string
}

// NoValkey is when what no Valkey has came: before it are all Valkeys and no Redis.
const NoValkey = "1.0.0 valkey:999.0.0"

// InRedis reports whether a release of Redis has it.
func (s Since) InRedis() bool { return s.redis != never }

// Foreign reports whether neither Redis nor Valkey ever had it, but a module, another server, or
// only this one.
func (s Since) Foreign() bool { return s.foreign }

// fork is the version of Redis that Valkey began with.
const fork = "7.2.4"

// From reads the text of a Since, in the notation of the package; "" is in every release. It panics
// if the text is malformed. Such texts are constants, so each is read once.
func From(text string) Since {
	if text == "" {
		return Since{}
	}
	if known, ok := since.Load(text); ok {
		return known.(Since)
	}
	s := read(text)
	since.Store(text, s)
	return s
}

// since has what From has read, by the text.
var since sync.Map

func read(text string) Since {
	s := Since{redis: never, valkey: never, stack: never, text: text}
	for word := range strings.FieldsSeq(text) {
		product, number, named := strings.Cut(word, ":")
		switch {
		case !named:
			if s.redis = parseVersion(word); s.redis <= parseVersion(fork) {
				s.valkey = s.redis
			}
		case product == "valkey":
			s.valkey = parseVersion(number)
		case product == stack:
			s.stack = parseVersion(number)
		default:
			_ = parseVersion(number)
			s.redis, s.valkey, s.foreign = 0, 0, true
		}
	}
	return s
}

// ByName returns the releases of each name, of names separated by blanks by the text of their
// releases.
func ByName(names map[string]string) map[string]Since {
	byName := make(map[string]Since)
	for since, list := range names {
		for name := range strings.FieldsSeq(list) {
			byName[name] = From(since)
		}
	}
	return byName
}

// In returns the version at which it came to the product of r: what COMMAND DOCS shows. It is the
// first one of the text if the product has none.
func (s Since) In(r *Release) string {
	first, wanted := "", r.Product
	if r.Stack && s.stack != never {
		wanted = stack
	}
	for word := range strings.FieldsSeq(s.text) {
		product, number, named := strings.Cut(word, ":")
		if !named {
			product, number = "redis", word
		}
		if product == wanted {
			return number
		}
		if first == "" {
			first = number
		}
	}
	return first
}

// version is a version as one number that can be compared.
type version int

const never version = 1 << 30

// parseVersion reads "7", "7.2" or "7.2.5". It panics if the text is malformed: such texts are
// constants, or were checked.
func parseVersion(text string) (v version) {
	words := strings.Split(text, ".")
	for i := range 3 {
		n := 0
		if i < len(words) {
			var err error
			if n, err = strconv.Atoi(words[i]); err != nil || n < 0 || n >= part {
				panic(fmt.Sprintf("release: malformed version %q", text))
			}
		}
		v = v*part + version(n)
	}
	return v
}

// part is more than a part of a version may be.
const part = 1000

// Number returns a version as scripts see it: a byte for each part, 0x070205 for 7.2.5.
func Number(text string) int {
	n := int(parseVersion(text))
	return n/(part*part)<<16 | n/part%part<<8 | n%part
}
