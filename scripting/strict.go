package scripting

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// A program may use only the keys that its caller declares: a cluster sends it to the node of those. Redis checks that in a
// cluster only, so scripts that break the rule run well until they come there. The setting script-strict-keys tells of
// them before.

// strictness are the values of script-strict-keys: nothing, a line in the log, or an error.
var strictness = []string{"no", "warn", "error"}

// strict is what the check of a run's keys needs.
type strict struct {
	on       bool
	declared map[string]bool
}

// declare notes the keys of the run that begins. It costs nothing while nobody checks them.
func (s *Scripts) declare(keys [][]byte) {
	if s.strict.on = s.strictKeys != strictness[0]; !s.strict.on {
		return
	}
	s.strict.declared = make(map[string]bool, len(keys))
	for _, key := range keys {
		s.strict.declared[string(key)] = true
	}
}

// checkKeys finds a key of the command in s.args that the run did not declare. It returns an error that refuses the command,
// or tells it to the log, once for each line of a program.
func (s *Scripts) checkKeys(cmd *command.Command) error {
	uses, _ := cmd.Keys.At(s.args)
	for _, use := range uses {
		key := s.args[use.At]
		if use.Access == "not_key" || s.strict.declared[string(key)] {
			continue
		}
		if s.strictKeys == strictness[2] {
			return command.Errorf(errUndeclared, clipped(key))
		}
		_, line := s.lua.Caller()
		if p := s.running; !p.strays[line] {
			if p.strays == nil {
				p.strays = make(map[int]bool)
			}
			p.strays[line] = true
			s.engine.Log('#', undeclared, p.name, line, cmd.FullName(), clipped(key))
		}
	}
	return nil
}

const undeclared = "Script %s, line %d: %s uses the key '%s', which is not among its declared keys"

// clipped returns the beginning of a key, for messages.
func clipped(key []byte) []byte { return key[:min(len(key), 128)] }
