package lint

// program is what a source is, and what its programs call.
type program struct {
	functionLibrary bool       // the source is a library of functions
	callbacks       []callback // the functions that it registers
	inputs          []*input   // KEYS and ARGV, of each program
	readOnly        bool       // the program has the flag no-writes

	names   map[string]bool // commands that the program calls
	dynamic bool            // it also calls commands whose name is not constant
	resp3   bool            // redis.setresp was called
	effects bool            // redis.replicate_commands was called
	random  *invocation     // the first command whose reply differs from one server to the next
}
