package suggest

import "github.com/miniserver-go/miniserver/ds/value"

// module is how RediSearch saves a dictionary: the number of texts, then of each, in the order of
// the trie,
//
//	text | score | payload
//
// Both texts end with a zero; the zero alone is no payload. Version 0 has no payloads.
var module = &value.Module{Name: "trietype0", Version: version, Save: save, Load: load}

const version = 1

func save(v value.Value, to value.PartWriter) {
	d := v.(*Dictionary)
	to.Uint(uint64(d.count))
	var text []byte
	d.Each(func(s Suggestion) {
		text = append(append(text[:0], s.Text...), 0)
		to.Text(text)
		to.Double(float64(s.Score))
		text = append(append(text[:0], s.Payload...), 0)
		to.Text(text)
	})
}

func load(from value.PartReader, written int) value.Value {
	if written > version {
		from.Fail("suggestions of version %d cannot be read", written)
		return nil
	}
	d := New()
	for n := from.Uint(); n > 0 && from.OK(); n-- {
		text, score, payload := from.Text(), from.Double(), []byte{0}
		if written > 0 {
			payload = from.Text()
		}
		if !from.OK() {
			return nil
		}
		if !d.loadOne(text, score, payload) {
			from.Fail("a suggestion is damaged")
			return nil
		}
	}
	if !from.OK() {
		return nil
	}
	return d
}

// loadOne adds a suggestion. It returns false if it cannot be one. A score of 0, which increments
// may have made, stays, while RediSearch loses it.
func (d *Dictionary) loadOne(text []byte, score float64, payload []byte) bool {
	if len(text) == 0 || len(payload) == 0 || score != score {
		return false
	}
	runes := d.runes(text[:len(text)-1])
	if len(runes) == 0 {
		return false
	}
	d.add(d.root, runes, entry{float32(score), false, payload[:len(payload)-1]})
	return true
}
