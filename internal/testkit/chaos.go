package testkit

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// Chaos makes choices that Redis may make at any time, and in a test hardly ever does. Code that
// relies on what is not promised fails then. Each whim is switched on for a world, and takes its
// random numbers from there.
//
// A whim stands around the handlers of the commands that it concerns while it is on in some world,
// so that clients, transactions and scripts all meet it. While it is off nothing knows of it.

// whim is a kind of such choices.
type whim struct {
	name, summary string
	concerns      func(cmd *command.Command) bool
	run           func(c *engine.Call, plain engine.Handler) // in place of the plain handler
}

// whims returns all whims, ordered by name.
func whims() [whimCount]whim {
	return [...]whim{
		{"evict", "Forgets all cached scripts now and then, when EVALSHA comes. Functions stay.", isByDigest, evicted},
		{"order", "Returns sets, hashes and lists of keys in another order each time.", isUnordered, shuffled},
		{"scan", "Returns empty pages and pages twice in SCAN and its relatives.", hasCursor, repeated},
		{"time", "Lets a key or an element be gone for a command that comes in its last millisecond.",
			(*command.Command).HasKeys, lastMoment},
	}
}

// setWhim switches a whim on or off in a world.
func (k *Kit) setWhim(w *worldOf, i int, on bool) {
	if w.chaos[i] == on {
		return
	}
	if w.chaos[i] = on; on {
		k.wiring.worlds[i]++
	} else {
		k.wiring.worlds[i]--
	}
	k.rewire()
}

// endChaos switches all whims off in a world.
func (k *Kit) endChaos(w *worldOf) {
	for i := range w.chaos {
		k.setWhim(w, i, false)
	}
}

// rewire puts the whims that are on in some world around the handlers that they concern.
func (k *Kit) rewire() {
	for cmd, plain := range k.wiring.plain {
		k.engine.Handle(cmd, plain)
	}
	k.wiring.plain = make(map[*command.Command]engine.Handler)
	for i, w := range whims() {
		if k.wiring.worlds[i] == 0 {
			continue
		}
		for _, cmd := range k.engine.Commands.All() {
			k.wrap(cmd, i, w)
			for _, sub := range cmd.Subs {
				k.wrap(sub, i, w)
			}
		}
	}
}

// wrap puts a whim around a command's handler, if it concerns the command.
func (k *Kit) wrap(cmd *command.Command, i int, w whim) {
	plain := k.engine.Handler(cmd)
	if plain == nil || !w.concerns(cmd) {
		return
	}
	if _, known := k.wiring.plain[cmd]; !known {
		k.wiring.plain[cmd] = plain
	}
	k.engine.Handle(cmd, func(c *engine.Call) {
		if here(c).chaos[i] {
			w.run(c, plain)
		} else {
			plain(c)
		}
	})
}

func isByDigest(cmd *command.Command) bool { return cmd.Flags&command.ByDigest != 0 }

// evicted forgets all scripts before one in eight of its calls.
func evicted(c *engine.Call, plain engine.Handler) {
	if c.World.Dice(8) == 0 {
		c.World.Forget()
	}
	plain(c)
}

// isUnordered reports whether a command reads data and promises no order. Before there were tips, a
// flag said so.
func isUnordered(cmd *command.Command) bool {
	told := cmd.Flags&command.SortForScript != 0 ||
		slices.Contains(strings.Fields(cmd.Tips), "nondeterministic_output_order")
	return told && cmd.Flags&command.ReadOnly != 0
}

// shuffled changes the order of the elements of a reply.
func shuffled(c *engine.Call, plain engine.Handler) {
	start, proto := c.Reply.Len(), c.Reply.Proto()
	c.Reply.SetProto(3) // in which maps and sets show
	plain(c)
	c.Reply.SetProto(proto)
	if c.Reply.Full() {
		return
	}
	kind, elements := splitReply(bytes.Clone(c.Reply.Bytes()[start:]))
	for i := len(elements) - 1; i > 0; i-- {
		j := c.World.Dice(uint64(i + 1))
		elements[i], elements[j] = elements[j], elements[i]
	}
	switch c.Reply.Truncate(start); kind {
	case '*':
		c.Reply.Array(len(elements))
	case '~':
		c.Reply.Set(len(elements))
	case '%':
		c.Reply.Map(len(elements))
	}
	for _, element := range elements {
		c.Reply.Raw(element)
	}
}

// splitReply returns the elements of an array or a set of bulk strings, or the pairs of a map of
// them. Any other reply is its own only element.
func splitReply(reply []byte) (kind byte, elements [][]byte) {
	header, rest, _ := bytes.Cut(reply, []byte("\r\n"))
	n, _ := resp.ParseInt(header[1:])
	each := 1
	switch kind = header[0]; kind {
	case '%':
		each = 2
	case '*', '~':
	default:
		return kind, [][]byte{reply}
	}
	for range n {
		length := 0
		for range each {
			length += bulkLen(rest[length:])
		}
		elements, rest = append(elements, rest[:length]), rest[length:]
	}
	return kind, elements
}

// bulkLen returns the length of the bulk string at the start of a reply, with its header.
func bulkLen(reply []byte) int {
	header, _, _ := bytes.Cut(reply, []byte("\r\n"))
	n, _ := resp.ParseInt(header[1:])
	return len(header) + int(n) + 2*len("\r\n")
}

func hasCursor(cmd *command.Command) bool { return cmd.CursorAt() > 0 }

// again is a bit that no cursor of an iteration has. A page with it in its cursor leads to the same
// place once more, where no other whim awaits the client. JavaScript counts as far.
const again = 1 << 52

// repeated sends some pages twice, and an empty page before others.
func repeated(c *engine.Call, plain engine.Handler) {
	at, start := c.Cmd.CursorAt(), c.Reply.Len()
	text := c.Args[at]
	cursor, ok := resp.ParseInt(text)
	second := ok && cursor&again != 0
	if second {
		c.Args[at] = strconv.AppendInt(nil, cursor&^again, 10)
		defer func() { c.Args[at] = text }() // MONITOR shows what the client has sent
	}
	plain(c)
	page := c.Reply.Bytes()[start:]
	if !ok || second || c.Reply.Full() || page[0] != '*' {
		return
	}
	roll := c.World.Dice(4)
	if roll > 1 {
		return
	}
	page = bytes.Clone(page[len("*2\r\n"):])
	c.Reply.Truncate(start)
	c.Reply.Array(2)
	c.Reply.BulkString(strconv.FormatInt(cursor|again, 10))
	if roll == 0 {
		c.Reply.Array(0)
	} else {
		c.Reply.Raw(page[bulkLen(page):])
	}
}

// lastMoment looks up the keys of a command a millisecond later, when they or elements of their
// values may be due, and so expire.
func lastMoment(c *engine.Call, plain engine.Handler) {
	keys, _ := c.Cmd.Keys.At(c.Args)
	c.World.Keyspace.Now++
	for _, k := range keys {
		c.DB.Exists(c.Args[k.At])
	}
	c.World.Keyspace.Now--
	plain(c)
}
