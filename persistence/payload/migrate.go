package payload

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"time"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/errno"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/resp"
)

// MIGRATE sends keys to another server, as RESTORE commands with the payloads of DUMP. When that
// server has confirmed a key, the key is deleted here.
//
//	AUTH, SELECT ──► +OK +OK, then RESTORE RESTORE ... ──► +OK -ERR ... ──► DEL of the confirmed
//
// The command is atomic because it blocks the server, as in Redis. Each call opens its own
// connection. Redis sends everything at once. This server sends no key before AUTH and SELECT have
// succeeded, since keys would otherwise end up in the target's database 0.

// Dialer reaches other servers.
type Dialer interface {
	// Dial connects to a server. It fails after the timeout, as does each Read and Write of the
	// connection. The error for a port that is not open wraps syscall.ECONNREFUSED, or what Windows
	// has for it.
	Dial(host, port string, timeout time.Duration) (io.ReadWriteCloser, error)
}

// Migration returns the part with MIGRATE.
func Migration(d Dialer) engine.Part {
	return engine.Part{State: &migrator{dialer: d, encoder: rdb.Encoder{Compress: true, Alone: true}},
		Families: []command.Family{migrationFamily}}
}

var migrationFamily = command.Family{Group: "generic", Commands: []command.Line{
	{Name: "migrate", Arity: -6, Flags: command.Write, Keys: command.Key(3, "RW access delete").
		And(command.KeysAfter("KEYS", -2, -1, 0, "RW access delete incomplete")).FoundBy(migratedKeys),
		Run: engine.On((*migrator).cmdMigrate), Secrets: secretsOfMigrate, ACL: "dangerous", Reply: "status",
		Since: "2.6.0", Was: []command.Was{{Before: "7.2.0", Edit: command.Writes("authentication=[<AUTH "+
			"auth(password)>@4.0.7|auth2(/username_password)=<AUTH2 username password>@6.0.0]",
			"authentication=[[AUTH auth(password)]@4.0.7|auth2(/username_password)=[AUTH2 username password]@6.0.0]")},
			{Before: "7.0.0", Edit: command.FindsKeys(migratedEarlier)}}, Syntax: `host port key-selector(/key_or_empty_string)=<key|empty-string(/empty_string)=""> destination-db timeout:integer [COPY]@3.0.0 [REPLACE]@3.0.0 authentication=[<AUTH auth(password)>@4.0.7|auth2(/username_password)=<AUTH2 username password>@6.0.0] [KEYS keys(key):key...]@3.0.6`,
		Summary: "Atomically transfers keys from one instance to another.", Tips: "nondeterministic_output",
		Complexity: "O(N), N being the size of the values, here and on the target",
		History: "3.0.0 The options `COPY` and `REPLACE`.\n" +
			"3.0.6 The option `KEYS`.\n" +
			"4.0.7 The option `AUTH`.\n" +
			"6.0.0 The option `AUTH2`."},
}}

// migratedKeys returns the positions of the keys: 3, or those after the word KEYS if the key at 3
// is empty. The last argument is not taken for the word.
func migratedKeys(args [][]byte) (at []int, ok bool) {
	for i := 6; i < len(args)-1; i++ {
		switch {
		case command.IsWord(args[i], "AUTH"):
			i++
		case command.IsWord(args[i], "AUTH2"):
			i += 2
		case command.IsWord(args[i], "KEYS") && len(args[3]) > 0:
			return nil, false
		case command.IsWord(args[i], "KEYS"):
			for i++; i < len(args); i++ {
				at = append(at, i)
			}
		}
	}
	if len(at) == 0 {
		at = []int{3}
	}
	return at, true
}

// migratedEarlier is migratedKeys before 7.0: the first word KEYS, which may stand where an option
// has its value, counts if the key at 3 is empty.
func migratedEarlier(args [][]byte) (at []int, ok bool) {
	for i := 6; i < len(args) && len(args[3]) == 0; i++ {
		if command.IsWord(args[i], "KEYS") {
			for i++; i < len(args); i++ {
				at = append(at, i)
			}
			return at, len(at) > 0
		}
	}
	return []int{3}, true
}

// migrator runs MIGRATE.
type migrator struct {
	dialer  Dialer
	encoder rdb.Encoder
}

// migration holds the arguments of a MIGRATE.
type migration struct {
	host, port, db  string
	timeout         time.Duration
	copies, replace bool
	login           [][]byte // the AUTH command; nil for none
	keys            [][]byte
}

// MIGRATE host port key | "" destination-db timeout [COPY] [REPLACE] [AUTH password | AUTH2
// username password] [KEYS key [key ...]]
func (m *migrator) cmdMigrate(c *engine.Call) {
	q := migrationOf(c)
	if !c.OK() {
		return
	}
	q.keys = present(c, q.keys)
	if len(q.keys) == 0 {
		c.Reply.Status("NOKEY")
		return
	}
	moved, err := m.move(c, q)
	if !q.copies {
		deleteMoved(c, moved)
	}
	if err != nil {
		c.Fail(err)
		return
	}
	c.Reply.Status("OK")
}

// present returns the keys that exist.
func present(c *engine.Call, keys [][]byte) (list [][]byte) {
	for _, key := range keys {
		if _, ok := engine.Read[keyspace.Value](c, key); ok {
			list = append(list, key)
		}
	}
	return list
}

func migrationOf(c *engine.Call) *migration {
	q := &migration{host: string(c.Arg()), port: string(c.Arg())}
	q.keys = [][]byte{c.Arg()}
	db, timeout := c.Arg(), c.Arg()
	for c.More() {
		switch {
		case c.Word("COPY"):
			q.copies = true
		case c.Word("REPLACE"):
			q.replace = true
		case c.Left() > 1 && c.Word("AUTH"):
			q.login = credentials(c, 1)
		case c.Left() > 2 && c.Word("AUTH2"):
			q.login = credentials(c, 2)
		case c.Word("KEYS"):
			if len(q.keys[0]) > 0 {
				c.Refuse(errMigrateKeys)
			}
			q.keys = c.Rest()
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	n, ok := resp.ParseInt(timeout)
	number, isNumber := resp.ParseInt(db)
	if !ok || !isNumber {
		c.Refuse(engine.ErrNotInt)
	}
	if n <= 0 {
		n = 1000
	}
	q.timeout = time.Duration(min(n, int64(time.Hour/time.Millisecond))) * time.Millisecond
	q.db = strconv.FormatInt(number, 10)
	return q
}

// credentials reads n arguments of AUTH. It returns the AUTH command.
func credentials(c *engine.Call, n int) [][]byte {
	return append([][]byte{[]byte("AUTH")}, c.Next(n)...)
}

// secretsOfMigrate returns the positions of the user names and passwords.
func secretsOfMigrate(args [][]byte) (at []int) {
	for i := 6; i < len(args) && !command.IsWord(args[i], "KEYS"); i++ {
		switch {
		case command.IsWord(args[i], "AUTH"):
			at = append(at, i+1)
			i++
		case command.IsWord(args[i], "AUTH2"):
			at = append(at, i+1, i+2)
			i += 2
		}
	}
	return at
}

// deleteMoved deletes the keys that the target has confirmed, and propagates that as one DEL.
func deleteMoved(c *engine.Call, moved [][]byte) {
	line := [][]byte{[]byte("DEL")}
	for _, key := range moved {
		if c.DB.Delete(key) {
			line = append(line, key)
			c.Changed(key, event.Del)
		}
	}
	if len(line) > 1 {
		c.Propagate(line...)
	}
}

// move sends the keys. It returns the confirmed ones, and an error unless all are.
func (m *migrator) move(c *engine.Call, q *migration) (moved [][]byte, err error) {
	conn, err := m.dialer.Dial(q.host, q.port, q.timeout)
	switch {
	case errno.Refused(err):
		return nil, errMigrateWrite
	case err != nil:
		return nil, errMigrateDial
	}
	defer func() { _ = conn.Close() }()
	t := &target{in: bufio.NewReaderSize(conn, 1<<10), out: bufio.NewWriterSize(conn, 64<<10)}
	if t.handshake(q); t.err != nil {
		return nil, t.err
	}
	for _, key := range q.keys {
		m.send(c, q, t, key)
	}
	t.flush()
	for _, key := range q.keys {
		if t.broken {
			break
		}
		if t.readOK() {
			moved = append(moved, key)
		}
	}
	return moved, t.err
}

// send writes the RESTORE of a key, with the remaining TTL.
func (m *migrator) send(c *engine.Call, q *migration, t *target, key []byte) {
	v, _ := c.DB.Find(key)
	m.encoder.Format = Format(c.Engine)
	t.payload = m.encoder.Payload(t.payload[:0], v)
	ttl, _ := c.DB.Deadline(key)
	if ttl != 0 {
		ttl = max(ttl-c.Now(), 1)
	}
	restore := []byte("RESTORE")
	if c.Engine.Config.Cluster {
		restore = []byte("RESTORE-ASKING")
	}
	args := [][]byte{restore, key, strconv.AppendInt(nil, ttl, 10), t.payload}
	if q.replace {
		args = append(args, []byte("REPLACE"))
	}
	t.send(args...)
}

// target is the connection to the other server. It keeps the first error.
type target struct {
	in      *bufio.Reader
	out     *bufio.Writer
	payload []byte // of the key being sent
	err     error
	broken  bool // nothing more can be read or written
}

func (t *target) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// handshake authenticates, if necessary, and selects the database.
func (t *target) handshake(q *migration) {
	if q.login != nil {
		t.send(q.login...)
	}
	t.send([]byte("SELECT"), []byte(q.db))
	t.flush()
	if q.login != nil {
		t.readOK()
	}
	if !t.broken {
		t.readOK()
	}
}

// send adds a command to the output buffer. flush records its errors.
func (t *target) send(args ...[]byte) {
	var room [32]byte
	_, _ = t.out.Write(strconv.AppendInt(append(room[:0], '*'), int64(len(args)), 10))
	for _, a := range args {
		_, _ = t.out.Write(append(strconv.AppendInt(append(room[:0], "\r\n$"...), int64(len(a)), 10), "\r\n"...))
		_, _ = t.out.Write(a)
	}
	_, _ = t.out.WriteString("\r\n")
}

// flush writes the output buffer. It records its own error or that of an earlier send.
func (t *target) flush() {
	if t.out.Flush() != nil {
		t.broken = true
		t.fail(errMigrateWrite)
	}
}

// readOK reads a reply, and reports whether it is not an error.
func (t *target) readOK() bool {
	if t.broken {
		return false
	}
	line, err := t.in.ReadSlice('\n')
	switch {
	case err != nil:
		t.broken = true
		t.fail(errMigrateRead)
		return false
	case line[0] == '-':
		t.fail(command.Errorf(errMigrateRefused, bytes.TrimRight(line[1:], "\r\n")))
		return false
	}
	return true
}
