// Package vectors is the vector sets, of Redis 8.
//
//	family.go type.go   the commands, and the data type
//	vector.go           vectors among the arguments
//	add.go              VADD, VREM, VSETATTR
//	search.go           VSIM
//	read.go info.go     what tells of elements, and of a set; VRECALL, which Redis does not have
//
// The options CAS and NOTHREAD say how many threads a command may use. Here it runs in one.
package vectors

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// How a line says what a command does.
const (
	reads  = command.ReadOnly
	writes = command.Write
	grows  = command.Write | command.DenyOOM
	fast   = command.Fast

	since = "8.0.0"
)

// key is the key of each command, with the flags that Redis gives it.
var key = command.Key(1, "RW access update")

const vectorSyntax = "format=<FP32|VALUES> "

// family is the commands, whose names Redis has in capitals.
var family = command.Family{Group: "vectorset", Module: module, Capitals: true, Commands: []command.Line{
	{Name: "vadd", Arity: -5, Flags: grows, Keys: key, Run: cmdVAdd, Reply: "integer", Since: since,
		Syntax: "key [REDUCE dim:integer] " + vectorSyntax + "vector element [CAS] [NOQUANT|BIN|Q8] " +
			"[EF build-exploration-factor:integer] [SETATTR attributes] [M numlinks:integer]",
		Summary:    "Adds an element to a vector set, or gives it another vector",
		Complexity: "O(log(N)) where N is the number of elements"},
	{Name: "vcard", Arity: 2, Flags: reads | fast, Keys: key, Run: cmdVCard, Reply: "integer", Since: since,
		Syntax: "key", Summary: "Returns the number of elements of a vector set", Complexity: "O(1)"},
	{Name: "vdim", Arity: 2, Flags: reads | fast, Keys: key, Run: cmdVDim, Reply: "integer", Since: since,
		Syntax: "key", Summary: "Returns the number of components of the vectors of a vector set", Complexity: "O(1)"},
	{Name: "vemb", Arity: -3, Flags: reads | fast, Keys: key, Run: cmdVEmb, Reply: "array?", Since: since,
		Syntax: "key element [RAW]", Summary: "Returns the vector of an element",
		Complexity: "O(N) where N is the number of components"},
	{Name: "vgetattr", Arity: 3, Flags: reads | fast, Keys: key, Run: cmdVGetAttr, Reply: "text?", Since: since,
		Syntax: "key element", Summary: "Returns the attributes of an element", Complexity: "O(1)"},
	{Name: "vinfo", Arity: 2, Flags: reads | fast, Keys: key, Run: engine.On(cmdVInfo), Reply: "array?", Since: since,
		Syntax: "key", Summary: "Returns what a vector set is like", Complexity: "O(1)"},
	{Name: "vismember", Arity: 3, Flags: reads, Keys: key, Run: cmdVIsMember, Reply: "integer", Since: since,
		Syntax: "key element", Summary: "Checks whether an element is in a vector set", Complexity: "O(1)"},
	{Name: "vlinks", Arity: -3, Flags: reads | fast, Keys: key, Run: cmdVLinks, Reply: "array?", Since: since,
		Syntax: "key element [WITHSCORES]", Summary: "Returns the elements with which one is linked, by levels",
		Complexity: "O(M) where M is the number of links"},
	{Name: "vrandmember", Arity: -2, Flags: reads, Keys: key, Run: cmdVRandMember, Since: since,
		Reply: "1: text?; list", Syntax: "key [count:integer]", Summary: "Returns random elements of a vector set",
		Complexity: "O(N) where N is the absolute value of the count"},
	{Name: "vrange", Arity: -4, Flags: reads, Keys: key, Run: cmdVRange, Reply: "list", Since: "8.4.0",
		Syntax:     "key start:string end:string [count:integer]",
		Summary:    "Returns the elements of a vector set between two names",
		Complexity: "O(N*log(M)) where N is the number of elements and M that of those returned"},
	{Name: "vrem", Arity: 3, Flags: writes, Keys: key, Run: cmdVRem, Reply: "integer", Since: since,
		Syntax: "key element", Summary: "Removes an element of a vector set",
		Complexity: "O(M^2) where M is the number of links"},
	{Name: "vsetattr", Arity: 4, Flags: writes | fast, Keys: key, Run: cmdVSetAttr, Reply: "integer", Since: since,
		Syntax: "key element json", Summary: "Sets the attributes of an element, or removes them", Complexity: "O(1)"},
	{Name: "vsim", Arity: -4, Flags: reads, Keys: key, Run: cmdVSim, Reply: "any", Since: since,
		Syntax: "key format=<ELE|FP32|VALUES> vector_or_element [WITHSCORES] [WITHATTRIBS]@8.0.3 " +
			"[COUNT count:integer] [EPSILON max_distance:double] [EF search-exploration-factor:integer] " +
			"[FILTER expression] [FILTER-EF max-filtering-effort:integer] [TRUTH] [NOTHREAD]",
		Summary:    "Returns the elements nearest to a vector or to an element",
		Complexity: "O(log(N)) where N is the number of elements, and with TRUTH O(N)"},
}}

// inspections is the command that tells of vector sets what Redis does not. It is in no module.
var inspections = command.Family{Group: "vectorset", Capitals: true, Commands: []command.Line{
	{Name: "vrecall", Arity: -3, Flags: reads, Keys: key, Run: cmdVRecall, Reply: "array?", Since: "miniserver:0.1.0",
		Syntax:     "key k:integer [EF search-exploration-factor:integer] [SAMPLES count:integer]",
		Summary:    "Compares the nearest elements that VSIM finds with those that there are. Not in Redis.",
		Complexity: "O(S*N) where S is the number of samples and N that of elements"},
}}

// module is the module that has the commands in Redis.
const module = "vectorset"

// part is the state of the commands.
type part struct {
	uids uint64 // of the sets that were asked for theirs
}

func (p *part) nextUID() uint64 {
	p.uids++
	return p.uids
}

// Part returns the commands.
func Part() engine.Part {
	return engine.Part{State: new(part), Families: []command.Family{family, inspections}, Modules: []engine.Module{
		{Name: module, Since: since, Version: 1, Options: "handle-io-errors|handle-repl-async-load"},
	}}
}
