package syntax

import "github.com/miniserver-go/miniserver/scripting/lua/number"

// Variable is a local variable.
type Variable struct {
	Name    string
	At      int32 // offset of its declaration
	Slot    int   // for the compiler: its place in the frame of the function that declares it
	Numeric bool  // always a number, see numeric.go

	captured bool // used by an inner function
	assigned bool // assigned after its declaration
	loop     bool // counted by a numeric for
	opaque   bool // assigned a value that the tree does not show
	sources  []Expr
}

// Cell reports whether the variable needs a cell that its function and inner ones share: one of
// them uses it and it changes after its declaration.
func (v *Variable) Cell() bool { return v.captured && v.assigned }

// Captured reports whether an inner function uses the variable.
func (v *Variable) Captured() bool { return v.captured }

// Capture says where a new closure finds one of its upvalues.
type Capture struct {
	Variable *Variable
	Local    bool // in the frame of the function that makes the closure, else among its upvalues
	Index    int  // there; of a local variable the compiler sets it
}

// Function is the body of a function or chunk.
type Function struct {
	Params   []*Variable
	Vararg   bool
	ArgTable *Variable // the implicit local arg of a vararg function, nil for other functions
	Dots     bool      // uses ...
	Captures []Capture
	Body     []Stat
	Line     int // where it begins, 0 for a chunk
	EndLine  int
	LastLine int // of its last token
	Length   int // bytes of source, without the functions inside
	Number   int // of functions that begin before it

	outer  *Function
	active []*Variable
	loops  int
}

// Expr is an expression: one of the types below whose name ends in Expr, by pointer unless it is a
// constant or "...".
type Expr interface{}

// The expressions. Line is the line that Lua's error messages give to what they do at run time. At
// is the offset of the first byte in the source, of an operator the offset of its sign: see Places.
type (
	NilExpr    struct{}
	BoolExpr   struct{ Value bool }
	NumberExpr struct{ Value float64 }
	StringExpr struct {
		Value string
		At    int32
	}
	DotsExpr  struct{}
	LocalExpr struct {
		Variable *Variable
		At       int32
	}
	UpvalExpr struct {
		Variable *Variable
		Index    int // among the Captures of its function
		At       int32
	}
	GlobalExpr struct {
		Name string
		Line int
		At   int32
	}
	IndexExpr struct {
		Object, Key Expr
		Line        int
		At          int32
	}
	CallExpr struct {
		Function Expr
		Method   string // "" for a plain call
		Args     []Expr
		SelfLine int   // of the look-up of a method
		Lines    []int // where the arguments are loaded; nil if all are on Line
		Line     int
		At       int32
	}
	FunctionExpr struct{ Body *Function }
	ParenExpr    struct{ Inner Expr }
	UnaryExpr    struct {
		Op    Operator
		Inner Expr
		Line  int
		At    int32
	}
	BinaryExpr struct {
		Op          Operator
		Left, Right Expr
		OpLine      int // of the operator
		Line        int
		At          int32
		numeric     answer
	}
	TableExpr struct {
		Items         []TableItem
		Line, EndLine int
		At            int32
	}
)

// TableItem is one entry of a table constructor; Key is nil for a list element.
type TableItem struct {
	Key, Value Expr
	Line       int
}

// IsMany reports whether e may yield any number of values.
func IsMany(e Expr) bool {
	switch e.(type) {
	case *CallExpr, DotsExpr:
		return true
	}
	return false
}

// Operator is a unary or binary operator, binary ones in the order of binaryPriority.
type Operator uint8

// The operators. Arithmetic ones come first, OpAdd to OpPow; comparisons by order are OpLess to
// OpGreaterEqual.
const (
	OpAdd Operator = iota
	OpSub
	OpMul
	OpDiv
	OpMod
	OpPow
	OpConcat
	OpNotEqual
	OpEqual
	OpLess
	OpLessEqual
	OpGreater
	OpGreaterEqual
	OpAnd
	OpOr
	opNone
	OpNegate
	OpNot
	OpLength
)

// Compute returns what an arithmetic operator, OpAdd to OpPow, yields for two numbers.
func (op Operator) Compute(x, y float64) float64 {
	switch op {
	case OpAdd:
		return x + y
	case OpSub:
		return x - y
	case OpMul:
		return x * y
	case OpDiv:
		return x / y
	case OpMod:
		return number.Modulo(x, y)
	}
	return number.Power(x, y)
}

// Stat is a statement: a pointer to one of the types below whose name ends in Stat.
type Stat interface{}

// The statements. Line is where the statement begins, EndLine where its last token is.
type (
	LocalStat struct {
		Variables     []*Variable
		Values        []Expr
		Line, EndLine int
	}
	AssignStat struct {
		Targets, Values []Expr
		Line, EndLine   int
	}
	CallStat struct {
		Call          *CallExpr
		Line, EndLine int
	}
	BlockStat struct{ Body []Stat }
	WhileStat struct {
		Condition Expr
		Body      []Stat
		Line      int
		DoLine    int // of the end of the condition
		BodyEnd   int // of the last token before end
	}
	RepeatStat struct {
		Body      []Stat
		Condition Expr
		Line      int
		UntilLine int
	}
	IfStat struct {
		Conditions []Expr // one for each branch
		Branches   [][]Stat
		Otherwise  []Stat // nil without else
		Lines      []int  // of the conditions
		ThenLines  []int  // of their last tokens
		BranchEnds []int  // of the branches' last tokens
	}
	NumericForStat struct {
		Variable           *Variable
		Start, Limit, Step Expr // Step is 1 where the source gives none
		Body               []Stat
		Line, DoLine       int
	}
	GenericForStat struct {
		Variables []*Variable
		Values    []Expr
		Body      []Stat
		Line      int
		CallLine  int // of the calls of the generator
	}
	LocalFunctionStat struct {
		Variable *Variable
		Function *FunctionExpr
		Line     int
	}
	ReturnStat struct {
		Values        []Expr
		Line, EndLine int
		At            int32
	}
	BreakStat struct{ Line int }
)

// LineOf returns the line where a statement begins, 0 for a block, whose statements have lines of
// their own.
func LineOf(s Stat) int {
	switch s := s.(type) {
	case *LocalStat:
		return s.Line
	case *LocalFunctionStat:
		return s.Line
	case *AssignStat:
		return s.Line
	case *CallStat:
		return s.Line
	case *IfStat:
		return s.Lines[0]
	case *WhileStat:
		return s.Line
	case *RepeatStat:
		return s.Line
	case *NumericForStat:
		return s.Line
	case *GenericForStat:
		return s.Line
	case *ReturnStat:
		return s.Line
	case *BreakStat:
		return s.Line
	}
	return 0
}
