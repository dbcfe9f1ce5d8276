package lint

import "github.com/miniserver-go/miniserver/internal/command"

// shape returns the shape of the call's reply, as its line tells.
func (c *invocation) shape() command.Shape {
	if c.run.resp3 || c.cmd == nil {
		return command.Any
	}
	return c.cmd.Reply.For(len(c.args), c.hasWord, c.hasUnknowns())
}

// reply returns what is known of a call's reply, with RESP2: a status is a table with the field ok,
// and what is absent is false. The command table says what the command replies. After redis.setresp
// nothing is known of replies: their types differ then.
//
// The value is from data (part), depends on the command's keys (about), is absent with them, and is
// raw until something is computed of it. Elements of a list have the same source, but are members:
// one of them is not the reply.
func (c *invocation) reply() *value {
	v := &value{kinds: isAny, parts: []part{{fromData, c.String()}}, about: c.about()}
	element := &value{kinds: isText, parts: []part{{fromData, c.String()}}, about: v.about, member: true}
	shape, absent := c.shape().Maybe()
	switch shape {
	case command.Integer:
		v.kinds = isNumber
	case command.Text:
		v.kinds = isText
	case command.Status:
		v.kinds, v.status = isTable, true
	case command.List, command.Texts:
		v.kinds, element.kinds, element.absent = isTable, isText|isNil, c
		if shape == command.Texts {
			element.kinds = isText | isFalse
		}
		v.table = &table{rest: element, reply: c}
	case command.Time:
		seconds := *element
		seconds.seconds = true
		v.kinds = isTable
		v.table = &table{rest: element, reply: c, items: map[string]*value{"1": &seconds}}
	}
	if absent && v.kinds != isAny {
		v.kinds |= isFalse
		if shape != command.Status {
			v.absent = c
		}
	}
	if c.counts() {
		v.counts = c
	}
	v.raw = c
	if c.protected { // redis.pcall may return the table of an error
		v.kinds, v.absent = v.kinds|isTable, nil
		v.pending = c
		if v.table == nil {
			v.table = &table{rest: unknownAt("error")}
		}
	}
	return v
}
