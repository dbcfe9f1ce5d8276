package pubsub

import "github.com/miniserver-go/miniserver/internal/engine"

// table has the subscribers of each name of one kind.
type table map[string]*subscribers

func (t table) add(s *engine.Session, name string) {
	to := t[name]
	if to == nil {
		to = &subscribers{index: make(map[*engine.Session]int)}
		t[name] = to
	}
	to.add(s)
}

func (t table) remove(s *engine.Session, name string) {
	if from := t[name]; from != nil && from.remove(s) == 0 {
		delete(t, name)
	}
}

// subscribers returns the subscribers of a name. The slice belongs to the table.
func (t table) subscribers(name []byte) []*engine.Session {
	if of := t[string(name)]; of != nil {
		return of.list
	}
	return nil
}

// subscribers is a set of sessions. The list is for going through them, which PUBLISH does; the
// index makes removal O(1), in a channel with very many subscribers.
type subscribers struct {
	list  []*engine.Session
	index map[*engine.Session]int
}

func (a *subscribers) add(s *engine.Session) {
	if _, there := a.index[s]; !there {
		a.index[s] = len(a.list)
		a.list = append(a.list, s)
	}
}

// remove removes a session, if it is there, and returns how many are left. The last one takes its
// place in the list.
func (a *subscribers) remove(s *engine.Session) int {
	at, ok := a.index[s]
	if !ok {
		return len(a.list)
	}
	last := len(a.list) - 1
	a.list[at] = a.list[last]
	a.index[a.list[at]] = at
	a.list[last] = nil
	a.list = a.list[:last]
	delete(a.index, s)
	return last
}
