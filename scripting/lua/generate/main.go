// Command generate writes compile_shapes.go of package lua: the closures of binary operators, one for each
// operator and shape of operands. The essay of package lua says what the shapes are and what each is worth.
package main

import (
	"fmt"
	"go/format"
	"log"
	"os"
	"strings"
)

func main() {
	source, err := generate()
	if err == nil {
		err = os.WriteFile("compile_shapes.go", source, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// operator is a binary operator. On numbers it is Go's infix, or a call of function.
type operator struct {
	name, infix, function string
	other                 string // of a comparison: the method that compares other values
	swapped               bool   // that method takes the right side first
}

// The operators in the order of package syntax. What % and ^ themselves take outweighs most shapes.
var (
	arithmetic = []operator{
		{name: "Add", infix: "+"}, {name: "Sub", infix: "-"}, {name: "Mul", infix: "*"}, {name: "Div", infix: "/"},
		{name: "Mod", function: "number.Modulo"}, {name: "Pow", function: "number.Power"},
	}
	upToMod = arithmetic[:5]
	upToDiv = arithmetic[:4]
)

var comparisons = []operator{
	{name: "Less", infix: "<", other: "less"}, {name: "LessEqual", infix: "<=", other: "lessEqual"},
	{name: "Greater", infix: ">", other: "less", swapped: true}, {name: "GreaterEqual", infix: ">=", other: "lessEqual", swapped: true},
}

// apply returns the operator on numbers.
func (o operator) apply(x, y string) string {
	if o.function != "" {
		return o.function + "(" + x + ", " + y + ")"
	}
	return x + " " + o.infix + " " + y
}

// compare returns a comparison of other values than numbers.
func (o operator) compare(x, y string) string {
	if o.swapped {
		x, y = y, x
	}
	return "f." + o.other + "(" + x + ", " + y + ", pc)"
}

// side is an operand: its name, x or y, and its kind. L is a local variable in a slot of its own, K a constant
// number, V any expression.
type side struct {
	name string
	kind byte
}

// pick returns what the side's kind stands for, with its name in place of @.
func (s side) pick(local, constant, any string) string {
	return strings.ReplaceAll(map[byte]string{'L': local, 'K': constant, 'V': any}[s.kind], "@", s.name)
}

func (s side) param(eval string) string { return s.pick("@ uint8", "@ float64", "@ "+eval) }
func (s side) load() string             { return s.pick("@ := &f.slots[@]\n", "", "@ := @(f)\n") }
func (s side) value() string            { return s.pick("*@", "constant", "@") }
func (s side) number() string           { return s.pick("@.num()", "@", "@.num()") }
func (s side) float() string            { return s.pick("f.slots[@].num()", "@", "@(f)") }

// shape is the kinds of both operands.
type shape struct{ x, y side }

func shapeOf(kinds string) shape { return shape{side{"x", kinds[0]}, side{"y", kinds[1]}} }

// loads reads the operands into x and y. A local variable is read after an expression beside it: Lua's
// instructions name its register, and so see what the expression assigned to it.
func (s shape) loads() string {
	if s.x.kind == 'L' {
		return s.y.load() + s.x.load()
	}
	return s.x.load() + s.y.load()
}

// areNumbers checks the operands once they are loaded.
func (s shape) areNumbers() string {
	if s.y.kind == 'K' {
		return "x.IsNumber()"
	}
	return "x.IsNumber() && y.IsNumber()"
}

// family is the functions that share a purpose, one for each shape.
type family struct {
	name, doc    string
	eval, result string // the types of an expression's closure and of the family's
	members      []member
	closure      func(s shape, o operator) string
}

// member is some shapes and the operators worth having in them.
type member struct {
	shapes    string
	operators []operator
}

var families = []family{
	{"arith", "compiles arithmetic on", "eval", "eval",
		[]member{{"LK LL", upToMod}, {"LV VK VL", upToDiv}, {"VV", arithmetic}}, arith},
	{"float", "compiles arithmetic on numbers,", "evalFloat", "evalFloat",
		[]member{{"LL", upToMod}, {"LK LV VK VL", upToDiv}, {"VV", arithmetic}}, float},
	{"order", "compiles a comparison of", "eval", "test", []member{{"LK LL VK VV", comparisons}}, order},
	{"floatOrder", "compiles a comparison of numbers,", "evalFloat", "test", []member{{"LK LL VK VV", comparisons}}, floatOrder},
	{"ifOrder", "compiles an if statement without else on the comparison of", "eval", "action", []member{{"LK", comparisons}}, ifOrder},
}

func arith(s shape, o operator) string {
	number, other := "return Number("+o.apply(s.x.number(), s.y.number())+")", "f.arith(syntax.Op"+o.name+", "+s.x.value()+", "+s.y.value()+", pc)"
	if s.x.kind == 'V' && s.y.kind == 'V' {
		return `return func(f *frame) Value {
			x := a(f)
			if !x.IsNumber() { return f.arithHeld(syntax.Op` + o.name + `, x, s, pc) }
			y := b(f)
			if !y.IsNumber() { return ` + other + ` }
			` + number + `
		}`
	}
	return "return func(f *frame) Value {\n" + s.loads() + "if " + s.areNumbers() + " {\n" + number + "\n}\nreturn " + other + "\n}"
}

func float(s shape, o operator) string {
	x, y, before := s.x.float(), s.y.float(), ""
	if s.x.kind == 'V' && s.y.kind == 'V' { // Go calls from left to right, but reads a variable when it likes
		x, before = "v", "v := x(f); "
	}
	return "return func(f *frame) float64 { " + before + "return " + o.apply(x, y) + " }"
}

func order(s shape, o operator) string {
	loads := s.loads()
	if s.x.kind == 'V' && s.y.kind == 'V' {
		loads = "x, y := s.values(f)\n"
	}
	return "return func(f *frame) bool {\n" + loads + "if " + s.areNumbers() + " {\nreturn " + o.apply(s.x.number(), s.y.number()) +
		"\n}\nreturn " + o.compare(s.x.value(), s.y.value()) + "\n}"
}

func floatOrder(s shape, o operator) string {
	return strings.Replace(float(s, o), "float64", "bool", 1)
}

func ifOrder(s shape, o operator) string {
	return "return func(f *frame) signal {\n" + s.loads() + "if x.IsNumber() && " + o.apply(s.x.number(), s.y.number()) +
		" || !x.IsNumber() && otherwise(f) {\nreturn then(f)\n}\nreturn goOn\n}"
}

// generate returns the file.
func generate() ([]byte, error) {
	var b strings.Builder
	b.WriteString(`// Code generated by scripting/lua/generate; DO NOT EDIT.

package lua

import (
	"github.com/miniserver-go/miniserver/scripting/lua/number"
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)
`)
	for _, f := range families {
		for _, m := range f.members {
			for _, kinds := range strings.Fields(m.shapes) {
				f.function(&b, kinds, m.operators)
			}
		}
	}
	return format.Source([]byte(b.String()))
}

// function writes the function of one shape.
func (f family) function(b *strings.Builder, kinds string, operators []operator) {
	s := shapeOf(kinds)
	params, before := "x, y "+f.eval, ""
	switch {
	case kinds != "VV":
		params = s.x.param(f.eval) + ", " + s.y.param(f.eval)
	case f.eval == "eval":
		params, before = "s *sides", "a, b := s.a.eval, s.b.eval\n"
	}
	if f.eval == "eval" && f.name != "ifOrder" {
		params += ", pc uint32"
		if s.y.kind == 'K' {
			before = "constant := Number(y)\n"
		}
	}
	if f.name == "order" && kinds == "VV" {
		before = ""
	}
	if f.name == "ifOrder" {
		params += ", otherwise test, then action"
	}
	fmt.Fprintf(b, "\n// %s%s %s %s.\nfunc %[1]s%[2]s(op syntax.Operator, %[5]s) %[6]s {\n%[7]sswitch op {\n",
		f.name, kinds, f.doc, describe(kinds), params, f.result, before)
	for _, o := range operators {
		fmt.Fprintf(b, "case syntax.Op%s:\n%s\n", o.name, f.closure(s, o))
	}
	b.WriteString("}\npanic(\"no such operator\")\n}\n")
}

// describe spells a shape out.
func describe(kinds string) string {
	names := map[byte]string{'L': "a local variable", 'K': "a constant", 'V': "an expression"}
	return names[kinds[0]] + " and " + names[kinds[1]]
}
