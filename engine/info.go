package engine

import "bytes"

// Section is one section of INFO. Packages contribute theirs with AddSections.
type Section struct {
	Name   string // as it is asked for and as its heading shows it, "Memory"
	Hidden bool   // only shown when asked for by name, or by all and everything
	Fill   func(b *bytes.Buffer)
}

// AddSections puts sections into INFO, in order.
func (e *Engine) AddSections(s ...Section) { e.sections = append(e.sections, s...) }
