package main

import (
	"fmt"
	"go/format"
	"strings"
)

// maxArguments is how many arguments a call may have in invoke_few.go: three, and the self of a
// method.
const maxArguments = 4

// calls returns invoke_few.go.
func calls() ([]byte, error) {
	var b strings.Builder
	b.WriteString(header)
	for n := range maxArguments + 1 {
		call(&b, []string{"a", "b", "d", "e"}[:n])
	}
	return format.Source([]byte(b.String()))
}

// call writes the call with these arguments.
func call(b *strings.Builder, args []string) {
	params, slots, slice := "v", "", "nil"
	if n := len(args); n > 0 {
		list := strings.Join(args, ", ")
		targets := make([]string, n)
		for i := range targets {
			targets[i] = fmt.Sprintf("g.slots[%d]", i)
		}
		params += ", " + list
		slots = strings.Join(targets, ", ") + " = " + list
		slice = "[]Value{" + list + "}"
	}
	fmt.Fprintf(b, `
// call%[1]d calls v with %[1]d arguments: see invoke.go.
func (f *frame) call%[1]d(%[2]s Value) *frame {
	if v.n != tagFunction {
		return f.L.apply(f, v, %[4]s)
	}
	L := f.L
	fn := (*Function)(v.p)
	top := L.top
	g := L.frameAt(top)
	p := fn.proto
	if p == nil {
		g.nargs = %[1]d
		%[3]s
		return L.host(f, fn, g, (frameWords+%[1]d)*valueBytes)
	}
	depth := int(f.depth) + p.weight
	if p.params != %[1]d || !L.ready(depth) {
		return L.apply(f, v, %[4]s)
	}
	%[3]s
	g.fn, g.prev, g.L = fn, f, L
	L.frame = g
	g.pc, g.tails, g.nret, g.depth = 0, 0, 0, int32(depth)
	L.top = top + p.frame
	sig := p.body(g)
	L.frame = f
	L.top = top
	if sig == recalls {
		return L.recall(f, g)
	}
	return g
}
`, len(args), params, slots, slice)
}
