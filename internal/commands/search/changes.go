package search

// changes is the keys that have changed, in the order of their last changes.
type changes struct {
	keys []string       // also those that changed again
	from int            // those before have been taken
	at   map[string]int // in keys, as it changed last
	text int            // bytes of the keys in at
	some bool           // there were some since the last batch of commands
}

// note notes a change.
func (ch *changes) note(key string) {
	ch.some = true
	if ch.at == nil {
		ch.at = make(map[string]int)
	}
	switch at, known := ch.at[key]; {
	case !known:
		ch.text += len(key)
	case at == len(ch.keys)-1:
		return
	}
	if len(ch.keys) > 2*len(ch.at)+mostChanges {
		ch.compact()
	}
	ch.at[key] = len(ch.keys)
	ch.keys = append(ch.keys, key)
}

// compact removes the places of keys that were taken or changed again.
func (ch *changes) compact() {
	kept := ch.keys[:0]
	for i, key := range ch.keys {
		if at, known := ch.at[key]; known && at == i {
			ch.at[key] = len(kept)
			kept = append(kept, key)
		}
	}
	clear(ch.keys[len(kept):])
	ch.keys, ch.from = kept, 0
}

// take takes the key whose last change is the oldest; ok is false if there is none.
func (ch *changes) take() (key string, ok bool) {
	for ch.from < len(ch.keys) {
		key = ch.keys[ch.from]
		ch.keys[ch.from] = ""
		ch.from++
		if at, known := ch.at[key]; known && at == ch.from-1 {
			delete(ch.at, key)
			ch.text -= len(key)
			return key, true
		}
	}
	*ch = changes{}
	return "", false
}

// rename says that the value of a key that has changed is at another key now.
func (ch *changes) rename(from, to string) {
	ch.some = true
	at := ch.at[from]
	if _, known := ch.at[to]; !known {
		ch.text += len(to)
	}
	ch.keys[at], ch.at[to] = to, at
	ch.at[from] = len(ch.keys)
	ch.keys = append(ch.keys, from)
}

// noted reports whether a key has changed.
func (ch *changes) noted(key string) bool {
	_, known := ch.at[key]
	return known
}

// changeBytes is what a change takes beside its key.
const changeBytes = 80

// bytes returns about how much memory the changes take.
func (ch *changes) bytes() int { return changeBytes*len(ch.at) + ch.text }
