package expr

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/ds/geohash"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/libm"
)

// function is a function: how many arguments it takes, and what it computes.
type function struct {
	name        string // in errors
	least, most int
	// arity is the error for another number of arguments, a format for the name.
	arity string
	run   func(args []Value) (Value, error)
	// ofNumber is run for a number; nil if the function is not of one number.
	ofNumber func(x float64) float64
	// texts are the numbers of the arguments that must be texts.
	texts []int
}

// call is a call of a function.
type call struct {
	function  *function
	arguments []node
	room      []Value // for their values
}

func (c *call) bind(column func(string) (int, bool)) error {
	for _, a := range c.arguments {
		if err := bindPart(a, "expr->func.args->args[ii]", column); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) number(row Row) (float64, bool) {
	if c.function.ofNumber == nil || len(c.arguments) != 1 {
		return 0, false
	}
	x, ok := c.arguments[0].number(row)
	if !ok {
		return 0, false
	}
	return c.function.ofNumber(x), true
}

func (c *call) visit(fn func(node)) {
	fn(c)
	for _, a := range c.arguments {
		a.visit(fn)
	}
}

func (c *call) eval(row Row) (Value, error) {
	f := c.function
	switch f {
	case exists:
		return c.exists(row)
	case matchedTerms:
		return c.matchedTerms(row)
	}
	args := c.room[:0]
	for _, a := range c.arguments {
		v, err := a.eval(row)
		if err != nil {
			return Value{}, err
		}
		args = append(args, v)
	}
	if len(args) < f.least || len(args) > f.most {
		return Value{}, fmt.Errorf(f.arity, f.name)
	}
	for _, i := range f.texts {
		if i < len(args) && !args[i].is(TextKind) {
			return Value{}, wrongType(f.name, i, args[i], "VALIDATE_ARG__STRING(v, 0)")
		}
	}
	v, err := f.run(args)
	clear(args)
	c.room = args
	return v, err
}

// The numbers of types in errors.
var typeNumbers = map[Kind]int{NumberKind: 1, TextKind: 3, NullKind: 4, ListKind: 6}

// is reports whether a value is of a kind, and stands alone.
func (v Value) is(k Kind) bool { return v.kind == k && v.Behind() == "" }

// wrongType is the error of an argument that a check does not take.
func wrongType(name string, i int, v Value, check string) error {
	number := typeNumbers[v.kind]
	switch {
	case v.Behind() != "":
		number = 9
	case v.stored:
		number = 7
	}
	return command.Errorf("Invalid type (%d) for argument %d in function '%s'. %s was false.", number, i, name, check)
}

// exists is a function that can ask for a property which has no value.
func (c *call) exists(row Row) (Value, error) {
	var missing error
	for _, a := range c.arguments {
		_, err := a.eval(row)
		if _, isProperty := a.(*property); err != nil && !isProperty {
			return Value{}, err
		}
		missing = cmp.Or(missing, err)
	}
	if len(c.arguments) != 1 {
		return Value{}, cmp.Or(missing, command.Errorf(arguments, exists.name))
	}
	return Bool(missing == nil), nil
}

// maxTerms is how many words matched_terms returns.
const maxTerms = 100

// matchedTerms returns the words of the query that the document has, at most as many as it is told.
func (c *call) matchedTerms(row Row) (Value, error) {
	most := maxTerms
	for i, a := range c.arguments {
		v, err := a.eval(row)
		if err != nil {
			return Value{}, err
		}
		if n, ok := v.Number(); ok && i == 0 && len(c.arguments) == 1 && n >= 1 {
			most = int(min(n, maxTerms))
		}
	}
	var list []Value
	for _, term := range row.Terms() {
		if len(list) < most {
			list = append(list, Text(term))
		}
	}
	if list == nil {
		return Value{}, nil
	}
	return List(list), nil
}

// The errors for a wrong number of arguments.
const (
	arguments = "Invalid arguments for function '%s'"
	numbers   = "Invalid number of arguments for %s"
)

// The functions that are evaluated in a way of their own.
var (
	exists       = &function{name: "exists"}
	matchedTerms = &function{name: "matched_terms"}
)

// functions are all functions, by their names in lower case.
var functions = map[string]*function{
	"log":   arithmetic("log", quiet(libm.Log)),
	"floor": arithmetic("floor", quiet(math.Floor)),
	"abs":   arithmetic("fabs", math.Abs),
	"ceil":  arithmetic("ceil", quiet(math.Ceil)),
	"sqrt":  arithmetic("sqrt", quiet(math.Sqrt)),
	"log2":  arithmetic("log2", quiet(math.Log2)),
	"exp":   arithmetic("exp", quiet(libm.Exp)),

	"lower":  {name: "lower", least: 1, most: 1, arity: arguments, run: mapped(strings.ToLower)},
	"upper":  {name: "upper", least: 1, most: 1, arity: arguments, run: mapped(strings.ToUpper)},
	"substr": {name: "substr", least: 3, most: 3, arity: arguments, run: substr},
	"format": {name: "format", least: 1, most: math.MaxInt, arity: "Need at least one argument for %s",
		texts: []int{0}, run: format},
	"split": {name: "split", least: 1, most: 3, arity: numbers, texts: []int{0, 1, 2}, run: split},
	"strlen": {name: "strlen", least: 1, most: 1, arity: arguments, texts: []int{0},
		run: func(args []Value) (Value, error) { return Number(float64(len(args[0].text))), nil }},
	"startswith": {name: "startswith", least: 2, most: 2, arity: arguments, texts: []int{0, 1},
		run: func(args []Value) (Value, error) { return Bool(strings.HasPrefix(args[0].text, args[1].text)), nil }},
	"contains":      {name: "contains", least: 2, most: 2, arity: arguments, texts: []int{0, 1}, run: contains},
	"matched_terms": matchedTerms,
	"to_number":     {name: "to_number", least: 1, most: 1, arity: arguments, run: toNumber},
	"to_str": {name: "to_str", least: 1, most: 1, arity: arguments,
		run: func(args []Value) (Value, error) { return Text(args[0].String()), nil }},
	"exists": exists,

	"timefmt": {name: "time", least: 1, most: 2, arity: arguments, run: timeFormat},
	"parsetime": {name: "parsetime", least: 2, most: 2, arity: arguments, texts: []int{0, 1},
		run: parseTime},
	"hour":        onTime("hour", hour),
	"minute":      {name: "minute", least: 1, most: 1, arity: arguments, run: minute},
	"day":         onTime("day", day),
	"month":       onTime("month", month),
	"monthofyear": onTime("monthofyear", monthOfYear),
	"year":        onTime("year", year),
	"dayofmonth":  onTime("dayofmonth", dayOfMonth),
	"dayofweek":   onTime("dayofweek", dayOfWeek),
	"dayofyear":   onTime("dayofyear", dayOfYear),

	"geodistance": {name: "geodistance", least: 2, most: 4, arity: arguments, run: geoDistance},
}

// arithmetic is a function of a number. Of what is none it makes NaN.
func arithmetic(name string, f func(float64) float64) *function {
	run := func(args []Value) (Value, error) {
		x, ok := args[0].Number()
		if !ok {
			return Number(math.NaN()), nil
		}
		return Number(f(x)), nil
	}
	return &function{name: name, least: 1, most: 1, arity: numbers, run: run, ofNumber: f}
}

// quiet lets a function return a NaN as it is, and a negative one where it has no value.
func quiet(f func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		if math.IsNaN(x) {
			return x
		}
		return computed(f(x), x)
	}
}

// mapped is a function of texts, which makes null of other values.
func mapped(f func(string) string) func([]Value) (Value, error) {
	return func(args []Value) (Value, error) {
		if args[0].kind != TextKind {
			return Value{}, nil
		}
		return Text(inASCII(args[0].text, f)), nil
	}
}

// inASCII maps only what is ASCII.
func inASCII(s string, f func(string) string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			b := []byte(s)
			for i, c := range b {
				if c < 0x80 {
					b[i] = f(string(rune(c)))[0]
				}
			}
			return string(b)
		}
	}
	return f(s)
}

// substr(text, offset, length): a negative offset counts from the end, and so does a negative
// length. An offset before the begin is the end.
func substr(args []Value) (Value, error) {
	for i := 1; i < 3; i++ {
		if !args[i].is(NumberKind) {
			return Value{}, wrongType("substr", i, args[i], "VALIDATE_ARG__TYPE(v, RSValue_Number)")
		}
	}
	if args[0].kind != TextKind {
		return Value{}, command.Error("Invalid type for substr. Expected string")
	}
	s := args[0].text
	offset, length := clamped(args[1].number, len(s)), clamped(args[2].number, len(s))
	if offset < -len(s) {
		offset = len(s)
	} else if offset < 0 {
		offset += len(s)
	}
	if length < 0 {
		length = max(0, len(s)-offset+length)
	}
	return Text(s[offset:min(offset+length, len(s))]), nil
}

// clamped returns the integer of a number, between -n-1 and n. As in C what has none is negative.
func clamped(f float64, n int) int {
	if !(math.Abs(f) <= math.MaxInt32) {
		return -n - 1
	}
	return max(-n-1, min(n, int(f)))
}

func toNumber(args []Value) (Value, error) {
	f, ok := args[0].Number()
	if !ok {
		return Value{}, fmt.Errorf("to_number: cannot convert string '%s'", args[0].shown())
	}
	return Number(f), nil
}

// contains returns how often the first text has the second one, also overlapping.
func contains(args []Value) (Value, error) {
	s, part := args[0].text, args[1].text
	if part == "" {
		return Number(float64(len(s) + 1)), nil
	}
	n := 0
	for i := strings.Index(s, part); i >= 0; i = strings.Index(s, part) {
		n++
		s = s[i+1:]
	}
	return Number(float64(n)), nil
}

// maxFormatted is how long a text may be that format returns.
const maxFormatted = 64 << 20

// format(text, value...) puts values in the place of %s.
func format(args []Value) (Value, error) {
	var b strings.Builder
	rest, used := args[0].text, 1
	for {
		before, after, found := strings.Cut(rest, "%")
		b.WriteString(before)
		switch {
		case b.Len() > maxFormatted:
			return Value{}, command.Error("The text that format makes is too long")
		case !found:
			return Text(b.String()), nil
		case after == "":
			return Value{}, command.Error("Bad format string!")
		case after[0] == '%':
			b.WriteByte('%')
		case used == len(args):
			return Value{}, command.Error("Not enough arguments for format")
		case after[0] != 's':
			return Value{}, command.Error("Unknown format specifier passed")
		case args[used].kind == NullKind:
			b.WriteString("(null)")
			used++
		default:
			b.WriteString(args[used].String())
			used++
		}
		rest = after[1:]
	}
}

// maxParts is how many parts split returns.
const maxParts = 1024

// split(text, separators, blanks) returns the parts between separators, without the blanks around
// them and without those that are empty.
func split(args []Value) (Value, error) {
	separators, blanks := ",", " "
	if len(args) > 1 {
		separators = args[1].text
	}
	if len(args) > 2 {
		blanks = args[2].text
	}
	list := []Value{}
	for rest, more := args[0].text, true; more && len(list) < maxParts; {
		part := rest
		if i := indexAnyByte(rest, separators); i >= 0 {
			part, rest = rest[:i], rest[i+1:]
		} else {
			more = false
		}
		if part = trimBytes(part, blanks); part != "" {
			list = append(list, Text(part))
		}
	}
	return List(list), nil
}

// indexAnyByte is strings.IndexAny for bytes.
func indexAnyByte(s, bytes string) int {
	for i := range len(s) {
		if strings.IndexByte(bytes, s[i]) >= 0 {
			return i
		}
	}
	return -1
}

// trimBytes is strings.Trim for bytes.
func trimBytes(s, bytes string) string {
	for s != "" && strings.IndexByte(bytes, s[0]) >= 0 {
		s = s[1:]
	}
	for s != "" && strings.IndexByte(bytes, s[len(s)-1]) >= 0 {
		s = s[:len(s)-1]
	}
	return s
}

// geoDistance(a, b) returns how many metres lie between two places, each of which is a text
// "lon,lat" or two numbers.
func geoDistance(args []Value) (Value, error) {
	var places [2]geohash.Point
	for i := range places {
		lon, isNumber := Value{}.Number()
		if len(args) > 0 {
			lon, isNumber = args[0].Number()
		}
		switch {
		case isNumber && len(args) > 1:
			lat, ok := args[1].Number()
			if !ok {
				return Number(math.NaN()), nil
			}
			places[i] = geohash.Point{Lon: lon, Lat: lat}
			args = args[2:]
		case len(args) == 0 || args[0].kind != TextKind || isNumber:
			return Number(math.NaN()), nil
		default:
			place, err := ParsePlace(args[0].text)
			if err != nil {
				return Value{}, err
			}
			places[i] = place
			args = args[1:]
		}
	}
	metres := geohash.Distance(places[0], places[1])
	return Number(math.Round(metres*100) / 100), nil
}

// Errors about the text of a place.
var (
	errLongPlace = command.Error("Geo string cannot be longer than 128 bytes")
	errPlace     = command.Error("Invalid geo string")
)

// ParsePlace reads "lon,lat" or "lon lat", in degrees. It does not look whether such a place
// exists.
func ParsePlace(s string) (p geohash.Point, err error) {
	if len(s) > 128 {
		return p, errLongPlace
	}
	i := strings.IndexAny(s, " ,")
	if i < 0 {
		return p, errPlace
	}
	var lonOK, latOK bool
	p.Lon, lonOK = ParseNumber(s[:i])
	p.Lat, latOK = ParseNumber(s[i+1:])
	if !lonOK || !latOK {
		return p, errPlace
	}
	return p, nil
}
