package debugger

// Key is a key that a script has used.
type Key struct {
	Name    string
	Read    bool
	Written bool // by a command that may write it, whether it has changed anything or not
}

// touched are the keys that a script has used, in the order of their first use.
type touched struct {
	keys []Key
	at   map[string]int
}

// Touch notes that the script uses a key.
func (d *Debugger) Touch(name string, reads, writes bool) {
	if d.evaluating {
		return
	}
	t := &d.touched
	at, known := t.at[name]
	if !known {
		if t.at == nil {
			t.at = make(map[string]int)
		}
		at = len(t.keys)
		t.at[name] = at
		t.keys = append(t.keys, Key{Name: name})
	}
	t.keys[at].Read = t.keys[at].Read || reads
	t.keys[at].Written = t.keys[at].Written || writes
}

// Touched returns the keys that the script has used so far, in the order of their first use. What
// the front end did does not count.
func (d *Debugger) Touched() []Key { return d.touched.keys }
