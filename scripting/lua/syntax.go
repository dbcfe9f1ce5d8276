package lua

// The syntax tree, with names already resolved to variables.

// variable is a local variable.
type variable struct {
	name     string
	owner    *functionBody
	slot     int  // in the owner's frame, once its declaration is compiled
	captured bool // used by an inner function
	assigned bool // assigned after its declaration
	loop     bool // counted by a numeric for
	opaque   bool // assigned something unknown, see numeric.go
	numeric  bool // always a number
	sources  []expression
}

// cell reports whether the variable lives in a cell of its own: an inner function shares it and it changes.
func (v *variable) cell() bool { return v.captured && v.assigned }

// capture says where a new closure finds one of its upvalues.
type upvalueSource struct {
	variable *variable
	local    bool // in the frame of the function that makes the closure, else among its upvalues
	index    int  // there
}

// functionBody is a function under construction.
type functionBody struct {
	outer    *functionBody
	params   []*variable
	vararg   bool
	argTable *variable // the implicit local arg of a vararg function, when it is used
	dots     bool      // uses ...
	captures []upvalueSource
	active   []*variable
	loops    int
	body     []statement
	line     int // where it begins, 0 for a chunk
	endLine  int
	length   int // bytes of source, without the functions inside
}

type expression interface{}

type (
	nilExpr    struct{}
	boolExpr   struct{ value bool }
	numberExpr struct{ value float64 }
	stringExpr struct{ value string }
	dotsExpr   struct{}
	localExpr  struct{ variable *variable }
	upvalExpr  struct {
		variable *variable
		index    int
	}
	globalExpr struct {
		name string
		line int
	}
	indexExpr struct {
		object, key expression
		line        int
	}
	callExpr struct {
		function expression
		method   string // "" for a plain call
		args     []expression
		selfLine int // of the look-up of a method
		line     int
	}
	functionExpr struct{ body *functionBody }
	parenExpr    struct{ inner expression }
	unaryExpr    struct {
		op    operator
		inner expression
		line  int
	}
	binaryExpr struct {
		op          operator
		left, right expression
		line        int
		numeric     answer
	}
	tableExpr struct {
		items []tableItem
		line  int
	}
)

// tableItem is one entry of a table constructor; key is nil for a list element.
type tableItem struct {
	key, value expression
	line       int
}

// operator is a unary or binary operator, binary ones in the order of binaryPriority.
type operator uint8

const (
	opAdd operator = iota
	opSub
	opMul
	opDiv
	opMod
	opPow
	opConcat
	opNotEqual
	opEqual
	opLess
	opLessEqual
	opGreater
	opGreaterEqual
	opAnd
	opOr
	opNone
	opNegate
	opNot
	opLength
)

type statement interface{}

type (
	localStat struct {
		variables []*variable
		values    []expression
		line      int
	}
	assignStat struct {
		targets, values []expression
		line            int
	}
	callStat struct {
		call *callExpr
		line int
	}
	blockStat struct{ body []statement }
	whileStat struct {
		condition expression
		body      []statement
		line      int
	}
	repeatStat struct {
		body      []statement
		condition expression
		first     int // the line of repeat
		line      int // the line of until
	}
	ifStat struct {
		conditions []expression // one for each branch
		branches   [][]statement
		otherwise  []statement
		lines      []int
	}
	numericForStat struct {
		variable           *variable
		start, limit, step expression // step may be nil
		body               []statement
		line, doLine       int
	}
	genericForStat struct {
		variables []*variable
		values    []expression
		body      []statement
		line      int
		callLine  int
	}
	localFunctionStat struct {
		variable *variable
		function *functionExpr
		line     int
	}
	returnStat struct {
		values []expression
		line   int
	}
	breakStat struct{ line int }
)
