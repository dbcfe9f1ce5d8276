package path

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/json"
)

// A function of the wide language takes so many arguments, and makes a result of them: nothing if
// they do not fit. With another number of arguments it is nothing.
type function struct {
	least, most int
	run         func(f *Finder, args []result) result
}

// functions are all of them, and the operators on numbers.
var functions = map[string]*function{
	"+": {2, 2, arithmetic(plus)}, "-": {2, 2, arithmetic(minus)}, "*": {2, 2, arithmetic(times)},
	"/": {2, 2, arithmetic(over)}, "%": {2, 2, arithmetic(modulo)}, "unary -": {1, 1, negative},
	"unary +": {1, 1, positive},

	"abs": {1, 1, absolute}, "ceiling": {1, 1, rounded(math.Ceil)}, "floor": {1, 1, rounded(math.Floor)},
	"concat": {1, math.MaxInt, concat}, "match": {2, math.MaxInt, match}, "search": {2, math.MaxInt, search},
	"length": {1, 1, length}, "count": {1, 1, count}, "value": {1, 1, valueOf}, "keys": {1, 1, keys},
	"first": {1, 1, func(f *Finder, args []result) result { return f.element(&args[0], 0) }},
	"last":  {1, 1, func(f *Finder, args []result) result { return f.element(&args[0], -1) }},
	"index": {2, 2, index}, "append": {2, 2, appended},
	"sum": {1, 1, aggregate(sum)}, "avg": {1, 1, aggregate(mean)}, "stddev": {1, 1, aggregate(deviation)},
	"min": {1, 1, aggregate(func(n []float64) float64 { return fold(n, math.Min) })},
	"max": {1, 1, aggregate(func(n []float64) float64 { return fold(n, math.Max) })},
}

// isNumber reports whether a result is one number.
func (r *result) isNumber() bool { return r.form == single && r.one.isNumber() }

// arithmetic returns an operator on two numbers.
func arithmetic(run func(a, b *operand) result) func(f *Finder, args []result) result {
	return func(_ *Finder, args []result) result {
		if !args[0].isNumber() || !args[1].isNumber() {
			return result{}
		}
		return run(&args[0].one, &args[1].one)
	}
}

// integers reports whether both are Integers of 64 bits.
func integers(a, b *operand) bool { return a.kind == json.Integer && b.kind == json.Integer }

func plus(a, b *operand) result {
	if n := a.integer + b.integer; integers(a, b) && (n > a.integer) == (b.integer > 0) {
		return integerOf(n)
	}
	return floatOf(a.asFloat() + b.asFloat())
}

func minus(a, b *operand) result {
	if n := a.integer - b.integer; integers(a, b) && (n < a.integer) == (b.integer > 0) {
		return integerOf(n)
	}
	return floatOf(a.asFloat() - b.asFloat())
}

func times(a, b *operand) result {
	x, y := a.integer, b.integer
	if n := x * y; integers(a, b) && (x == 0 || n/x == y && !(x == -1 && y == math.MinInt64)) {
		return integerOf(n)
	}
	return floatOf(a.asFloat() * b.asFloat())
}

func over(a, b *operand) result { return floatOf(a.asFloat() / b.asFloat()) }

func modulo(a, b *operand) result {
	switch {
	case !integers(a, b):
		return floatOf(math.Mod(a.asFloat(), b.asFloat()))
	case b.integer == 0, b.integer == -1 && a.integer == math.MinInt64:
		return result{}
	}
	return integerOf(a.integer % b.integer)
}

func negative(_ *Finder, args []result) result {
	switch o := &args[0].one; {
	case !args[0].isNumber():
		return result{}
	case o.kind == json.Integer && o.integer != math.MinInt64:
		return integerOf(-o.integer)
	default:
		return floatOf(-o.asFloat())
	}
}

func positive(_ *Finder, args []result) result {
	switch o := &args[0].one; {
	case !args[0].isNumber():
		return result{}
	case o.kind == json.Integer:
		return integerOf(o.integer)
	default:
		return floatOf(o.float)
	}
}

func absolute(f *Finder, args []result) result {
	switch o := &args[0].one; {
	case !args[0].isNumber(), o.kind == json.Integer && o.integer == math.MinInt64:
		return result{}
	case o.asFloat() < 0:
		return negative(f, args)
	}
	return positive(f, args)
}

// rounded returns a function that rounds a number to an integer.
func rounded(round func(f float64) float64) func(f *Finder, args []result) result {
	return func(f *Finder, args []result) result {
		if args[0].isNumber() && args[0].one.kind == json.Integer {
			return positive(f, args)
		}
		if n, ok := args[0].one.integerOf(round); ok && args[0].form == single {
			return integerOf(n)
		}
		return result{}
	}
}

// isText reports whether a result is one text.
func (r *result) isText() bool { return r.form == single && r.one.kind == json.String }

func concat(f *Finder, args []result) result {
	var text []byte
	for i := range args {
		if !args[i].isText() {
			return result{}
		}
		f.run.spend(len(args[i].one.text) / textStep)
		text = append(text, args[i].one.text...)
	}
	return oneOf(operand{kind: json.String, text: text})
}

// match reports whether a pattern matches a whole text.
func match(f *Finder, args []result) result {
	if !args[0].isText() || !args[1].isText() {
		return booleanOf(false)
	}
	whole := "^(?:" + string(args[1].one.text) + ")$"
	return booleanOf(f.run.search(f.run.regexp(whole), args[0].one.text))
}

func search(f *Finder, args []result) result {
	return booleanOf(args[0].form == single && args[1].form == single && f.finds(&args[0].one, &args[1].one))
}

func length(_ *Finder, args []result) result {
	switch args[0].form {
	case made:
		return integerOf(int64(len(args[0].list)))
	case single:
		if n, ok := args[0].one.length(); ok {
			return integerOf(int64(n))
		}
	}
	return result{}
}

func count(_ *Finder, args []result) result {
	if args[0].form == single {
		return integerOf(1)
	}
	return integerOf(int64(len(args[0].list)))
}

// valueOf returns the only value that a path leads to, or that a list has.
func valueOf(_ *Finder, args []result) result {
	switch r := &args[0]; {
	case r.form == single && r.one.value.Exists():
		return *r
	case r.form == made && len(r.list) == 1:
		return oneOf(operandOf(r.list[0]))
	}
	return result{}
}

// keys returns the names of the members of objects.
func keys(f *Finder, args []result) result {
	r := &args[0]
	if r.form == nothing || r.form == made || r.form == single && r.one.kind != json.Object {
		return result{}
	}
	var objects []json.Children
	for o := range f.items(r) {
		if o.kind == json.Object {
			objects = append(objects, o.value.Children())
		}
	}
	return madeOf(childrenOf(f.array(func(text []byte, _ int) ([]byte, bool) {
		for len(objects) > 0 && !objects[0].Next() {
			objects = objects[1:]
		}
		if len(objects) == 0 {
			return text, false
		}
		return json.AppendString(text, objects[0].Name()), true
	})))
}

// element returns an element of an array, from the end if i is negative.
func (f *Finder) element(array *result, i int64) result {
	list, n := array.list, len(array.list)
	if array.form == single {
		if array.one.kind != json.Array {
			return result{}
		}
		n = array.one.value.Len()
	}
	if i < 0 {
		i += int64(n)
	}
	if i < 0 || i >= int64(n) {
		return result{}
	}
	if array.form == single {
		v, _ := array.one.value.Element(int(i))
		return oneOf(operandOf(v))
	}
	return oneOf(operandOf(list[i]))
}

func index(f *Finder, args []result) result {
	if i, ok := args[1].one.truncated(); ok && args[1].isNumber() {
		return f.element(&args[0], i)
	}
	return result{}
}

// appended returns a list with one more value: the elements of an array, or the values to which a
// path leads, and the other argument.
func appended(f *Finder, args []result) result {
	var last json.Value
	switch args[1].form {
	case nothing:
		return result{}
	case single:
		last = args[1].one.asValue()
	default:
		last = f.arrayOf(args[1].list)
	}
	list, ok := f.elements(&args[0])
	if !ok {
		list = f.items(&args[0])
	}
	var all []json.Value
	for o := range list {
		all = append(all, o.asValue())
	}
	return madeOf(append(all, last))
}

// aggregate returns a function that makes a number of those of an array, of which there is one at
// least.
func aggregate(run func(numbers []float64) float64) func(f *Finder, args []result) result {
	return func(f *Finder, args []result) result {
		list, ok := f.elements(&args[0])
		if !ok {
			return result{}
		}
		var numbers []float64
		for o := range list {
			if !o.isNumber() {
				return result{}
			}
			numbers = append(numbers, o.asFloat())
		}
		if len(numbers) == 0 {
			return result{}
		}
		return floatOf(run(numbers))
	}
}

func fold(numbers []float64, next func(x, y float64) float64) float64 {
	all := numbers[0]
	for _, n := range numbers[1:] {
		all = next(all, n)
	}
	return all
}

func sum(numbers []float64) float64 {
	return fold(numbers, func(x, y float64) float64 { return x + y })
}

func mean(numbers []float64) float64 { return sum(numbers) / float64(len(numbers)) }

// deviation returns the standard deviation of a population.
func deviation(numbers []float64) float64 {
	middle, squares := mean(numbers), 0.0
	for _, n := range numbers {
		squares += (n - middle) * (n - middle)
	}
	return math.Sqrt(squares / float64(len(numbers)))
}
