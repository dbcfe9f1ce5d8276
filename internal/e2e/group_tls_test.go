package e2e

import (
	"crypto/tls"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/resp"
)

// askSecurely sends a command to a port over TLS and returns the reply as text.
func askSecurely(port int, args ...string) (string, error) {
	conn, err := tls.Dial("tcp", fmt.Sprint("127.0.0.1:", port), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		return "", err
	}
	c := &groupClient{conn, resp.NewReader(conn)}
	defer c.Close()
	return c.ask(args...)
}

// Where members listen with TLS and without, clients are told the ports of the way that they have
// come.
func TestAGroupTellsPortsForTLS(t *testing.T) {
	crt, secret, err := launch.SelfSigned(t.TempDir())
	require.NoError(t, err)
	g := startGroup(t, 3, "--group-heartbeat", "1000", // a slow machine elects no other leader meanwhile
		"--cluster-enabled", "yes", "--tls-cert-file", crt, "--tls-key-file", secret, "--tls-auth-clients", "no")
	usual, secure, plain := g.options, map[int]int{}, map[int]int{}
	for id := 1; id <= 3; id++ {
		g.leader()
		g.kill(id)
		secure[id], err = launch.FreePort()
		require.NoError(t, err)
		g.options = append(usual[:len(usual):len(usual)], "--tls-port", strconv.Itoa(secure[id]))
		g.start(id)
		plain[id], err = strconv.Atoi(g.servers[id].Port())
		require.NoError(t, err)
	}
	leader := g.leader()
	other := leader%3 + 1
	hasAll := func(ports map[int]int) func(string) bool {
		return func(reply string) bool {
			for _, port := range ports {
				if !strings.Contains(reply, strconv.Itoa(port)) {
					return false
				}
			}
			return true
		}
	}
	g.until(other, "all members are known", hasAll(secure), "INFO", "group")
	for _, c := range []struct {
		command string
		tells   func(ports map[int]int) string
	}{
		{"GET k", func(ports map[int]int) string { return fmt.Sprint("MOVED 7629 127.0.0.1:", ports[leader]) }},
		{"SENTINEL GET-MASTER-ADDR-BY-NAME mymaster",
			func(ports map[int]int) string { return strconv.Itoa(ports[leader]) }},
		{"SENTINEL MASTERS", func(ports map[int]int) string { return strconv.Itoa(ports[leader]) }},
		{"SENTINEL REPLICAS mymaster", func(ports map[int]int) string { return strconv.Itoa(ports[other]) }},
		{"SENTINEL SENTINELS mymaster", func(ports map[int]int) string { return strconv.Itoa(ports[leader]) }},
		{"CLUSTER SLOTS", func(ports map[int]int) string { return fmt.Sprint("127.0.0.1\n", ports[leader], "\n") }},
		{"CLUSTER SHARDS", func(ports map[int]int) string { return strconv.Itoa(ports[leader]) }},
		{"CLUSTER NODES", func(ports map[int]int) string { return fmt.Sprint("127.0.0.1:", ports[leader], "@") }},
		{"ROLE", func(ports map[int]int) string { return strconv.Itoa(ports[leader]) }},
	} {
		words := strings.Fields(c.command)
		reply, err := g.ask(other, words...)
		require.NoError(t, err)
		require.Contains(t, reply, c.tells(plain), c.command)
		require.NotContains(t, reply, strconv.Itoa(secure[leader]), c.command)
		reply, err = askSecurely(secure[other], words...)
		require.NoError(t, err)
		require.Contains(t, reply, c.tells(secure), c.command)
		require.NotContains(t, reply, strconv.Itoa(plain[leader]), c.command)
	}
}

// A node that is alone announces a port of its own to clients over TLS.
func TestANodeAnnouncesAPortForTLS(t *testing.T) {
	crt, secret, err := launch.SelfSigned(t.TempDir())
	require.NoError(t, err)
	secure, err := launch.FreePort()
	require.NoError(t, err)
	node := watchedServer(t, built(t), "--cluster-enabled", "yes", "--tls-cert-file", crt, "--tls-key-file",
		secret, "--tls-auth-clients", "no", "--tls-port", strconv.Itoa(secure),
		"--cluster-announce-tls-port", "7001", "--cluster-announce-port", "7002")
	reply, err := askSecurely(secure, "CLUSTER", "SLOTS")
	require.NoError(t, err)
	require.Contains(t, reply, "127.0.0.1\n7001\n")
	require.Contains(t, node.ask(t, "CLUSTER NODES"), "127.0.0.1:7002@")
}
