package scripting

import "github.com/miniserver-go/miniserver/internal/command"

// A program may use only the keys that its caller declares, because these choose the node of a
// cluster that runs it. Redis checks this in a cluster only, so scripts that break the rule work
// until they come there. The parameter script-strict-keys finds them before.

// declare notes the keys of the run that begins. It costs nothing while nobody checks them.
func (in *interpreter) declare(keys [][]byte) {
	s := &in.current.strict
	if s.on = in.strictKeys != strictness[0]; !s.on {
		return
	}
	s.declared = make(map[string]bool, len(keys))
	for _, key := range keys {
		s.declared[string(key)] = true
	}
}

// checkKeys finds a key of the command being called that the run did not declare. It returns an
// error that refuses the command, or tells it to the log, once for each line of a program.
func (in *interpreter) checkKeys(cmd *command.Command) error {
	uses, _ := cmd.Keys.At(in.args.list)
	for _, use := range uses {
		key := in.args.list[use.At]
		if use.Access == "not_key" || in.current.strict.declared[string(key)] {
			continue
		}
		if in.strictKeys == strictness[2] {
			return command.Errorf(errUndeclared, clipped(key))
		}
		_, line := in.lua.Caller()
		if p := in.current.program; p.IsNewStray(line) {
			in.engine.Log('#', undeclared, p.Name, line, cmd.FullName(), clipped(key))
		}
	}
	return nil
}

const undeclared = "Script %s, line %d: %s uses the key '%s', which is not among its declared keys"

// clipped returns the beginning of a key, for messages.
func clipped(key []byte) []byte { return key[:min(len(key), 128)] }
