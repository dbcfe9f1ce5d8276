package server

import (
	"bytes"
	"fmt"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// The parser of requests. All bytes that it gets are untrusted: before AUTH anybody may send them.
// Its errors and limits are those of the release, see manners.
//
//	*2 CRLF  $3 CRLF GET CRLF  $1 CRLF k CRLF        two arguments
//	GET k CRLF                                       the same, inline: a line of words
//
// Invariants:
//  1. Where the bytes are split changes nothing: neither the commands, nor the error, nor its
//     position.
//  2. The parser resumes where it stopped. It looks at each byte once, so a command costs O(bytes)
//     in any number of reads.
//  3. An announced length costs no memory.
//  4. The parser never copies and never changes the bytes: arguments are slices of the input.

// Redis' limits of the protocol.
const (
	maxLine      = 64 << 10  // bytes of an inline command, and of a line with a length
	maxArgs      = 1<<31 - 1 // arguments of a command
	unauthedArgs = 10        // the same before AUTH
	unauthedBulk = 16 << 10  // bytes of an argument before AUTH
)

// Protocol errors, in Redis' words. Each ends the connection.
const (
	errArgs         = command.Error("ERR Protocol error: invalid multibulk length")
	errArgsLine     = command.Error("ERR Protocol error: too big mbulk count string")
	errArgsUnauthed = command.Error("ERR Protocol error: unauthenticated multibulk length")
	errDollar       = "ERR Protocol error: expected '$', got '%s'"
	errBulk         = command.Error("ERR Protocol error: invalid bulk length")
	errBulkLine     = command.Error("ERR Protocol error: too big bulk count string")
	errBulkUnauthed = command.Error("ERR Protocol error: unauthenticated bulk length")
	errInline       = command.Error("ERR Protocol error: too big inline request")
	errQuotes       = command.Error("ERR Protocol error: unbalanced quotes in request")
	errCRLF         = command.Error("ERR Protocol error: invalid CRLF in request")
	// errBrowser ends a connection without a reply: a web page made a browser send an HTTP request
	// here.
	errBrowser = command.Error("HTTP")
)

// limits are the limits of a command.
type limits struct {
	bulk   int64 // bytes of an argument
	authed bool
	manners
}

// manners are how releases read what no client sends. Before them a zero byte hides the rest of a
// line, and any byte may follow a carriage return.
type manners struct {
	// A zero byte is a byte like others in the line with the number of arguments, or with the size
	// of one.
	zeroInCount, zeroInSize bool
	strict                  bool // a line feed follows a carriage return
}

func mannersOf(r *release.Release) manners {
	return manners{r.Has(release.From("valkey:8.1.0")), r.Has(release.From("8.6.0 valkey:8.1.0")),
		r.Has(release.From("valkey:9.1.0"))}
}

// request is what the parser remembers of a command that is not complete. The zero value is the
// start of a command.
type request struct {
	args  [][]byte // the arguments that the last call of parse completed
	count int      // number of arguments
	left  int      // number of those that are still to come; 0 before the first line
	size  int      // length of the next argument, valid if sized
	seen  int      // bytes of the unfinished line that are known not to end it

	sized bool // the line with the next argument's length is parsed
}

// parse continues with buf, which begins at the first byte that parse has not consumed yet. It
// returns how many bytes it consumed, and done if they complete the command. It appends to r.args
// the arguments that it has parsed, none for an empty command. If the command is not done, the
// caller keeps the bytes that were not consumed and passes them again, with more behind them.
func (r *request) parse(buf []byte, lim limits) (n int, done bool, err error) {
	switch {
	case r.left > 0:
		return r.bulks(buf, 0, lim)
	case len(buf) == 0:
		return 0, false, nil
	case buf[0] != '*':
		return r.inline(buf)
	}
	count, at, err := r.length(buf, maxArgs, errArgs, numberLine{errArgsLine, lim.zeroInCount, lim.strict})
	switch {
	case err != nil || at == 0:
		return 0, false, err
	case count > unauthedArgs && !lim.authed:
		return 0, false, errArgsUnauthed
	case count <= 0:
		return at, true, nil
	}
	r.count, r.left = int(count), int(count)
	return r.bulks(buf, at, lim)
}

// bulks parses the arguments from position at on: $3 GET $1 k.
func (r *request) bulks(buf []byte, at int, lim limits) (n int, done bool, err error) {
	if !r.sized && lim.authed {
		if end := r.plain(buf, at, lim.bulk); end > at {
			at, r.seen = end, 0
		}
	}
	for ; r.left > 0; r.left-- {
		if !r.sized {
			next, err := r.bulkLine(buf[at:], lim)
			if err != nil || next == 0 {
				return at, false, err
			}
			at += next
		}
		end := at + r.size
		if r.size > len(buf)-at-len("\r\n") {
			return at, false, nil
		}
		if lim.strict && (buf[end] != '\r' || buf[end+1] != '\n') {
			return at, false, errCRLF
		}
		r.args = append(r.args, buf[at:end:end])
		at, r.sized = end+len("\r\n"), false
	}
	return at, true, nil
}

// plain parses the arguments from position at on that are complete and within the limit, and
// returns the position behind them. It leaves all others to bulks, which is several times slower.
func (r *request) plain(buf []byte, at int, most int64) int {
	args, left := r.args, r.left
	for ; left > 0; left-- {
		i, size := at+1, 0
		for ; i < len(buf) && buf[i]-'0' < 10 && i-at <= 9; i++ {
			size = size*10 + int(buf[i]-'0')
		}
		start := i + len("\r\n")
		if i == at+1 || size > len(buf)-start-len("\r\n") || int64(size) > most ||
			buf[at] != '$' || buf[i] != '\r' || buf[i+1] != '\n' || buf[start+size] != '\r' ||
			buf[start+size+1] != '\n' || buf[at+1] == '0' && i > at+2 {
			break
		}
		at = start + size
		args = append(args, buf[start:at:at])
		at += len("\r\n")
	}
	r.args, r.left = args, left
	return at
}

// bulkLine parses the line with an argument's length at the front of buf, and returns the line's
// length, 0 if the line is not complete.
func (r *request) bulkLine(buf []byte, lim limits) (n int, err error) {
	line := numberLine{errBulkLine, lim.zeroInSize, lim.strict}
	if len(buf) > 0 && buf[0] != '$' {
		return 0, r.noDollar(buf, line)
	}
	size, n, err := r.length(buf, lim.bulk, errBulk, line)
	switch {
	case err != nil || n == 0:
		return 0, err
	case size < 0:
		return 0, errBulk
	case size > unauthedBulk && !lim.authed:
		return 0, errBulkUnauthed
	}
	r.size, r.sized = int(size), true
	return n, nil
}

// numberLine is a line with a number: the error if it is too long, and the manners.
type numberLine struct {
	tooLong      error
	zero, strict bool
}

// noDollar returns the error for an argument that does not begin with a dollar sign; nil until its
// line is complete.
func (r *request) noDollar(buf []byte, line numberLine) error {
	end, err := r.line(buf, '\r', line.tooLong, line.zero)
	if err != nil || end < 0 || end+2 > len(buf) {
		return err
	}
	return fmt.Errorf(errDollar, buf[:1]) // the byte as it is, which need not be a character
}

// length parses the line at the front of buf: a character and a number. It returns the number and
// the length of the line, 0 if the line is not complete.
func (r *request) length(buf []byte, most int64, wrong error, line numberLine) (number int64, n int, err error) {
	i := 1
	for i < len(buf) && i <= 10 && buf[i]-'0' < 10 {
		number = number*10 + int64(buf[i]-'0')
		i++
	}
	if i > 1 && i+1 < len(buf) && buf[i] == '\r' && buf[i+1] == '\n' && number <= most && (buf[1] != '0' || i == 2) {
		r.seen = 0
		return number, i + 2, nil
	}
	return r.oddLength(buf, most, wrong, line)
}

// oddLength is length for lines that are not complete or not a plain number within its limit.
func (r *request) oddLength(buf []byte, most int64, wrong error, line numberLine) (number int64, n int, err error) {
	end, err := r.line(buf, '\r', line.tooLong, line.zero)
	if err != nil || end < 0 || end+2 > len(buf) {
		return 0, 0, err
	}
	if line.strict && buf[end+1] != '\n' {
		return 0, 0, errCRLF
	}
	number, ok := resp.ParseInt(buf[1:end])
	if !ok || number > most {
		return 0, 0, wrong
	}
	r.seen = 0
	return number, end + 2, nil
}

// line returns the position of mark, which ends the line at the front of buf; -1 if it is not there
// yet, and the error tooLong if it is not among the first 64 kB. A zero byte hides what follows it,
// unless zero says that it is like others.
func (r *request) line(buf []byte, mark byte, tooLong error, zero bool) (end int, err error) {
	head := buf[:min(len(buf), maxLine+1)]
	if r.seen < len(head) && (head[r.seen] != 0 || zero) {
		end := bytes.IndexByte(head[r.seen:], mark)
		line := head[r.seen:]
		if end >= 0 {
			line = line[:end]
		}
		if hides := bytes.IndexByte(line, 0); hides >= 0 && !zero {
			end, line = -1, line[:hides]
		}
		r.seen += len(line)
		if end >= 0 {
			return r.seen, nil
		}
	}
	if len(buf) > maxLine {
		return -1, tooLong
	}
	return -1, nil
}

// inline parses a command that is a line of words, as typed in telnet.
func (r *request) inline(buf []byte) (n int, done bool, err error) {
	end, err := r.line(buf, '\n', errInline, false)
	if err != nil || end < 0 {
		return 0, false, err
	}
	r.seen = 0
	words, ok := resp.Words(bytes.TrimSuffix(buf[:end], []byte{'\r'}), r.args)
	if !ok {
		return 0, false, errQuotes
	}
	r.args = words
	return end + 1, true, nil
}

// browser returns errBrowser for a command that is the beginning of an HTTP request.
func browser(args [][]byte) error {
	if len(args) == 0 {
		return nil
	}
	if isWord(args[0], "post") || isWord(args[0], "host:") {
		return errBrowser
	}
	return nil
}

// Limits of a batch, which bound how long one client holds the engine's lock and its event loop.
const (
	batchCommands = 1024
	batchBytes    = 64 << 10 // as much as one read returns
)

// batch is complete commands of a connection. Arguments alias the input; the slices are reused from
// batch to batch.
type batch struct {
	request  // the command after them
	commands [][][]byte
	ends     []int // offset in the parsed bytes of each command's end
	last     int   // offset of the end of the last of them; -1 if the first one, which began earlier, is not complete
	done     int   // number of commands that are executed
	more     bool  // the limits of a batch have ended it
	err      error // the protocol error after the commands; it ends the connection
}

// parse parses the commands at the front of buf, within the limits of a batch, and returns how many
// bytes it consumed. A command on which the limits of the next one depend ends the batch.
func (b *batch) parse(buf []byte, lim limits) (n int) {
	b.commands, b.ends, b.done, b.more, b.err = b.commands[:0], b.ends[:0], 0, false, nil
	if b.last = 0; b.left > 0 {
		b.last = -1
	}
	for n < min(len(buf), batchBytes) && len(b.commands) < batchCommands {
		whole := b.left == 0
		if whole || b.args == nil {
			b.args = b.next()
		}
		b.args = b.args[:0]
		used, done, err := b.request.parse(buf[n:], lim)
		if n += used; done && whole {
			err = browser(b.args)
		}
		if b.err = err; err != nil || !done {
			return n
		}
		b.last = n
		b.commands = append(b.commands, b.args)
		b.ends = append(b.ends, n)
		if b.changesLimits(lim.authed, whole) {
			break
		}
	}
	b.more = n < len(buf)
	return n
}

// changesLimits reports whether the command that was parsed may log the client in or out. If it is
// not whole, its name is in an earlier buffer.
func (b *batch) changesLimits(authed, whole bool) bool {
	switch {
	case !whole:
		return !authed || b.count == 1
	case authed:
		return len(b.args) == 1 && isWord(b.args[0], "reset")
	}
	return len(b.args) > 0 && (isWord(b.args[0], "auth") || isWord(b.args[0], "hello"))
}

func isWord(arg []byte, word string) bool {
	return len(arg) == len(word) && bytes.EqualFold(arg, []byte(word))
}

// next returns the slice for the arguments of the next command.
func (b *batch) next() [][]byte {
	if i := len(b.commands); i < cap(b.commands) {
		return b.commands[:i+1][i]
	}
	return make([][]byte, 0, 8)
}

// suspend returns the command that is not complete, and forgets it. Its arguments are valid until
// the next parse, which reuses the slice if the caller passes the command on with it.
func (b *batch) suspend() request {
	r := b.request
	if b.request = (request{}); r.left == 0 {
		r.args = nil
	}
	return r
}

// unexecuted returns the offset in the parsed bytes of the first command that is not executed.
func (b *batch) unexecuted() int {
	if b.done == 0 {
		return 0
	}
	return b.ends[b.done-1]
}
