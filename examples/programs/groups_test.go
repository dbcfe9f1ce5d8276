package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// Clients that know nothing of groups find the leader, also the next one: after it has handed over
// its seat, and after it was killed. Nothing that was confirmed is lost, and locks stay locks.

func TestGroupInSentinelMode(t *testing.T) {
	g := startGroup(t)
	g.outlives(t, redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "mymaster", SentinelAddrs: g.addresses(),
		ContextTimeoutEnabled: true}))
}

// TestGroupInClusterMode has go-redis look at the nodes each second: by default it does so once in
// a minute, and meanwhile asks a leader that is dead.
func TestGroupInClusterMode(t *testing.T) {
	g := startGroup(t, "--cluster-enabled", "yes")
	g.outlives(t, redis.NewClusterClient(&redis.ClusterOptions{Addrs: g.addresses(), ContextTimeoutEnabled: true,
		ClusterStateReloadInterval: time.Second}))
}

// TestGroupWithTLS has clients and members that speak TLS: clients are told the port that speaks
// it, by group-announce where there is another port as well.
func TestGroupWithTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key, err := launch.SelfSigned(dir)
	require.NoError(t, err)
	pem, err := os.ReadFile(cert)
	require.NoError(t, err)
	trusted := x509.NewCertPool()
	require.True(t, trusted.AppendCertsFromPEM(pem))
	config := &tls.Config{RootCAs: trusted, ServerName: "127.0.0.1"}
	options := strings.Fields(
		fmt.Sprintf("--cluster-enabled yes --tls-cert-file %[1]s --tls-key-file %[2]s --tls-auth-clients no "+
			"--group-tls yes --group-tls-cert-file %[1]s --group-tls-key-file %[2]s --group-tls-ca-cert-file %[1]s",
			cert, key))
	g := newGroup(t, options...)
	var addresses []string
	for id := range g.dirs {
		port, err := launch.FreePort()
		require.NoError(t, err)
		addresses = append(addresses, fmt.Sprint("127.0.0.1:", port))
		g.own[id] = []string{"--tls-port", strconv.Itoa(port), "--group-announce", fmt.Sprint("127.0.0.1:", port)}
	}
	g.startAll(t)
	g.outlives(t, redis.NewClusterClient(&redis.ClusterOptions{Addrs: addresses, TLSConfig: config,
		ContextTimeoutEnabled: true, ClusterStateReloadInterval: time.Second}))
	g.outlives(t, redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "mymaster", SentinelAddrs: addresses,
		TLSConfig: config, ContextTimeoutEnabled: true}))
}

// TestGroupWithOneAddress has a client that knows one member and nothing of groups. That member
// passes its connections on.
func TestGroupWithOneAddress(t *testing.T) {
	g := startGroup(t, "--group-forward", "yes")
	if g.leader(t) == 1 {
		g.transfer(t, 2)
	}
	g.spared = 1
	g.outlives(t, redis.NewClient(&redis.Options{Addr: g.servers[1].Address, ContextTimeoutEnabled: true}))
}

// TestLocksInAGroup counts under a lock, by reading and writing, while leaders are killed. A lock
// that two had at once, or a write that was lost, would show in the sum.
func TestLocksInAGroup(t *testing.T) {
	g := startGroup(t)
	client := redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "mymaster", SentinelAddrs: g.addresses()})
	defer client.Close()
	ctx, stop := context.WithCancel(t.Context())
	counts := make([]int, 4)
	var workers sync.WaitGroup
	for w := range counts {
		workers.Go(func() {
			for ; ctx.Err() == nil; counts[w]++ {
				addUnderLock(t.Context(), client)
			}
		})
	}
	sum := func() int { n, _ := client.Get(t.Context(), "sum").Int(); return n }
	for range 2 {
		before := sum()
		await(t, "they count", func() bool { return sum() > before+50 })
		g.kill(t)
	}
	before := sum()
	await(t, "they go on", func() bool { return sum() > before+50 })
	stop()
	workers.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	require.Equal(t, total, sum())
}

// addUnderLock adds 1 to a number, and repeats whatever fails. A lock whose reply was lost is found
// by its secret.
func addUnderLock(ctx context.Context, client *redis.Client) {
	secret := rand.Text()
	insist := func(do func() error) {
		for err := do(); err != nil && !errors.Is(err, redis.Nil) && ctx.Err() == nil; err = do() {
			time.Sleep(10 * time.Millisecond)
		}
	}
	for locked := false; !locked && ctx.Err() == nil; {
		err := client.SetArgs(ctx, "lock", secret, redis.SetArgs{Mode: "NX", TTL: time.Hour}).Err()
		if locked = err == nil; !locked {
			owner := ""
			insist(func() (err error) { owner, err = client.Get(ctx, "lock").Result(); return err })
			locked = owner == secret
		}
	}
	n := 0
	insist(func() (err error) { n, err = client.Get(ctx, "sum").Int(); return err })
	insist(func() error { return client.Set(ctx, "sum", n+1, 0).Err() })
	insist(func() error { return release.Run(ctx, client, []string{"lock"}, secret).Err() })
}

// group is the processes of a group.
type group struct {
	path, members string
	options       []string
	own           map[int][]string // further options of a member
	dirs          map[int]string
	servers       map[int]*launch.Server
	spared        int // never to be killed, nor to lead by a transfer
}

func startGroup(t *testing.T, options ...string) *group {
	g := newGroup(t, options...)
	g.startAll(t)
	return g
}

func newGroup(t *testing.T, options ...string) *group {
	path, err := launch.Build(filepath.Join("..", ".."), "./cmd/miniserver", "-pgo=off")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(path)) })
	g := &group{path: path, options: options, own: make(map[int][]string), dirs: make(map[int]string),
		servers: make(map[int]*launch.Server)}
	var words []string
	for id := 1; id <= 3; id++ {
		port, err := launch.FreePort()
		require.NoError(t, err)
		words = append(words, fmt.Sprintf("%d=127.0.0.1:%d", id, port))
		g.dirs[id] = t.TempDir()
	}
	g.members = strings.Join(words, ",")
	return g
}

func (g *group) startAll(t *testing.T) {
	for id := range g.dirs {
		g.start(t, id)
	}
	t.Cleanup(func() {
		for _, s := range g.servers {
			s.Stop()
		}
	})
	g.leader(t)
}

func (g *group) start(t *testing.T, id int) {
	args := append([]string{"--dir", g.dirs[id], "--group-id", strconv.Itoa(id), "--group-members", g.members,
		"--group-heartbeat", "1000"}, slices.Concat(g.options, g.own[id])...)
	s, err := launch.Start(launch.Spec{Path: g.path, Args: args})
	require.NoError(t, err)
	g.servers[id] = s
}

func (g *group) addresses() (list []string) {
	for _, s := range g.servers {
		list = append(list, s.Address)
	}
	return list
}

// ask sends a command to a member, which answers for itself.
func (g *group) ask(t *testing.T, id int, args ...any) (any, error) {
	client := redis.NewClient(&redis.Options{Addr: g.servers[id].Address, MaxRetries: -1, Protocol: 2,
		DisableIdentity: true,
		OnConnect:       func(ctx context.Context, c *redis.Conn) error { return c.ReadWrite(ctx).Err() }})
	defer client.Close()
	return client.Do(t.Context(), args...).Result()
}

// leader waits until there is one, and returns its id.
func (g *group) leader(t *testing.T) (leader int) {
	await(t, "somebody leads", func() bool {
		for id := range g.servers {
			role, err := g.ask(t, id, "ROLE")
			if words, ok := role.([]any); ok && err == nil && words[0] == "master" {
				leader = id
				return true
			}
		}
		return false
	})
	return leader
}

// transfer hands the leader's seat to a member.
func (g *group) transfer(t *testing.T, to int) {
	await(t, "it leads", func() bool {
		leader := g.leader(t)
		if leader != to {
			g.ask(t, leader, "GROUP", "TRANSFER", to)
		}
		return leader == to
	})
}

// kill kills the leader, unless it is to be spared, waits for the next one, and starts the killed
// one again.
func (g *group) kill(t *testing.T) {
	id := g.leader(t)
	for ; id == g.spared; id = g.leader(t) {
		g.transfer(t, g.another(t))
	}
	require.NoError(t, g.servers[id].Stop())
	delete(g.servers, id)
	g.leader(t)
	g.start(t, id)
}

// another returns a member that does not lead.
func (g *group) another(t *testing.T) int {
	leader := g.leader(t)
	for id := 1; ; id++ {
		if id != leader && id != g.spared {
			return id
		}
	}
}

// outlives has a client write, read and receive messages, while leaders hand over and are killed.
// Whatever was confirmed must be there at the end.
func (g *group) outlives(t *testing.T, client redis.UniversalClient) {
	defer client.Close()
	messages := client.Subscribe(t.Context(), "news")
	defer messages.Close()
	received := messages.Channel()
	exchange(t, client, "before", received)

	ctx, stop := context.WithCancel(t.Context())
	var confirmed []int
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			if client.Set(ctx, fmt.Sprint("key:", n), n, 0).Err() == nil {
				confirmed = append(confirmed, n)
			}
		}
	})
	g.transfer(t, g.another(t))
	exchange(t, client, "transferred", received)
	g.kill(t)
	exchange(t, client, "killed", received)
	stop()
	writer.Wait()
	require.NotEmpty(t, confirmed)
	for _, n := range confirmed {
		got := ""
		await(t, "it can be read", func() (ok bool) {
			var err error
			got, err = client.Get(t.Context(), fmt.Sprint("key:", n)).Result()
			return err == nil || errors.Is(err, redis.Nil)
		})
		require.Equal(t, strconv.Itoa(n), got)
	}
	t.Logf("%d writes were confirmed", len(confirmed))
}
