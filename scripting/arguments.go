package scripting

import (
	"strconv"
	"unsafe"

	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// arguments are those of the command that a script calls.
type arguments struct {
	list   [][]byte
	digits []byte // text of the numbers among them
	sent   int    // bytes of the strings among them
	all17  bool   // the numbers among them have 17 digits
}

// gather converts c's arguments to those of a command, which are valid until the next call.
func (a *arguments) gather(c *lua.Call) (err error) {
	a.list, a.digits, a.sent = a.list[:0], a.digits[:0], 0
	for _, v := range c.Args() {
		if text, ok := v.AsString(); ok {
			a.list = append(a.list, unsafe.Slice(unsafe.StringData(text), len(text)))
			a.sent += len(text)
		} else if f, ok := v.AsNumber(); ok {
			a.list = append(a.list, a.number(f))
		} else {
			return errArgType
		}
	}
	if len(a.list) == 0 {
		return errNoArgs
	}
	return nil
}

// shortNumbers is what Redis 7.2 changed in the numbers that scripts pass to commands: before, they
// had 17 digits.
var shortNumbers = release.From("7.2.0")

// number returns a number as Redis passes it to commands: a whole number up to 2^62 as an integer
// without a sign of zero, any other as [resp.FormatShortest] has it.
func (a *arguments) number(f float64) []byte {
	at := len(a.digits)
	switch i := int64(f); {
	case a.all17:
		a.digits = resp.Format17(a.digits, f)
	case float64(i) == f && -1<<62 <= i && i <= 1<<62:
		a.digits = strconv.AppendInt(a.digits, i, 10)
	default:
		a.digits = resp.FormatShortest(a.digits, f)
	}
	return a.digits[at:len(a.digits):len(a.digits)]
}

// drop releases what has become large, and all references to strings.
func (a *arguments) drop() {
	clear(a.list[:cap(a.list)])
	if cap(a.list) > maxKept/16 {
		a.list = nil
	}
	if cap(a.digits) > maxKept {
		a.digits = nil
	}
}

// maxKept is the size up to which buffers are kept for the next run, in bytes.
const maxKept = 64 << 10
