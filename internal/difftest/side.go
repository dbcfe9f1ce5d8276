package difftest

import (
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/miniserver-go/miniserver/internal/transcript"
	"github.com/miniserver-go/miniserver/resp"
)

// replyTime bounds the duration of a batch: a server that hangs is a difference too.
const replyTime = 2 * time.Minute

// Side is one of the two servers to compare.
type Side struct {
	Name, Network, Address string
}

// session is a side during one sequence of commands: two fresh connections to an empty server.
type session struct {
	side  Side
	conns [2]*client
}

type client struct {
	socket net.Conn
	reader *resp.Reader
}

// open empties the server and connects to it.
func (s Side) open(proto int, setup []Command) (*session, error) {
	opened := &session{side: s}
	for i := range opened.conns {
		socket, err := net.Dial(s.Network, s.Address)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		opened.conns[i] = &client{socket, resp.NewReader(socket)}
		if proto == 3 {
			hello := Command{Args: []string{"HELLO", strconv.Itoa(proto)}}
			if _, err := opened.batch(i, []Command{hello}); err != nil {
				return nil, err
			}
		}
	}
	replies, err := opened.batch(0, setup)
	for i, reply := range replies {
		if reply.IsError() {
			err = fmt.Errorf("%s refuses %s: %s", s.Name, setup[i], reply.Text)
		}
	}
	return opened, err
}

func (s *session) close() {
	for _, c := range s.conns {
		if c != nil {
			c.socket.Close()
		}
	}
}

// batch sends commands on one connection and returns their replies, fewer if the server
// stopped answering.
func (s *session) batch(conn int, commands []Command) ([]resp.Value, error) {
	c := s.conns[conn]
	w := resp.NewWriter(2)
	for _, command := range commands {
		if command.needsCalm() {
			w.Command(calm...)
		}
		w.Command(command.Args...)
	}
	if err := c.socket.SetDeadline(time.Now().Add(replyTime)); err != nil {
		return nil, err
	}
	written := make(chan error, 1)
	go func() {
		_, err := c.socket.Write(w.Bytes())
		written <- err
	}()
	var replies []resp.Value
	for _, command := range commands {
		v, err := c.reader.Read()
		if err == nil && command.needsCalm() {
			v, err = c.reader.Read()
		}
		if err != nil {
			return replies, fmt.Errorf("%s: %w", s.side.Name, err)
		}
		replies = append(replies, v)
	}
	return replies, <-written
}

// calm is sent before a SORT, and its reply is left out. Redis does not clear errno before it reads
// a weight: a number that was too large or too small for any earlier command would make the SORT
// fail. This command clears it, and does nothing else.
var calm = []string{"ZADD", "nothing", "XX", "1", "m"}

func (c Command) needsCalm() bool { return isOneOf(c, "SORT", "SORT_RO") }

// readers are the commands that read a whole value, by type. An empty argument stands for the key.
var readers = map[string]struct {
	args []string
	mode Mode
}{
	"string":    {[]string{"GET", ""}, Mode{}},
	"hash":      {[]string{"HGETALL", ""}, Mode{Order: transcript.Pairs}},
	"zset":      {[]string{"ZRANGE", "", "0", "-1", "WITHSCORES"}, Mode{}},
	"set":       {[]string{"SMEMBERS", ""}, Mode{Order: transcript.Sorted}},
	"list":      {[]string{"LRANGE", "", "0", "-1"}, Mode{}},
	"MBbloom--": {[]string{"BF.SCANDUMP", "", "1"}, Mode{}},
	"MBbloomCF": {[]string{"DUMP", ""}, Mode{}},
	"CMSk-TYPE": {[]string{"DUMP", ""}, Mode{}},
	"TopK-TYPE": {[]string{"TOPK.LIST", "", "WITHCOUNT"}, Mode{}},
	"TDIS-TYPE": {[]string{"TDIGEST.QUANTILE", "", "0", "0.1", "0.5", "0.9", "1"}, Mode{}},
	"ReJSON-RL": {[]string{"JSON.GET", ""}, Mode{}},
	"trietype0": {[]string{"FT.SUGGET", "", "", "MAX", "1000", "WITHSCORES"}, Mode{}},
	"stream":    {[]string{"XINFO", "STREAM", "", "FULL", "COUNT", "0"}, Mode{Times: true}},
}

// dump returns the commands that read a whole database, for the keys and types that this side
// reports. The first connection must not be in MULTI.
func (s *session) dump(db int) ([]Command, error) {
	commands := []Command{
		{Args: []string{"SELECT", strconv.Itoa(db)}},
		{Args: []string{"KEYS", "*"}, Mode: Mode{Order: transcript.Sorted}},
	}
	replies, err := s.batch(0, commands)
	if err != nil {
		return nil, err
	}
	keys := replies[1].Elems
	var asks []Command
	for _, key := range keys {
		asks = append(asks, Command{Args: []string{"TYPE", key.Text}})
	}
	types, err := s.batch(0, asks)
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		commands = append(commands, asks[i],
			Command{Args: []string{"PTTL", key.Text}, Mode: Mode{Near: 5000}},
			Command{Args: []string{"OBJECT", "ENCODING", key.Text}})
		if how, ok := readers[types[i].Text]; ok {
			args := append([]string(nil), how.args...)
			for j := range args {
				if args[j] == "" {
					args[j] = key.Text
				}
			}
			commands = append(commands, Command{Args: args, Mode: how.mode})
		}
	}
	return commands, nil
}
