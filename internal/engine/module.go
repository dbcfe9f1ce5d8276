package engine

import "github.com/miniserver-go/miniserver/internal/release"

// Module is a module of Redis or Valkey whose commands a part has. Clients ask which modules a
// server has before they use the commands, by MODULE LIST, INFO or HELLO. Nothing is loaded here.
type Module struct {
	Name    string
	Since   string // the releases that have it in this version, in the notation of package release
	Version int64  // 20803 is 2.8.3
	Path    string // of its file; "" for one that is built in
	Options string // of INFO, separated by |
}

// Modules returns the modules that the release has, in the order in which parts named them. A part
// names a module once for each version that it had, the oldest first.
func (e *Engine) Modules() (list []Module) {
	for _, p := range e.Parts.List {
		for _, m := range p.Modules {
			switch last := len(list) - 1; {
			case !e.Release.Has(release.From(m.Since)):
			case last >= 0 && list[last].Name == m.Name:
				list[last] = m
			default:
				list = append(list, m)
			}
		}
	}
	return list
}
