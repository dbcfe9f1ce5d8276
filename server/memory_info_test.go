package server

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
)

// fields are the numbers of a client's line in CLIENT LIST.
type fields map[string]int

var field = regexp.MustCompile(`(\S+)=(-?\d+)`)

// fieldsOf returns the line of a client.
func (r *running) fieldsOf(t *testing.T, id string) fields {
	line := r.inside("CLIENT LIST ID " + id)
	require.Contains(t, line, "id="+id+" ")
	f := make(fields)
	for _, m := range field.FindAllStringSubmatch(line, -1) {
		f[m[1]], _ = strconv.Atoi(m[2])
	}
	return f
}

// identified returns a connection and its id.
func (r *running) identified(t *testing.T) (c *client, id string) {
	c = r.dial(t)
	return c, strings.TrimPrefix(c.ask("CLIENT ID"), ":")
}

// until waits until the client's fields meet a condition, and returns them.
func (r *running) until(t *testing.T, id string, cond func(f fields) bool) (f fields) {
	eventually(t, "the fields of CLIENT LIST", func() bool {
		f = r.fieldsOf(t, id)
		return cond(f)
	})
	return f
}

// The sizes in CLIENT LIST mean what they mean in Redis 8.0.
func TestSizesInClientList(t *testing.T) {
	r := start(t, Options{})
	c, id := r.identified(t)
	require.Equal(t, fields{"qbuf": 0, "qbuf-free": 0, "argv-mem": 0, "multi-mem": 0, "obl": 0, "oll": 0, "omem": 0},
		r.until(t, id, func(f fields) bool { return f["omem"] == 0 }).only("qbuf", "qbuf-free", "argv-mem", "multi-mem",
			"obl", "oll", "omem"), "idle")

	c.send("*5\r\n$5\r\nRPUSH\r\n$1\r\nk\r\n$5\r\nabc")
	f := r.until(t, id, func(f fields) bool { return f["qbuf"] == 3 })
	require.Positive(t, f["qbuf-free"], "room for the rest")
	require.InDelta(t, len("RPUSH")+len("k"), f["argv-mem"], 25, "with the lines of their lengths")
	c.send("de\r\n$30\r\n")
	f = r.until(t, id, func(f fields) bool { return f["qbuf"] == 0 })
	require.InDelta(t, len("RPUSHkabcde"), f["argv-mem"], 40)
	c.send(strings.Repeat("x", 30) + "\r\n$1\r\nz\r\n")
	require.Equal(t, ":3", c.line())
	require.Zero(t, r.until(t, id, func(f fields) bool { return f["argv-mem"] == 0 })["qbuf"])

	c.send("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$100000\r\n" + strings.Repeat("x", 40_000))
	f = r.until(t, id, func(f fields) bool { return f["qbuf"] == 40_000 })
	require.Greater(t, f["tot-mem"], 40_000)
	c.send(strings.Repeat("x", 60_000) + "\r\n")
	require.Equal(t, "+OK", c.line())

	require.Equal(t, "+OK", c.ask("MULTI"))
	require.Equal(t, "+QUEUED", c.ask("SET k "+strings.Repeat("v", 1000)))
	require.InDelta(t, 1004, r.fieldsOf(t, id)["multi-mem"], 100)
	require.Equal(t, "+OK", c.ask("DISCARD"))

	c.send("BLPOP none 0\r\n")
	r.until(t, id, func(f fields) bool { return f["argv-mem"] == len("BLPOPnone0") })
	c.send("PING\r\nPING\r\n")
	r.until(t, id, func(f fields) bool { return f["qbuf"] == len("PING\r\nPING\r\n") })
}

func (f fields) only(names ...string) fields {
	some := make(fields)
	for _, name := range names {
		some[name] = f[name]
	}
	return some
}

// Output that the client does not read is in omem, and in blocks in oll.
func TestUnreadOutputInClientList(t *testing.T) {
	r := start(t, Options{})
	c, id := r.identified(t)
	const size = 1 << 20
	require.Equal(t, "+OK",
		c.ask(fmt.Sprintf("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%s", size, strings.Repeat("x", size))))
	replies := 0
	f := r.until(t, id, func(f fields) bool {
		c.send("GET k\r\n") // once more, because the peak in rbp is one of the last seconds
		replies++
		return f["omem"] > size && f["rbp"] >= size
	})
	require.Equal(t, (f["omem"]+16<<10-1)/(16<<10), f["oll"])
	require.Greater(t, f["tot-mem"], f["omem"])
	header := fmt.Sprintf("$%d", size)
	for range replies {
		require.Equal(t, header, c.line())
		require.Len(t, c.line(), size)
	}
	r.until(t, id, func(f fields) bool { return f["omem"] == 0 && f["oll"] == 0 })
}

// Clients that are half way through an argument count the whole of it, all the same number, and so
// maxmemory-clients ends as many as in Redis. What has not arrived is not in used_memory.
func TestHalfAnArgumentCountsAsInRedis(t *testing.T) {
	dir, err := os.MkdirTemp("", "unix")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	ours := filepath.Join(dir, "s")
	r := start(t, Options{Port: -1, UnixSocket: ours})
	const size = 10_000_000
	for _, path := range []string{reference.Default.Start(t).Socket, ours} {
		for _, arrived := range []int{0, 1000, 100_000, size / 2} {
			h := dialHalves(t, path, 10, size, arrived)
			eventually(t, "all of it counts", func() bool {
				h.sendMore()
				sizes := h.sizes()
				return slices.Min(sizes) >= size && slices.Max(sizes) < size+size/100
			})
			if path == ours {
				require.Less(t, r.engine.Held(), int64(2*len(h.clients)*(arrived+batchBytes)))
			}
			h.sendMore()
			exchange(t, path, fmt.Sprintf("CONFIG SET maxmemory-clients %d\r\n", len(h.clients)*size/2+size/2))
			eventually(t, "some are ended", func() bool { return len(h.sizes()) < len(h.clients) })
			require.Len(t, h.sizes(), len(h.clients)/2)
			exchange(t, path, "CONFIG SET maxmemory-clients 0\r\n")
			h.close()
		}
	}
}

// halves are clients that have sent a part of an argument.
type halves struct {
	t       *testing.T
	path    string
	clients []net.Conn
}

func dialHalves(t *testing.T, path string, clients, size, arrived int) *halves {
	h := &halves{t: t, path: path}
	for range clients {
		c, err := net.Dial("unix", path)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		_, err = fmt.Fprintf(c, "CLIENT SETNAME half\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%s", size,
			strings.Repeat("x", arrived))
		require.NoError(t, err)
		require.Equal(t, "+OK\r\n", receive(t, c, patience))
		h.clients = append(h.clients, c)
	}
	return h
}

// sendMore keeps the clients from falling silent, which would release their room.
func (h *halves) sendMore() {
	for _, c := range h.clients {
		_, err := c.Write([]byte("x"))
		require.NoError(h.t, err)
	}
}

var totalOfHalf = regexp.MustCompile(` name=half .* tot-mem=(\d+)`)

// sizes returns what each of the clients that are left counts, in bytes.
func (h *halves) sizes() (sizes []int) {
	for _, m := range totalOfHalf.FindAllStringSubmatch(exchange(h.t, h.path, "CLIENT LIST\r\n"), -1) {
		n, _ := strconv.Atoi(m[1])
		sizes = append(sizes, n)
	}
	return sizes
}

func (h *halves) close() {
	for _, c := range h.clients {
		_ = c.Close()
	}
	eventually(h.t, "they are closed", func() bool { return len(h.sizes()) == 0 })
}
