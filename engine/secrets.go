package engine

import "slices"

// Secrets returns the positions of a command's secret arguments, such as passwords. It is a fact on the command's
// line: MONITOR and the slow log hide them in every place where the command runs, in transactions and scripts too.
// The arguments may be malformed, because a command that fails is shown as well; positions beyond the last
// argument are ignored.
type Secrets func(e *Engine, args [][]byte) (at []int)

// SecretsFrom returns the Secrets of a command whose arguments are all secret from a position on.
func SecretsFrom(first int) Secrets {
	return func(_ *Engine, args [][]byte) (at []int) {
		for i := first; i < len(args); i++ {
			at = append(at, i)
		}
		return at
	}
}

var redacted = []byte("(redacted)")

// shown returns a command's arguments as MONITOR and the slow log show them.
func (e *Engine) shown(cmd *Command, args [][]byte) [][]byte {
	if cmd.Secrets == nil {
		return args
	}
	args = slices.Clone(args)
	for _, i := range cmd.Secrets(e, args) {
		if i < len(args) {
			args[i] = redacted
		}
	}
	return args
}
