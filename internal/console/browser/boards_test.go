package browser

import (
	"encoding/json"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// exporterBoard are the metrics that the board 763 of redis_exporter asks for.
var exporterBoard = strings.Fields(`redis_blocked_clients redis_commands_duration_seconds_total redis_commands_total redis_connected_clients redis_db_keys
	redis_db_keys_expiring redis_evicted_keys_total redis_expired_keys_total redis_keyspace_hits_total redis_keyspace_misses_total redis_memory_max_bytes
	redis_memory_used_bytes redis_net_input_bytes_total redis_net_output_bytes_total redis_up redis_uptime_in_seconds`)

// exporterMixin are those of its mixin redis-overview that Redis has figures for.
var exporterMixin = strings.Fields(`redis_blocked_clients redis_commands_duration_seconds_total redis_commands_total redis_connected_clients redis_connected_slaves redis_db_keys
	redis_db_keys_expiring redis_evicted_keys_total redis_keyspace_hits_total redis_keyspace_misses_total redis_master_last_io_seconds_ago redis_memory_max_bytes
	redis_memory_used_bytes redis_memory_used_rss_bytes redis_up`)

var metricName = regexp.MustCompile(`\b(?:redis|miniserver)_[a-z0-9_]+`)

// ownBoard returns the metrics that the board in packaging asks for.
func ownBoard(t *testing.T) (names []string) {
	text, err := os.ReadFile("../../../packaging/grafana.json")
	require.NoError(t, err)
	var board struct {
		Panels []struct {
			Title   string
			Type    string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &board))
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			found := metricName.FindAllString(target.Expr, -1)
			require.NotEmpty(t, found, panel.Title)
			names = append(names, found...)
		}
		require.Equal(t, panel.Type == "row", len(panel.Targets) == 0, panel.Title)
	}
	require.Greater(t, len(names), 30)
	return names
}

// samples returns the names of the metrics of a server that have values.
func samples(p *place) map[string]bool {
	_, text := p.Visit().Send("GET", "/metrics", "")
	names := make(map[string]bool)
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			names[metricName.FindString(line)] = true
		}
	}
	return names
}

// TestBoardsFindTheirMetrics: a master, a replica and the member of a group have what boards show
// of such servers.
func TestBoardsFindTheirMetrics(t *testing.T) {
	port, err := launch.FreePort()
	require.NoError(t, err)
	master, replica := start(t), start(t)
	member := start(t, "group-id", "1", "group-members", "1=127.0.0.1:"+strconv.Itoa(port), "group-dir", t.TempDir())
	host, redisPort, err := net.SplitHostPort(master.Server.Addrs()[0])
	require.NoError(t, err)
	for _, p := range []*place{master, replica, member} {
		v := p.Visit()
		require.Eventually(t, func() bool {
			return v.Open() == 200 && strings.Contains(v.Do("SET", "k", "v", "EX", "1000"), "OK")
		}, patience, 20*time.Millisecond)
		v.Do("LPOP", "k")
		if p == replica {
			require.Contains(t, v.Do("REPLICAOF", host, redisPort), "OK")
		}
	}
	require.Eventually(t, func() bool {
		return samples(master)["redis_connected_slave_offset_bytes"] && samples(replica)["redis_master_link_up"]
	}, patience, 20*time.Millisecond)
	own := ownBoard(t)
	all := make(map[string]bool)
	for _, p := range []*place{master, replica, member} {
		_, text := p.Visit().Send("GET", "/metrics", "")
		lintMetrics(t, text)
		for name := range samples(p) {
			all[name] = true
		}
	}
	for _, name := range append(own, exporterMixin...) {
		require.True(t, all[name], name)
	}
	alone := samples(master)
	for _, name := range exporterBoard {
		require.True(t, alone[name], name)
	}
}

// lintMetrics checks names and kinds by the rules of Prometheus, as promtool does.
func lintMetrics(t *testing.T, text string) {
	problems, err := promlint.New(strings.NewReader(text + "\n")).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
}
