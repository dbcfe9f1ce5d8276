// Package program has what the interpreter runs: scripts, and functions of libraries.
//
// Each stems from a Chunk, the source that was compiled, and runs in a Sandbox, which all programs
// of its kind share. A script, or function, declares by Flags what it does; the gate asks them, and
// whoever starts a run.
package program

import (
	"crypto/sha1"
	"encoding/hex"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Sandbox is the environment of a kind of program: scripts or functions.
type Sandbox struct {
	Globals *lua.Table // nil until they are needed
	Chunk   string     // name of programs in errors; the sign @ marks a name, as opposed to source
	Busy    error      // error for other clients while a program is slow
	Killer  string     // the command whose subcommand KILL ends a program
}

// Kind returns the name of programs without the sign.
func (b *Sandbox) Kind() string { return b.Chunk[1:] }

// Chunk is a source that was compiled: that of a script, or of a library.
type Chunk struct {
	Kind    string // user_script or user_function
	Library string // its name, "" for a script
	Digest  string // of the source; "" until it is needed
	Source  string
	Code    string // what was compiled of it
	Proto   *lua.Proto
}

// Path returns the path that stands for a chunk: its kind, and the digest of a script or the name
// of a library.
func (c *Chunk) Path() string {
	if c.Library != "" {
		return c.Kind + "/" + c.Library + ".lua"
	}
	return c.Kind + "/" + c.Digest + ".lua"
}

// DigestLen is the length of a digest.
const DigestLen = 2 * sha1.Size

// Digest returns the lower-case hexadecimal SHA1 of a source.
func Digest(source []byte) string {
	sum := sha1.Sum(source)
	return hex.EncodeToString(sum[:])
}

// Program is a script, or a function of a library.
type Program struct {
	Name  string // a script's SHA1, a function's name; shown in errors
	Fn    *lua.Function
	Chunk *Chunk
	Flags Flags
	Box   *Sandbox

	strays map[int]bool // see IsNewStray
}

// Refusal returns the error for a program that may not run: a program that declares flags needs
// no-writes for a read-only command, and allow-oom when memory is short. Outside of transactions
// the gate checks memory first.
func (p *Program) Refusal(readOnly, short bool) error {
	switch {
	case p.Reads():
		return nil
	case readOnly:
		return errWriteFlag
	case short:
		return errOOMFlag
	}
	return nil
}

// Reads reports whether the flags of a program let it run where it must not write: it says that it
// does not, or it says nothing.
func (p *Program) Reads() bool { return p.Flags&Declared == 0 || p.Flags&NoWrites != 0 }

// IsNewStray notes a line that uses a key which is not declared, and reports whether it was not
// noted before.
func (p *Program) IsNewStray(line int) bool {
	if p.strays[line] {
		return false
	}
	if p.strays == nil {
		p.strays = make(map[int]bool)
	}
	p.strays[line] = true
	return true
}
