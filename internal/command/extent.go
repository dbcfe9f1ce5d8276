package command

import "slices"

// Extent is how much of the data a command that only reads replies with.
type Extent int

// The extents.
const (
	Bounded  Extent = iota // what the arguments or the command limit, or nothing of the data
	Whole                  // all elements of its keys
	Range                  // the elements from start to stop, which are all of them from 0 to -1
	Interval               // the elements between two bounds, all of them without the option LIMIT
	AllKeys                // the names of the keys of the database
)

// Extent returns how much of the data the command replies with, as its line tells: by the arguments
// that it needs, its options and its reply.
func (c *Command) Extent() Extent {
	args := parse(c.Syntax)
	switch {
	case c.Flags&ReadOnly == 0:
		return Bounded
	case c.Keys.IsEmpty() && hasArgument(args, "pattern"):
		return AllKeys
	case c.Reply != Reply(List):
		return Bounded
	case needs(args, "start") && needs(args, "stop"):
		return Range
	case needs(args, "min") && needs(args, "max") && hasArgument(args, "offset"):
		return Interval
	case !c.Keys.IsEmpty() && !slices.ContainsFunc(args,
		func(a Argument) bool { return !a.Optional && a.Kind != "key" && a.Name != "numkeys" }):
		return Whole
	}
	return Bounded
}

// CursorAt returns where the cursor of an iteration is among the arguments, the name first; 0 if
// there is none.
func (c *Command) CursorAt() int {
	return 1 + slices.IndexFunc(parse(c.Syntax), func(a Argument) bool { return a.Name == "cursor" })
}

// needs reports whether a call has an argument of this name.
func needs(list []Argument, name string) bool {
	return slices.ContainsFunc(list, func(a Argument) bool { return a.Name == name && !a.Optional })
}

// hasArgument reports whether an argument has this name, or a part of one.
func hasArgument(list []Argument, name string) bool {
	return slices.ContainsFunc(list, func(a Argument) bool { return a.Name == name || hasArgument(a.Parts, name) })
}
