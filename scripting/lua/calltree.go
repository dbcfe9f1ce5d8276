package lua

// CallTree tells where the time of runs went. Each node is a chain of calls: the same function,
// called from the same place of the same node, is one node.
//
//	script, line 9 ── redis.call HMGET
//	       line 20 ── wait, line 1 ── ceil
//
// Profiles enter nodes and move between the statements of one; the time between two such events
// belongs to where the run was. Deep recursion and trees with very many nodes go on below one node,
// which stands for the rest of the chain.
type CallTree struct {
	clock func() int64
	name  func(fn *Function, first Value) string

	nodes []CallNode
	index map[edge]int
	at    position
	since int64 // when the run came there
	cells int   // of the nodes' costs
}

// NewCallTree returns an empty tree. clock returns nanoseconds, and name the name of a host
// function that is called with a first argument.
func NewCallTree(clock func() int64, name func(fn *Function, first Value) string) *CallTree {
	t := &CallTree{clock: clock, name: name, index: make(map[edge]int)}
	t.add(edge{}, 1)
	t.add(edge{host: DeepCalls}, 1)
	return t
}

// CallNode is a chain of calls. Node 0 is none, the root; node 1 stands for the calls that have no
// nodes of their own.
type CallNode struct {
	Parent   int      // a node
	Place    int      // the statement of the parent from which the last function was called
	Chunk    *Profile // of the last function; nil if it is one of the host
	Function int      // its number in the chunk
	Host     string   // the name of a host function
	Calls    int
	Costs    []Cost // of the function's statements, with statement 0; of a host function one in all

	depth int
}

// Cost is what a statement took in a chain of calls.
type Cost struct {
	Hits int
	Time int64 // nanoseconds, without the functions that it called
}

// edge is a call.
type edge struct {
	parent, place int
	chunk         *Profile
	function      int
	host          string
}

// position is a statement of a node.
type position struct{ node, place int }

// DeepCalls is the name of node 1.
const DeepCalls = "(deep calls)"

// Bounds of a CallTree. One with the most nodes and cells takes some 40 MB.
const (
	maxDepth = 200
	maxNodes = 100_000
	maxCells = 1_000_000
	deep     = 1 // the node
)

// Nodes returns the nodes: the tree's own slice. A node stands behind its parent.
func (t *CallTree) Nodes() []CallNode { return t.nodes }

// Begin begins a run, and End ends it: the time between two runs does not count.
func (t *CallTree) Begin() { t.at, t.since = position{}, t.clock() }

// End ends a run.
func (t *CallTree) End() { t.move(position{}) }

// move charges the time to where the run was, and moves it.
func (t *CallTree) move(to position) {
	now := t.clock()
	t.nodes[t.at.node].Costs[t.at.place].Time += now - t.since
	t.at, t.since = to, now
}

// begin moves the run to a statement that begins.
func (t *CallTree) begin(at position) {
	t.move(at)
	t.nodes[at.node].Costs[at.place].Hits++
}

// enter moves the run into a function, of which an edge tells all but where the run is. It returns
// the node.
func (t *CallTree) enter(e edge, statements int) int {
	e.parent, e.place = t.at.node, t.at.place
	n, known := t.index[e]
	if full := len(t.nodes) > maxNodes || t.cells > maxCells; !known && (full || t.nodes[e.parent].depth >= maxDepth) {
		e.parent, e.place = deep, 0
		n, known = t.index[e]
	}
	if !known {
		n = t.add(e, statements)
	}
	t.nodes[n].Calls++
	t.move(position{n, 0})
	return n
}

// add adds a node.
func (t *CallTree) add(e edge, statements int) int {
	n := len(t.nodes)
	t.nodes = append(t.nodes, CallNode{Parent: e.parent, Place: e.place, Chunk: e.chunk, Function: e.function,
		Host: e.host, Costs: make([]Cost, statements)})
	t.nodes[n].depth = t.nodes[e.parent].depth + 1
	t.index[e] = n
	t.cells += statements
	return n
}

// Time returns the time of a node, without those below it.
func (n *CallNode) Time() (nanos int64) {
	for _, c := range n.Costs {
		nanos += c.Time
	}
	return nanos
}

// Line returns the line of a statement, 0 for none.
func (n *CallNode) Line(statement int) int {
	if n.Chunk == nil {
		return 0
	}
	return n.Chunk.functions[n.Function].Lines[statement]
}
