package profile

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// PProf returns the times as a gzipped profile of pprof. Its samples are the lines of Lua functions
// and the host functions, with the number of calls and the nanoseconds of each.
func (t *Times) PProf() []byte {
	p := &builder{numbers: make(map[string]int64), functions: make(map[place]int64), locations: make(map[place]int64),
		scripts: t.scripts()}
	p.number("") // must be the first one
	calls, time := p.unit("calls", "count"), p.unit("time", "nanoseconds")
	p.profile = p.profile.message(profileSampleType, calls).message(profileSampleType, time)
	duration := p.addSamples(t.Tree.Nodes())
	p.profile = append(append(p.profile, p.locationList...), p.functionList...)
	for _, text := range p.texts {
		p.profile = p.profile.message(profileString, message(text))
	}
	p.profile = p.profile.number(profileDuration, duration).message(profilePeriodType, time).number(profilePeriod, 1)
	return gzipped(p.profile.number(profileDefaultSampleType, p.number("time")))
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data) // to memory
	_ = w.Close()
	return b.Bytes()
}

// builder builds a profile: a message of protocol buffers, as profile.proto of
// github.com/google/pprof describes it. Texts, functions and locations have numbers, by which
// others refer to them.
type builder struct {
	profile                    message // what comes first: the types of the samples, and the samples
	locationList, functionList message // what follows
	texts                      []string
	numbers                    map[string]int64 // of texts, from 0
	functions, locations       map[place]int64  // their numbers, from 1
	scripts                    map[*lua.Profile]*Script
}

// Fields of the messages.
const (
	profileSampleType        = 1
	profileSample            = 2
	profileLocation          = 4
	profileFunction          = 5
	profileString            = 6
	profileDuration          = 10
	profilePeriodType        = 11
	profilePeriod            = 12
	profileDefaultSampleType = 14

	typeName = 1
	typeUnit = 2

	sampleLocations = 1
	sampleValues    = 2

	locationNumber = 1
	locationLine   = 4
	lineFunction   = 1
	lineNumber     = 2

	functionNumber     = 1
	functionName       = 2
	functionSystemName = 3
	functionFile       = 4
	functionLine       = 5
)

// addSamples adds what the nodes of a tree took, and returns the sum in nanoseconds.
func (p *builder) addSamples(nodes []lua.CallNode) (sum int64) {
	stacks := make([][]int64, len(nodes)) // the locations from which the nodes were called, the innermost first
	for n := 1; n < len(nodes); n++ {
		node := &nodes[n]
		if node.Parent > 0 {
			parent := &nodes[node.Parent]
			stacks[n] = append([]int64{p.location(parent, parent.Line(node.Place))}, stacks[node.Parent]...)
		}
		for i, cost := range node.Costs {
			calls := int64(0)
			if i == 0 {
				calls = int64(node.Calls)
			}
			if calls > 0 || cost.Time > 0 {
				at := append([]int64{p.location(node, node.Line(i))}, stacks[n]...)
				p.profile = p.profile.message(profileSample,
					message(nil).list(sampleLocations, at...).list(sampleValues, calls, cost.Time))
				sum += cost.Time
			}
		}
	}
	return sum
}

// unit returns a message of type ValueType.
func (p *builder) unit(name, unit string) message {
	return message(nil).number(typeName, p.number(name)).number(typeUnit, p.number(unit))
}

// number returns that of a text.
func (p *builder) number(text string) int64 {
	n, known := p.numbers[text]
	if !known {
		n = int64(len(p.texts))
		p.numbers[text], p.texts = n, append(p.texts, text)
	}
	return n
}

// location returns the number of a line in the function of a node.
func (p *builder) location(node *lua.CallNode, line int) int64 {
	at := place{script: p.scripts[node.Chunk], function: node.Function, line: line, host: node.Host}
	n, known := p.locations[at]
	if !known {
		n = int64(len(p.locations) + 1)
		where := message(nil).number(lineFunction, p.function(at)).number(lineNumber, int64(line))
		p.locations[at] = n
		p.locationList = p.locationList.message(profileLocation,
			message(nil).number(locationNumber, n).message(locationLine, where))
	}
	return n
}

// function returns the number of the function that a place is in.
func (p *builder) function(at place) int64 {
	at.line = 0
	n, known := p.functions[at]
	if known {
		return n
	}
	n = int64(len(p.functions) + 1)
	name, file, line := at.name(), "", 0
	if at.script != nil {
		about := at.script.Profile.Functions()[at.function]
		name, file, line = cmp.Or(about.Name, name), at.script.Name, about.Line
	}
	p.functions[at] = n
	p.functionList = p.functionList.message(profileFunction,
		message(nil).number(functionNumber, n).number(functionName, p.number(name)).
			number(functionSystemName, p.number(name)).number(functionFile, p.number(file)).
			number(functionLine, int64(line)))
	return n
}

// message is a message of protocol buffers. Its methods append a field.
type message []byte

const (
	wireVarint = 0
	wireBytes  = 2
)

// number appends a number. 0 is what a field has that is missing.
func (m message) number(field int, n int64) message {
	if n == 0 {
		return m
	}
	m = binary.AppendUvarint(m, uint64(field<<3|wireVarint))
	return binary.AppendUvarint(m, uint64(n))
}

// list appends all numbers, also 0.
func (m message) list(field int, numbers ...int64) message {
	var packed message
	for _, n := range numbers {
		packed = binary.AppendUvarint(packed, uint64(n))
	}
	return m.message(field, packed)
}

func (m message) message(field int, part message) message {
	m = binary.AppendUvarint(m, uint64(field<<3|wireBytes))
	m = binary.AppendUvarint(m, uint64(len(part)))
	return append(m, part...)
}
