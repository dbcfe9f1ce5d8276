package skiplist

import "github.com/miniserver-go/miniserver/ds/value"

// Memory returns where the nodes lie; nil for Go's heap.
func (l *List) Memory() value.Memory { return l.nodes.Memory() }

// Settle moves the nodes to mem, or with compact those that are in memory which is being emptied.
func (l *List) Settle(mem value.Memory, compact bool) { l.nodes.Settle(mem, compact) }

// Held returns the bytes of the blocks that Settle moves.
func (l *List) Held() int { return l.nodes.Held() }

// Drop frees about n blocks of a list that is not used for anything else any more, and reports
// whether there are more.
func (l *List) Drop(n int) (more bool) { return l.nodes.Drop(n) }
