package lint

import (
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// locals are the local variables of a source that hold what somebody should look at.
type locals struct {
	read     map[*syntax.Variable]bool // those that are used
	declared []declaration
}

// declaration is a local variable that holds an element of KEYS or ARGV, or a reply of redis.pcall.
type declaration struct {
	variable *syntax.Variable
	value    *value
}

// declare notes a local variable with its first value, if somebody should look at it. A name that
// begins with _ may be unused.
func (l *locals) declare(v *syntax.Variable, known *value) {
	if strings.HasPrefix(v.Name, "_") || known == nil {
		return
	}
	if len(known.parts) == 1 && (known.parts[0].from == fromKeys || known.parts[0].from == fromArgv) ||
		known.pending != nil {
		l.declared = append(l.declared, declaration{v, known})
	}
}

// reportUnused finds variables that hold an element of KEYS or ARGV and are never read.
func (l *locals) reportUnused(f *findings) {
	for _, d := range l.declared {
		if d.value.pending == nil && !l.read[d.variable] {
			f.report(ruleUnused(d.value.parts[0].from), d.variable.At, "%s holds %s and is never used: remove it.",
				d.variable.Name, d.value.parts[0].name)
		}
	}
}

// reportProtected finds replies of redis.pcall in variables that are never read.
func (l *locals) reportProtected(f *findings) {
	for _, d := range l.declared {
		if d.value.pending != nil && !l.read[d.variable] {
			f.report("ignored-error", d.value.pending.call.At,
				"The error that redis.pcall returns is ignored: use redis.call, or check the field err.")
		}
	}
}
