package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// Functions of the script are followed into at each call, with what is known of the arguments: up
// to so many calls inside one another, and until so many expressions and statements were evaluated.
// What lies beyond is unknown. Without the second limit sixteen functions, each of which calls the
// next one twice, would take 65,000 calls.
const (
	maxDepth = 16
	maxSteps = 200_000
)

// call returns the results of a call, and what further results are: nil if there are none.
func (r *run) call(e *syntax.CallExpr) (results []*value, rest *value) {
	if e.Method != "" {
		return r.method(e)
	}
	f := r.object(e.Function)
	switch {
	case f.builtin == "redis.call" || f.builtin == "redis.pcall":
		values, rest := r.list(e.Args)
		return []*value{r.redisCall(e, values, rest, f.builtin == "redis.pcall")}, nil
	case f.builtin == "redis.register_function":
		r.register(e)
		return nil, nil
	case f.builtin != "":
		values, rest := r.list(e.Args)
		return r.library(e, f.builtin, values, rest)
	}
	r.uses(e.At, f, "calling it")
	values, rest := r.list(e.Args)
	if f.body != nil {
		return r.enter(f.body, values, rest, e.At)
	}
	return nil, unknownAt("call@" + strconv.Itoa(int(e.At)))
}

// enter follows a call into a function of the script. The function sees the variables around it as
// they are at the call, and what it assigns to them is known behind it. A recursive call is
// unknown.
func (r *run) enter(body *syntax.Function, values []*value, rest *value, at int32) (results []*value, more *value) {
	depth := 0
	for f := r.frame; f != nil; f = f.outer {
		if depth++; f.fn == body || depth > maxDepth {
			return nil, unknownAt("call@" + strconv.Itoa(int(at)))
		}
	}
	if r.steps > maxSteps {
		return nil, unknownAt("call@" + strconv.Itoa(int(at)))
	}
	f := &frame{fn: body, outer: r.frame, more: rest}
	for i, p := range body.Params {
		switch {
		case i < len(values):
			r.scope.assign(p, values[i])
		case rest != nil:
			r.scope.assign(p, rest)
		default:
			r.scope.assign(p, &value{kinds: isNil})
		}
	}
	if len(values) > len(body.Params) {
		f.args = values[len(body.Params):]
	}
	r.follow(f)
	if f.rest != nil {
		return f.results, unknownAt("call@" + strconv.Itoa(int(at)))
	}
	return f.results, nil
}

// follow runs the body of a frame. A function that may reach its end returns nothing there, which
// callers see as nil. The dropped call is the caller's affair, and so it is put aside.
func (r *run) follow(f *frame) {
	r.followed[f.fn] = true
	discarded := r.discarded
	r.discarded = nil
	r.frame = f
	r.block(f.fn.Body)
	r.scope.forget(f.fn.Params...)
	if !r.scope.ended && len(f.results) > 0 {
		f.results[0] = join(f.results[0], &value{kinds: isNil})
	}
	r.scope.ended = false
	r.frame = f.outer
	r.discarded = discarded
}

// method returns the results of object:name(...): of a function of the library string unless the
// object is a table.
func (r *run) method(e *syntax.CallExpr) (results []*value, rest *value) {
	object := r.eval(e.Function)
	r.uses(e.At, object, "calling a method on it")
	values, rest := r.list(e.Args)
	if object.only(isText | isFalsy) {
		return r.library(e, "string."+e.Method, append([]*value{object}, values...), rest)
	}
	return nil, unknownAt("call@" + strconv.Itoa(int(e.At)))
}

// The functions of the libraries by what they need and what they return. needText and needNumber
// fail for nil; the texts of sameText are those of their argument, partOfText a piece of it, and
// wholeText something new.
var (
	needText = strings.Fields("cjson.decode cmsgpack.unpack struct.unpack string.len string.sub string.byte " +
		"string.find string.match string.gmatch string.gsub string.lower string.upper string.rep string.reverse " +
		"string.format")
	needNumber = strings.Fields("math.floor math.ceil math.abs math.max math.min math.fmod math.modf math.sqrt " +
		"math.log math.exp math.pow math.random")
	sameText   = strings.Fields("tostring string.lower string.upper")
	partOfText = strings.Fields("string.sub string.rep string.reverse")
	wholeText  = strings.Fields("cjson.encode cmsgpack.pack struct.pack redis.sha1hex string.char")
	integers   = strings.Fields("math.floor math.ceil string.len table.getn bit.band bit.bor bit.tobit bit.bxor " +
		"bit.lshift bit.rshift")
)

// libraryCall is a call of a function of Lua or of Redis' libraries. For object:name(...) args
// begins with the object, which the expression's own arguments lack.
type libraryCall struct {
	run *run
	*syntax.CallExpr
	name string
	args []*value
	rest *value // of the arguments behind args; nil if there are none
}

// arg returns what is known of an argument: nil, the value of Lua, for one that is missing.
func (c *libraryCall) arg(i int) *value {
	switch {
	case i < len(c.args):
		return c.args[i]
	case c.rest != nil:
		return c.rest
	}
	return &value{kinds: isNil}
}

// at returns where an argument stands, the place of the call for those of a method.
func (c *libraryCall) at(i int) int32 {
	if c.Method == "" && i < len(c.Args) {
		return place(c.Args[i], c.At)
	}
	return c.At
}

// unknown returns a result of which only the arguments are known that it comes from.
func (c *libraryCall) unknown() *value {
	v := unknownAt(c.name + "@" + strconv.Itoa(int(c.At)))
	for _, a := range c.args {
		v.tells(a)
	}
	return v
}

// library returns the results of a function of Lua or of Redis' libraries.
func (r *run) library(e *syntax.CallExpr, name string, args []*value, rest *value) (results []*value, more *value) {
	c := &libraryCall{r, e, name, args, rest}
	for i, v := range args {
		if slices.Contains(needText, name) && (i == 0 || name == "string.format") || slices.Contains(needNumber, name) {
			r.uses(c.at(i), v, name+" of it")
		}
	}
	if name == "tostring" {
		r.losesDigits(nil, c.at(0), c.arg(0))
	}
	if v := c.text(); v != nil {
		return []*value{v}, nil
	}
	if v := c.number(); v != nil {
		return []*value{v}, nil
	}
	return c.special()
}

// text returns the result of a function that makes a text; nil for any other. A part of an element
// of KEYS is no longer an element: an empty constant behind it marks the text as built.
func (c *libraryCall) text() *value {
	switch {
	case slices.Contains(sameText, c.name):
		v := *c.arg(0)
		v.kinds, v.absent, v.table, v.status, v.exact = isText, nil, nil, false, v.exact && c.name == "tostring"
		v.cased = v.cased || c.name != "tostring"
		return &v
	case slices.Contains(partOfText, c.name):
		v := *c.arg(0)
		v.kinds, v.absent, v.exact = isText, nil, false
		if len(v.parts) == 1 && v.parts[0].from != fromUnknown {
			v.parts = append(v.parts[:1:1], part{fromConstant, ""})
		}
		return &v
	case slices.Contains(wholeText, c.name):
		v := c.unknown()
		v.kinds = isText
		return v
	case c.name == "string.format":
		return formatted(c.arg(0), c.args)
	case c.name == "table.concat":
		return concatenated(c.arg(0), c.args)
	case c.name == "type":
		v := constant("type")
		v.exact, v.parts = false, []part{{fromUnknown, "type"}}
		v.tells(c.arg(0))
		return v
	}
	return nil
}

// number returns the result of a function that makes a number; nil for any other. Rounding removes
// a fraction and nothing else: a rounded time is still too long for tostring, and a counter is
// still one. The larger or smaller of two is suspect if one of them is.
func (c *libraryCall) number() *value {
	switch {
	case c.name == "tonumber":
		return toNumber(c.arg(0))
	case slices.Contains(integers, c.name):
		v := numberOf(c.args...)
		v.micros, v.counts, v.length = c.arg(0).micros, c.arg(0).counts, c.name == "table.getn"
		return v
	case strings.HasPrefix(c.name, "math."):
		v := numberOf(c.args...)
		v.fraction = c.name == "math.abs" && c.arg(0).fraction || c.name == "math.random" && len(c.args) == 0 &&
			c.rest == nil || c.name == "math.sqrt"
		v.divided = v.fraction && c.arg(0).divided
		if c.name == "math.max" || c.name == "math.min" {
			for _, a := range c.args {
				v.micros = v.micros || a.micros
				if v.counts == nil {
					v.counts = a.counts
				}
			}
		}
		return v
	}
	return nil
}

// special returns the results of a function that has several, or that does more than compute one.
// Of an unknown function every result depends on its arguments.
func (c *libraryCall) special() (results []*value, more *value) {
	switch c.name {
	case "string.gsub":
		v := *c.arg(0)
		v.kinds, v.absent, v.exact = isText, nil, false
		return []*value{&v, numberOf(c.args...)}, nil
	case "ipairs", "pairs":
		c.run.uses(c.at(0), c.arg(0), "a loop over it")
		return []*value{{kinds: isFunction, builtin: "iterator", table: c.arg(0).table, about: c.arg(0).about}}, nil
	case "unpack", "table.unpack":
		c.run.unpacks(c.CallExpr, c.arg(0))
		return c.unpack(c.arg(0))
	case "table.insert":
		if t := c.arg(0).table; t != nil {
			t.set("", c.arg(len(c.args)-1))
		}
		return nil, nil
	case "assert":
		c.run.scope.check(c.arg(0))
		if len(c.Args) > 0 {
			c.run.refine(c.Args[0], true)
		}
		return c.args, c.rest
	case "redis.error_reply", "redis.status_reply":
		return []*value{{kinds: isTable}}, nil
	case "redis.setresp":
		c.run.resp3 = true
		return nil, nil
	case "redis.replicate_commands":
		c.run.effects = true
		return []*value{boolean()}, nil
	case "pcall", "xpcall":
		return c.protected()
	case "cjson.decode", "cmsgpack.unpack":
		v := c.unknown()
		v.parts = c.arg(0).parts
		return nil, v
	}
	return nil, c.unknown()
}

// protected follows pcall(f, ...). The commands in it count as any others; of its results nothing
// is known, since an error may have taken their place.
func (c *libraryCall) protected() (results []*value, more *value) {
	if len(c.args) == 0 {
		return nil, unknownAt("pcall")
	}
	f := c.args[0]
	switch {
	case f.builtin == "redis.call" || f.builtin == "redis.pcall":
		c.run.redisCall(c.CallExpr, c.args[1:], c.rest, false)
	case f.body != nil:
		c.run.enter(f.body, c.args[1:], c.rest, c.At)
	}
	return nil, unknownAt("pcall@" + strconv.Itoa(int(c.At)))
}

// toNumber returns what is known of tonumber(v). The text of a constant stays, for factors; what
// came of an absent key is nil instead of false, and still a mistake to use.
func toNumber(v *value) *value {
	n := numberOf(v)
	n.seconds, n.micros, n.fraction, n.counts = v.seconds, v.micros, v.fraction && v.kinds == isNumber, v.counts
	n.parts, n.divided = v.parts, v.divided
	n.text, n.exact = v.text, v.exact && v.kinds == isNumber
	if v.may(isFalsy) {
		n.kinds, n.absent = isNumber|isNil, v.absent
	}
	return n
}

// formatted returns what string.format makes: a text built of the format and the other arguments.
func formatted(format *value, args []*value) *value {
	v := &value{kinds: isText}
	if !format.exact {
		v.parts = append(v.parts, format.parts...)
	}
	texts := []string{format.text}
	if format.exact {
		texts = strings.Split(strings.ReplaceAll(format.text, "%%", "%\x00"), "%")
	}
	next := 1
	for i, text := range texts {
		if i > 0 && !strings.HasPrefix(text, "\x00") {
			text = strings.TrimLeft(text, "0123456789.-+ #")
			if text != "" {
				text = text[1:]
			}
			if next < len(args) {
				v.parts = append(v.parts, piece(args[next])...)
				v.tells(args[next])
				next++
			}
		}
		if text != "" {
			v.parts = append(v.parts, part{fromConstant, text})
		}
	}
	if len(v.parts) == 0 {
		v.parts = []part{{fromUnknown, "format"}}
	}
	v.parts = bounded(v.parts)
	return v
}

// concatenated returns what table.concat makes.
func concatenated(list *value, args []*value) *value {
	v := &value{kinds: isText, about: list.about}
	separator := []part{{fromConstant, ""}}
	if len(args) > 1 {
		separator = args[1].parts
	}
	if t := list.table; t != nil && t.length > 0 && t.rest == nil {
		for i := 1; i <= min(t.length, maxParts); i++ {
			if item := t.items[strconv.Itoa(i)]; item != nil {
				if i > 1 {
					v.parts = append(v.parts, separator...)
				}
				v.parts = append(v.parts, piece(item)...)
			}
		}
	}
	if len(v.parts) == 0 {
		v.parts = []part{{fromUnknown, "concat"}}
	}
	v.parts = bounded(v.parts)
	return v
}

// unpack returns the elements of a table.
func (c *libraryCall) unpack(list *value) (results []*value, rest *value) {
	t := list.table
	switch {
	case t == nil:
		v := unknownAt("unpack " + list.name())
		v.tells(list)
		return nil, v
	case t.input != nil:
		t.input.all = true
		return nil, &value{kinds: isText, parts: []part{{t.input.from, t.input.name + "[?]"}}}
	case len(c.args) == 1 && t.rest == nil && t.length > 0 && len(t.items) == t.length:
		for i := 1; i <= t.length; i++ {
			results = append(results, t.items[strconv.Itoa(i)])
		}
		if !slices.Contains(results, nil) {
			return results, nil
		}
	}
	v := t.any()
	if v == nil {
		v = unknownAt("unpack")
	}
	return nil, v.with(isAny &^ isNil)
}
