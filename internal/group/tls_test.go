package group

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/group/consensus"
	"github.com/miniserver-go/miniserver/internal/launch"
)

// company is a group in this process, on the real log.
type company struct {
	t       *testing.T
	list    []consensus.Member
	dirs    map[uint64]string
	members map[uint64]*Group
	mu      sync.Mutex
	said    strings.Builder // what the members log
}

func newCompany(t *testing.T, size int) *company {
	c := &company{t: t, dirs: make(map[uint64]string), members: make(map[uint64]*Group)}
	for id := range uint64(size) {
		port, err := launch.FreePort()
		require.NoError(t, err)
		c.list = append(c.list, consensus.Member{ID: id + 1, Address: fmt.Sprint("127.0.0.1:", port)})
		c.dirs[id+1] = t.TempDir()
	}
	t.Cleanup(func() {
		for id := range c.members {
			c.stop(id)
		}
	})
	return c
}

// start starts a member with parameters.
func (c *company) start(id uint64, settings map[string]string) {
	begin := time.Now()
	clock := func() int64 { return time.Since(begin).Nanoseconds() }
	e := engine.New(engine.Options{Clock: func() int64 { return time.Now().UnixMicro() }, Seed: 1})
	g := New(e, Options{Wall: func() int64 { return time.Now().UnixMicro() }, Nanos: clock, Log: c.log})
	e.Join(commands.Parts(e)...)
	e.Join(g.Part(), g.Messages())
	g.params.id, g.params.members, g.params.dir = id, c.list, c.dirs[id]
	for name, value := range settings {
		require.NoError(c.t, e.Params.Named(name).Set(value))
	}
	require.NoError(c.t, g.Open())
	c.members[id] = g
}

func (c *company) log(_ byte, format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(&c.said, format+"\n", args...)
}

func (c *company) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said.Reset()
}

// says waits for words in the log.
func (c *company) says(words string) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return strings.Contains(c.said.String(), words)
	}, time.Minute, 5*time.Millisecond, words)
}

func (c *company) stop(id uint64) {
	c.members[id].Close()
	delete(c.members, id)
}

// leader waits until a member leads that some others follow, and all of them have what it has.
func (c *company) leader(followers ...uint64) (leader uint64) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		for id, g := range c.members {
			if s := g.log.Status(); s.Seat != 0 && hasFollowers(s, append(followers, id)) {
				leader = id
				return true
			}
		}
		return false
	}, time.Minute, 5*time.Millisecond, "a leader with followers")
	return leader
}

func hasFollowers(s consensus.Status, ids []uint64) bool {
	n := 0
	for _, m := range s.Members {
		for _, id := range ids {
			if m.ID == id && m.Lag == 0 {
				n++
			}
		}
	}
	return n >= len(ids)
}

// secure are the parameters of a member that shows a certificate, and trusts only the same one.
func secure(t *testing.T) map[string]string {
	cert, key, err := launch.SelfSigned(t.TempDir())
	require.NoError(t, err)
	return map[string]string{"group-tls": "yes", "group-tls-cert-file": cert, "group-tls-key-file": key,
		"group-tls-ca-cert-file": cert}
}

func TestMembersWithTLS(t *testing.T) {
	c, settings := newCompany(t, 3), secure(t)
	for id := range c.dirs {
		c.start(id, settings)
	}
	leader := c.leader(1, 2, 3)
	other := leader%3 + 1
	for words, wrong := range map[string]map[string]string{
		"certificate signed by unknown authority":              secure(t),
		"tls: first record does not look like a TLS handshake": nil,
	} {
		c.stop(other)
		c.forget()
		c.start(other, wrong)
		c.says(words)
		require.Zero(t, c.members[other].log.Status().Contact)
	}
	c.stop(other)
	c.start(other, settings)
	c.leader(1, 2, 3)
}

// TestStrangersDoNotGetIn: who has no certificate of the group learns nothing at a member's port.
func TestStrangersDoNotGetIn(t *testing.T) {
	c := newCompany(t, 1)
	c.start(1, secure(t))
	c.leader()
	conn, err := net.Dial("tcp", c.list[0].Address)
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.Write([]byte("\x00 no handshake, but long enough to be taken for one"))
	require.NoError(t, err)
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	reply := make([]byte, 100)
	n, _ := conn.Read(reply)
	require.NotContains(t, string(reply[:n]), "127.0.0.1", "the card")
	c.says("tls: ")
}

func TestFilesOfTLSThatAreWrong(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for _, wrong := range [][3]string{
		{"group-tls-cert-file", "/nowhere", "group-tls: open /nowhere: no such file or directory"},
		{"group-tls-key-file", "/nowhere", "group-tls: open /nowhere: no such file or directory"},
		{"group-tls-ca-cert-file", "/nowhere", "group-tls: open /nowhere: no such file or directory"},
		{"group-tls-ca-cert-file", empty, "group-tls: " + empty + " holds no certificate"},
		{"group-tls-cert-file", empty, "group-tls: tls: failed to find any PEM data in certificate input"},
	} {
		s := secure(t)
		s[wrong[0]] = wrong[1]
		p := defaults()
		p.id, p.members = 1, []consensus.Member{{ID: 1, Address: "127.0.0.1:1"}}
		p.tls, p.cert, p.key, p.ca = true, s["group-tls-cert-file"], s["group-tls-key-file"],
			s["group-tls-ca-cert-file"]
		_, err := p.options()
		require.EqualError(t, err, wrong[2])
	}
}
