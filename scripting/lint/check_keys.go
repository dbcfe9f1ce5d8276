package lint

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/slot"
)

// keyRules are the rules about keys that no caller has declared. In a cluster the caller's KEYS
// decide which node runs the script, and a key that is not among them may lie on another one.
type keyRules struct {
	told  map[string]bool // names of keys that were looked at; each is reported once
	slots []slotted       // the keys by the slot they may lie in, in the order of their use
	apart bool            // two of them were reported; one pair is enough
}

// check finds keys that are not elements of KEYS. It reports each of them once. An element of KEYS
// that is a whole key, and what is unknown, is right. A silent turn does not count as told.
func (r *keyRules) check(c *invocation) {
	for _, k := range c.keys() {
		if r.told[k.name()] {
			continue
		}
		switch from, whole := k.origin(); {
		case whole && from == fromConstant:
			c.run.report("constant-key", k.at, "The key %s of %s is a constant: pass it in KEYS.", written(k.value), c)
		case whole && from == fromArgv:
			c.run.report("argument-key", k.at, "The key of %s is %s: pass it in KEYS.", c, k.name())
		case whole && from == fromData:
			c.run.report("data-key", k.at,
				"The key of %s comes from the reply of %s: no caller can declare it in KEYS.", c, k.parts[0].name)
		case !whole && !k.hasTagOfKey():
			c.run.report("built-key", k.at, "The key %s of %s is built here: pass the whole key in KEYS.",
				written(k.value), c)
		}
		r.told[k.name()] = c.run.silent == 0
	}
}

// hasTagOfKey reports whether the text has an element of KEYS between its braces, by which a key is
// in the same slot as that one.
func (v *value) hasTagOfKey() bool {
	tag := tagOf(v.parts)
	return len(tag) == 1 && len(tag) < len(v.parts) && tag[0].from == fromKeys
}

// origin returns where a text comes from; whole means all of it from one source. Several constants
// are one. Of a text that was built of several sources the first part's is returned.
func (v *value) origin() (from source, whole bool) {
	if len(v.parts) == 0 {
		return fromUnknown, true
	}
	constant := true
	for _, p := range v.parts {
		constant = constant && p.from == fromConstant
	}
	if constant {
		return fromConstant, true
	}
	return v.parts[0].from, len(v.parts) == 1
}

// written returns a text as one would write it in Lua, with ... for what is unknown.
func written(v *value) string {
	var words []string
	for _, p := range v.parts {
		word := "..."
		switch p.from {
		case fromConstant:
			word = "'" + p.name + "'"
		case fromKeys, fromArgv:
			word = p.name
		}
		if word != "..." || len(words) == 0 || words[len(words)-1] != "..." {
			words = append(words, word)
		}
	}
	text := strings.Join(words, " .. ")
	if most := 80; len(text) > most {
		text = text[:most] + " ..."
	}
	return text
}

// slotted is a key that was not passed whole, by what decides about its slot.
type slotted struct {
	fixed bool // the slot is known
	slot  uint16
	parts []string // else the names of what decides
	text  string
}

// checkSlots finds two keys that the caller did not pass and that may lie in different slots. Keys
// built from one element of KEYS count as one slot with it: its {tag} may decide. So do keys that
// share another part. It reports one pair.
func (r *keyRules) checkSlots(c *invocation) {
	for _, k := range c.keys() {
		if r.apart {
			return
		}
		s, ok := slotOf(k.value)
		if !ok {
			continue
		}
		for _, other := range r.slots {
			if s.apart(other) {
				c.run.report("cross-slot", k.at, "The keys %s and %s may be in different slots of a cluster: give "+
					"both the same {tag}.", other.text, s.text)
				r.apart = c.run.silent == 0
				return
			}
		}
		if c.run.silent == 0 {
			r.slots = append(r.slots, s)
		}
	}
}

// slotOf returns what decides about the slot of a key; ok is false if that is unknown, or an
// element of KEYS. An element of ARGV decides by its name: two keys with the same one share a slot,
// unless it holds a brace, which is not known here.
func slotOf(v *value) (s slotted, ok bool) {
	s.text = written(v)
	if from, whole := v.origin(); from == fromConstant && v.exact {
		s.fixed, s.slot = true, slot.Of([]byte(v.text))
		return s, true
	} else if whole {
		return s, false
	}
	parts := tagOf(v.parts)
	for _, p := range parts {
		switch p.from {
		case fromKeys, fromUnknown, fromData:
			return s, false
		case fromArgv:
			s.parts = append(s.parts, p.name)
		}
	}
	if s.parts == nil {
		s.fixed, s.slot = true, slot.Of([]byte(parts[0].name))
	}
	return s, true
}

// tagOf returns the parts inside the first braces that constants open and close, all parts if there
// are none. As in a cluster, an empty tag is none, and only the first pair of braces counts.
func tagOf(parts []part) []part {
	for i, p := range parts {
		if p.from != fromConstant {
			continue
		}
		_, behind, opens := strings.Cut(p.name, "{")
		if !opens {
			continue
		}
		if tag, _, closes := strings.Cut(behind, "}"); closes && tag != "" {
			return []part{{fromConstant, tag}}
		}
		for j := i + 1; j < len(parts); j++ {
			if parts[j].from == fromConstant && strings.HasPrefix(parts[j].name, "}") && behind == "" {
				return parts[i+1 : j]
			}
		}
	}
	return parts
}

// apart reports whether two keys may lie in different slots: if both slots are known and differ, or
// else if the keys share nothing that decides.
func (s slotted) apart(other slotted) bool {
	if s.fixed && other.fixed {
		return s.slot != other.slot
	}
	return !slices.ContainsFunc(s.parts, func(name string) bool { return slices.Contains(other.parts, name) })
}

// reportUnused finds elements of KEYS and ARGV that the program does not use, though it uses later
// ones. It does not know how many a caller passes, so elements behind the last one used say
// nothing.
func (r *run) reportUnused() {
	for _, in := range r.inputs {
		last := 0
		for n := range in.used {
			last = max(last, n)
		}
		for n := 1; n < last && !in.all; n++ {
			if _, used := in.used[n]; !used {
				r.report(ruleUnused(in.from), in.used[last], "%s[%d] is never used, but %s[%d] is: leave it out, "+
					"or say why it is passed.", in.name, n, in.name, last)
				break
			}
		}
	}
}

func ruleUnused(from source) string {
	if from == fromKeys {
		return "unused-key"
	}
	return "unused-argument"
}
