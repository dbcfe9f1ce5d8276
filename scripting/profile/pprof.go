package profile

import (
	"bytes"
	"cmp"

	"github.com/google/pprof/profile"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// PProf returns the times as a gzipped profile of pprof. Its samples are the lines of Lua functions and the host functions, with
// the number of calls and the nanoseconds of each.
func (t *Times) PProf() ([]byte, error) {
	p := &builder{
		Profile: &profile.Profile{
			SampleType:        []*profile.ValueType{{Type: "calls", Unit: "count"}, {Type: "time", Unit: "nanoseconds"}},
			DefaultSampleType: "time",
			PeriodType:        &profile.ValueType{Type: "time", Unit: "nanoseconds"},
			Period:            1,
		},
		functions: make(map[place]*profile.Function), locations: make(map[place]*profile.Location), scripts: t.scripts(),
	}
	nodes := t.Tree.Nodes()
	stacks := make([][]*profile.Location, len(nodes)) // of the places from which the nodes were called
	for n := 1; n < len(nodes); n++ {
		node := &nodes[n]
		if node.Parent > 0 {
			parent := &nodes[node.Parent]
			stacks[n] = append([]*profile.Location{p.location(parent, parent.Line(node.Place))}, stacks[node.Parent]...)
		}
		for i, cost := range node.Costs {
			calls := 0
			if i == 0 {
				calls = node.Calls
			}
			if calls > 0 || cost.Time > 0 {
				at := append([]*profile.Location{p.location(node, node.Line(i))}, stacks[n]...)
				p.Sample = append(p.Sample, &profile.Sample{Location: at, Value: []int64{int64(calls), cost.Time}})
				p.DurationNanos += cost.Time
			}
		}
	}
	var b bytes.Buffer
	err := p.Write(&b)
	return b.Bytes(), err
}

// builder builds a profile.
type builder struct {
	*profile.Profile
	functions map[place]*profile.Function
	locations map[place]*profile.Location
	scripts   map[*lua.Profile]*Script
}

// location returns the location of a line in the function of a node.
func (p *builder) location(node *lua.CallNode, line int) *profile.Location {
	at := place{script: p.scripts[node.Chunk], function: node.Function, line: line, host: node.Host}
	if known := p.locations[at]; known != nil {
		return known
	}
	whole := at
	whole.line = 0
	fn := p.functions[whole]
	if fn == nil {
		fn = &profile.Function{ID: uint64(len(p.Function) + 1), Name: whole.name()}
		if at.script != nil {
			about := at.script.Profile.Functions()[at.function]
			fn.Name = cmp.Or(about.Name, fn.Name)
			fn.Filename, fn.StartLine = at.script.Name, int64(about.Line)
		}
		fn.SystemName = fn.Name
		p.functions[whole], p.Function = fn, append(p.Function, fn)
	}
	loc := &profile.Location{ID: uint64(len(p.Location) + 1), Line: []profile.Line{{Function: fn, Line: int64(line)}}}
	p.locations[at], p.Location = loc, append(p.Location, loc)
	return loc
}
