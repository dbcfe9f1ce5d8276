package engine

import (
	"cmp"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
)

// Blocked is a blocked command. Its methods are used under the lock.
type Blocked struct {
	session  *Session
	cmd      *command.Command
	args     [][]byte
	keys     []dbKey
	deadline int64 // milliseconds since the epoch; 0 for none
	timeout  func(s *Session)
	seq      int64
	onDelete bool  // it runs again also when a key is deleted
	curious  bool  // it runs again when other clients block, subscribe or meet a fault: see WakeOnClients
	wakeAt   int64 // milliseconds since the epoch when it runs again without a change; 0 for never
	micros   int64 // that its runs took
	held     int   // bytes: see Hold
}

// Session returns the session that is blocked.
func (b *Blocked) Session() *Session { return b.session }

// Hold says how many bytes the command holds for its client while it is blocked, which then count
// as the client's. The command must not have ended.
func (b *Blocked) Hold(bytes int) {
	b.session.kept.Add(bytes - b.held)
	b.held = bytes
}

// Command returns the blocked command.
func (b *Blocked) Command() *command.Command { return b.cmd }

// Keys returns the names of the keys on which it is blocked.
func (b *Blocked) Keys() (names []string) {
	for _, k := range b.keys {
		names = append(names, k.key)
	}
	return names
}

// Blocked returns the blocked commands, the oldest first. The slice belongs to the engine.
func (w *World) Blocked() []*Blocked { return w.blocked.all }

// blockedClients is the register of blocked commands, by key and by age.
type blockedClients struct {
	keys map[dbKey][]*Blocked // oldest first
	all  []*Blocked
	// Keys that changed while commands are blocked on them, in the order of the changes; not nil if
	// after is not.
	ready    []dbKey
	onDelete int        // commands in the register with onDelete
	curious  []*Blocked // those of that name
	stirred  bool       // they are to run again; then ready is not nil either
	after    []afterwards
	asked    *Session // the session of which after runs; nil for none
	seq      int64
}

// afterwards is what a session's command has left to do: see Call.Afterwards.
type afterwards struct {
	session *Session
	run     func()
}

func newBlockedClients() blockedClients { return blockedClients{keys: make(map[dbKey][]*Blocked)} }

func (ws *blockedClients) add(b *Blocked) {
	ws.seq++
	b.seq = ws.seq
	ws.all = append(ws.all, b)
	for _, k := range b.keys {
		if list := ws.keys[k]; len(list) == 0 || list[len(list)-1] != b { // a key may be named twice
			ws.keys[k] = append(list, b)
		}
	}
}

// remove takes a command off the register and unblocks its session.
func (ws *blockedClients) remove(b *Blocked) {
	if b.session.blocked = nil; b.onDelete {
		ws.onDelete--
	}
	b.session.kept.Add(-commandBytes(b.args) - b.held)
	ws.all = without(ws.all, b)
	for _, k := range b.keys {
		if left := without(ws.keys[k], b); len(left) == 0 {
			delete(ws.keys, k)
		} else {
			ws.keys[k] = left
		}
	}
	if b.curious {
		ws.curious = without(ws.curious, b)
	} else {
		ws.stir()
	}
}

// stir is called when what a client waits for or listens to has changed, or a fault has struck or
// ended.
func (ws *blockedClients) stir() {
	if len(ws.curious) == 0 {
		return
	}
	if ws.stirred = true; ws.ready == nil {
		ws.ready = []dbKey{}
	}
}

// without returns a list, which is ordered by age, without b. Removing the oldest, which is served
// first, takes O(1).
func without(list []*Blocked, b *Blocked) []*Blocked {
	i, ok := slices.BinarySearchFunc(list, b.seq, (*Blocked).compare)
	switch {
	case !ok:
		return list
	case i == 0:
		list[0] = nil
		return list[1:]
	}
	return slices.Delete(list, i, i+1)
}

// keysAwaitingDeletion returns the number of keys whose deletion ends a blocked command.
func (ws *blockedClients) keysAwaitingDeletion() (n int) {
	if ws.onDelete == 0 {
		return 0
	}
	for _, list := range ws.keys {
		if slices.ContainsFunc(list, func(b *Blocked) bool { return b.onDelete }) {
			n++
		}
	}
	return n
}

func (b *Blocked) compare(seq int64) int { return cmp.Compare(b.seq, seq) }

// nextAfter returns the oldest command that is blocked on k and younger than seq, or nil.
func (ws *blockedClients) nextAfter(k dbKey, seq int64) *Blocked {
	list := ws.keys[k]
	if i, _ := slices.BinarySearchFunc(list, seq+1, (*Blocked).compare); i < len(list) {
		return list[i]
	}
	return nil
}

// signal marks a key as ready, if a command is blocked on it.
func (ws *blockedClients) signal(db int, key []byte) {
	if _, ok := ws.keys[dbKey{db, string(key)}]; !ok {
		return
	}
	k := dbKey{db, string(key)}
	if !slices.Contains(ws.ready, k) {
		ws.ready = append(ws.ready, k)
	}
}
