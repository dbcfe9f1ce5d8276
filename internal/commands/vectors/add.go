package vectors

import (
	"github.com/miniserver-go/miniserver/ds/hnsw"
	"github.com/miniserver-go/miniserver/ds/vectors"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// The values that options have which are not there.
const (
	defaultM     = 16
	defaultAddEF = 200
)

// addition is the arguments of VADD.
type addition struct {
	components []float32
	reduced    int // to so many; 0 if they are not
	element    []byte
	kind       hnsw.Kind
	ef, m      int
	attributes []byte // nil if the option is not there

	told [][]byte // the arguments for replicas and journals
}

// VADD key [REDUCE dim] (FP32 blob | VALUES n number...) element [options]
//
// Of the options of a set, its kind and M, Redis wants the same ones in each call.
func cmdVAdd(c *engine.Call) {
	key := c.Arg()
	a := parseAddition(c)
	if !c.OK() {
		return
	}
	s, found := engine.Edit[*vectors.Set](c, key)
	if found {
		a.check(c, s)
	} else if !c.Failed() {
		s = a.set(c.World.Seed())
	}
	if !c.OK() {
		return
	}
	v := s.NewVector(a.components)
	added := s.Add(a.element, &v, a.attributes, a.ef)
	if !found {
		c.DB.Set(key, s, false)
	}
	c.Changed(key, event.Event{})
	c.PropagateAs(a.told...)
	c.Reply.Bool(added)
}

func parseAddition(c *engine.Call) (a addition) {
	if c.Word("REDUCE") {
		if a.reduced = int(c.IntIn(1, hnsw.MaxDim, errVector)); c.Failed() {
			return a
		}
	}
	a.components = parseVector(c)
	if n := len(a.components); a.reduced > n || a.reduced*n > vectors.MaxReduced {
		c.Refuse(errVector)
	}
	if !c.Failed() && c.Left() == 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	if c.Failed() {
		return a
	}
	a.element = c.Arg()
	a.kind, a.ef, a.m = hnsw.Int8, defaultAddEF, defaultM
	a.told = append(a.told, c.Args[:c.Pos()]...)
	for c.More() {
		if from := c.Pos(); a.option(c) {
			a.told = append(a.told, c.Args[from:c.Pos()]...)
		}
	}
	return a
}

// option takes an option, and reports whether it is told. CAS is not: a redis-server that is told
// it while it loads a journal may wait forever.
func (a *addition) option(c *engine.Call) bool {
	switch {
	case c.Word("CAS"):
		return false
	case c.Word("NOQUANT"):
		a.kind = hnsw.Float
	case c.Word("BIN"):
		a.kind = hnsw.Bit
	case c.Word("Q8"):
		a.kind = hnsw.Int8
	case c.Left() < 2:
		c.Refuse(errAfter)
	case c.Word("EF"):
		a.ef = int(c.IntIn(1, hnsw.MaxEF, errEF))
	case c.Word("M"):
		a.m = int(c.IntIn(hnsw.MinM, hnsw.MaxM, errM))
	case c.Word("SETATTR"):
		a.attributes = c.Arg()
	default:
		c.Refuse(errAfter)
	}
	return true
}

// check latches an error if what is added does not fit the set.
func (a *addition) check(c *engine.Call, s *vectors.Set) {
	o, n := s.Options(), len(a.components)
	switch {
	case a.kind != o.Kind:
		c.Refuse(errKind)
	case a.m != o.M:
		c.Refuse(errOtherM)
	case o.Input == 0 && n != o.Dim, o.Input > 0 && a.reduced != o.Dim:
		c.Refusef(errDim, n, o.Dim)
	case o.Input == 0 && a.reduced > 0:
		c.Refuse(errReduce)
	case o.Input > 0 && n != o.Input:
		c.Refusef(errInput, n, o.Input)
	}
}

// set returns an empty set that what is added fits.
func (a *addition) set(seed uint64) *vectors.Set {
	o := vectors.Options{Kind: a.kind, Dim: len(a.components), M: a.m}
	if a.reduced > 0 {
		o.Dim, o.Input = a.reduced, len(a.components)
	}
	return vectors.New(o, seed)
}

// VREM key element
func cmdVRem(c *engine.Call) {
	key := c.Arg()
	s, found := engine.Edit[*vectors.Set](c, key)
	if !c.OK() {
		return
	}
	removed := found && s.Remove(c.Arg())
	if removed {
		c.Changed(key, event.Event{})
	}
	c.Reply.Bool(removed)
}

// VSETATTR key element attributes
func cmdVSetAttr(c *engine.Call) {
	key := c.Arg()
	s, found := engine.Edit[*vectors.Set](c, key)
	if !c.OK() {
		return
	}
	set := found && s.SetAttributes(c.Arg(), c.Arg())
	if set {
		c.Changed(key, event.Event{})
	}
	c.Reply.Bool(set)
}

// similarity returns a distance as replies tell it: 1 for equal directions, 0 for opposite ones.
func similarity(distance float32) float64 { return 1 - float64(distance)/2 }
