package likeness

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// Each figure of INFO moves when the server does what it is about, or stands for a reason.
func TestEveryFigureOfInfoMoves(t *testing.T) {
	quick.Outside(t)
	path, err := launch.Ours()
	require.NoError(t, err)
	d := newDriven(t, path, "--like", "redis:8.6")
	for _, s := range steps {
		require.Empty(t, d.drive(s, time.Minute), "what does not move: %s", s.name)
	}
	listed := slices.Concat(namesOf(constants), namesOf(standsHere))
	slices.Sort(listed)
	require.Equal(t, listed, d.unmoved())
}

// A figure that stands for a reason that is not this server's own stands in Redis, too.
func TestConstantsOfInfoAreConstantInRedis(t *testing.T) {
	quick.Outside(t)
	d := newDriven(t, reference.Default.Path(t))
	for _, s := range steps {
		d.drive(s, 300*time.Millisecond)
	}
	moved := d.moved()
	for _, name := range namesOf(constants) {
		require.NotContains(t, moved, name)
	}
}

// standing are figures that stand, by the reason.
type standing map[string]string

func namesOf(s standing) (names []string) {
	for _, of := range s {
		names = append(names, strings.Fields(of)...)
	}
	return names
}

// constants are what stands in Redis as well.
var constants = standing{
	"It is what the process and the machine are.": "arch_bits cluster_enabled " +
		"io_threads_active listener0.port process_id redis_git_dirty redis_git_sha1 tcp_port " +
		"total_system_memory total_system_memory_human used_memory_startup",
	"It is what a module is.": "module.ver module.api module.filters",
	"It takes a day.":         "uptime_in_days",
	"It is an id, which is a number only while it has none but zeros.": "master_replid2",
	"Nodes of a cluster have no links between them.": "cluster_connections mem_cluster_links " +
		"mem_cluster_slot_migration_input_buffer mem_cluster_slot_migration_input_buffer_peak " +
		"mem_cluster_slot_migration_output_buffer",
	"No module forks, and no certificate is shown in this test.": "module_fork_in_progress " +
		"module_fork_last_cow_size acl_access_denied_tls_cert",
	"Go's allocator, as that of the C library, has no such pages.": "allocator_muzzy",
}

// standsHere are figures that Redis moves.
var standsHere = standing{
	"Nothing forks.": "total_forks latest_fork_usec aof_last_cow_size rdb_last_cow_size current_cow_peak " +
		"current_cow_size current_cow_size_age used_cpu_sys_children used_cpu_user_children",
	"No thread prefetches for " +
		"another.": "io_threaded_total_prefetch_batches " +
		"io_threaded_total_prefetch_entries",
	"Expiry does not sample.": "expired_stale_perc",
	"A table of keys grows bucket by bucket, " +
		"without a second one.": "mem_overhead_db_hashtable_rehashing",
	"A snapshot and the stream behind it come over one " +
		"connection.": "mem_replica_full_sync_buffer replica_full_sync_buffer_peak " +
		"replica_full_sync_buffer_size",
	"A master sends its snapshot while it is made, " +
		"and cannot know its size.": "master_sync_perc master_sync_total_bytes",
	"The buffers of replies grow as they are filled.": "reply_buffer_expands " +
		"reply_buffer_shrinks",
	"No thread reads the stream of the master for another.":                                 "master_client_io_thread",
	"MIGRATE keeps no connections.":                                                         "migrate_cached_sockets",
	"The goroutine that syncs writes, too, so no write waits for a sync.":                   "aof_delayed_fsync",
	"No client can ask during DEBUG RELOAD; TestClientsHearThatItLoads sees it at a start.": "loading",
}

// figures are the values that the numeric fields of INFO had.
type figures map[string]map[string]bool

// note takes what INFO says; of modules, which have other versions, the first.
func (f figures) note(info string) {
	modules := 0
	for line := range strings.SplitSeq(info, "\r\n") {
		name, value, is := strings.Cut(line, ":")
		if name == "module" {
			modules++
		}
		if !is || modules > 1 && name == "module" {
			continue
		}
		named := setting.FindAllString(value, -1)
		if named == nil {
			f.add(name, value)
		}
		if strings.Contains(name, "_distrib_") {
			named = nil // a list of sizes and numbers
		}
		for _, one := range named {
			of, value, _ := strings.Cut(one, "=")
			f.add(kindOf(name)+"."+of, value)
		}
	}
}

// kindOf returns what comes before the name of a command, an error, a database or a replica.
func kindOf(name string) string {
	for _, kind := range []string{"cmdstat", "errorstat", "latency_percentiles_usec", "slave", "io_thread"} {
		if strings.HasPrefix(name, kind) {
			return kind
		}
	}
	return name
}

func (f figures) add(name, value string) {
	if !slices.Contains([]string{"integer", "number", "percentage", "size"}, kind(value)) {
		return
	}
	if f[name] == nil {
		f[name] = make(map[string]bool)
	}
	f[name][value] = true
}

// driven is a server and its replica, and what their figures were.
type driven struct {
	t       *testing.T
	servers [2]*launch.Server
	clients [2]*asking
	seen    [2]figures
	others  []net.Conn // further clients
}

const (
	master = iota
	replica
)

func newDriven(t *testing.T, path string, args ...string) *driven {
	d := &driven{t: t}
	for i := range d.servers {
		var err error
		args := append(args, "--enable-debug-command", "yes", "--enable-protected-configs", "yes", "--io-threads", "2",
			"--repl-diskless-sync-delay", "0")
		d.servers[i], err = launch.Start(launch.Spec{Path: path, Args: args})
		require.NoError(t, err)
		t.Cleanup(func() { d.servers[i].Stop() })
		d.clients[i] = newAsking(d.dial(i))
		d.seen[i] = make(figures)
	}
	return d
}

func (d *driven) dial(server int) net.Conn {
	conn, err := net.Dial("tcp", d.servers[server].Address)
	require.NoError(d.t, err)
	d.t.Cleanup(func() { conn.Close() })
	return conn
}

// asking is a connection that waits for replies.
type asking struct {
	net.Conn
	in *resp.Reader
}

func newAsking(conn net.Conn) *asking { return &asking{conn, resp.NewReader(conn)} }

// do sends commands to a server in one piece, and INFO after them.
func (d *driven) do(server int, commands ...string) {
	c, lines := d.clients[server], append(commands, "INFO everything", "")
	require.NoError(d.t, c.SetDeadline(time.Now().Add(time.Minute)))
	_, err := c.Write([]byte(strings.Join(lines, "\r\n")))
	require.NoError(d.t, err)
	var v resp.Value
	for range len(commands) + 1 {
		v, err = c.in.Read()
		require.NoError(d.t, err, commands)
	}
	d.seen[server].note(v.Text)
}

// on sends text with a client of its own, which reads nothing and stays.
func (d *driven) on(server int, text string) net.Conn {
	conn := d.dial(server)
	_, _ = conn.Write([]byte(text))
	d.others = append(d.others, conn)
	return conn
}

// leave ends the further clients.
func (d *driven) leave() {
	for _, conn := range d.others {
		conn.Close()
	}
	d.others = nil
}

// drive does a step until its figures have moved, or the time is over. It returns those that have
// not.
func (d *driven) drive(s step, patience time.Duration) (left []string) {
	defer d.leave()
	if s.once != nil {
		s.once(d)
	}
	left = strings.Fields(s.moves)
	for end := time.Now().Add(patience); len(left) > 0 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if s.again != nil {
			s.again(d)
		}
		d.do(master)
		d.do(replica)
		moved := d.moved()
		left = slices.DeleteFunc(left, func(name string) bool { return slices.Contains(moved, name) })
	}
	if s.end != nil {
		s.end(d)
	}
	return left
}

// moved returns the figures that had more than one value at one of the servers.
func (d *driven) moved() (names []string) {
	for _, f := range d.seen {
		for name, values := range f {
			if len(values) > 1 {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (d *driven) unmoved() (names []string) {
	moved := d.moved()
	for _, f := range d.seen {
		for name := range f {
			if !slices.Contains(moved, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// step is something that a server is made to do: once, again and again until the figures have
// moved, and in the end.
type step struct {
	name             string
	moves            string
	once, again, end func(d *driven)
}

// at returns a part of a step that sends commands to a server.
func at(server int, commands ...string) func(d *driven) {
	return func(d *driven) { d.do(server, commands...) }
}

// many is a script that sets ARGV[1] keys which expire after ARGV[2] milliseconds.
const many = `EVAL "for i = 1, ARGV[1] do redis.call('SET', KEYS[1] .. i, ('x'):rep(100), 'PX', ARGV[2]) end" 1 `

// steps are in an order in which each finds what it needs.
var steps = []step{
	{name: "clients", moves: "connected_clients blocked_clients pubsub_clients tracking_clients watching_clients " +
		"total_watched_keys clients_in_timeout_table " +
		"total_blocking_keys total_blocking_keys_on_nokey pubsub_channels pubsub_patterns pubsubshard_channels " +
		"tracking_total_keys tracking_total_items tracking_total_prefixes",
		once: func(d *driven) {
			d.do(master, "SET k v", "XGROUP CREATE s g $ MKSTREAM")
			for _, line := range []string{"SUBSCRIBE a", "PSUBSCRIBE a*", "SSUBSCRIBE a",
				"CLIENT TRACKING ON\r\nGET k", "CLIENT TRACKING ON BCAST PREFIX p",
				"WATCH k", "BLPOP l 1000", "XREADGROUP GROUP g c BLOCK 0 STREAMS s >"} {
				d.on(master, line+"\r\n")
			}
		}},
	{name: "buffers", moves: "client_recent_max_input_buffer client_recent_max_output_buffer mem_clients_normal",
		once: func(d *driven) {
			d.do(master, `EVAL "redis.call('SET', KEYS[1], ('x'):rep(5000000))" 1 big`)
			d.on(master, "*2\r\n$4\r\nECHO\r\n$9000000\r\n"+strings.Repeat("x", 1_000_000))
			d.on(master, strings.Repeat("GET big\r\n", 4))
		}},
	{name: "parameters", moves: "maxclients hz configured_hz maxmemory maxmemory_human repl_backlog_size",
		once: at(master, "CONFIG SET maxclients 5000 hz 500 maxmemory 900mb repl-backlog-size 200kb"),
		end:  at(master, "CONFIG SET maxmemory 0")},
	{name: "commands", moves: "keyspace_hits keyspace_misses total_error_replies eventloop_duration_cmd_sum " +
		"instantaneous_ops_per_sec instantaneous_input_kbps " +
		"instantaneous_output_kbps instantaneous_eventloop_cycles_per_sec instantaneous_eventloop_duration_usec " +
		"rdb_changes_since_last_save",
		again: at(master, "SET k v", "GET k", "GET none", "INCR k", "NONE", "GET")},
	{name: "scripts", moves: "number_of_cached_scripts number_of_functions number_of_libraries " +
		"used_memory_scripts_eval used_memory_functions used_memory_vm_functions evicted_scripts",
		once: func(d *driven) {
			d.do(master, `FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() return 1 end)"`, "FCALL f 0")
			for i := range 600 {
				d.do(master, fmt.Sprintf(`EVAL "return %d" 0`, i))
			}
		}},
	{name: "refusals",
		moves: "acl_access_denied_auth acl_access_denied_cmd acl_access_denied_key acl_access_denied_channel",
		once: func(d *driven) {
			d.do(master, "ACL SETUSER u on >p +get +subscribe ~k &c")
			d.on(master, "AUTH u wrong\r\n")
			d.on(master, "AUTH u p\r\nSET k v\r\nGET j\r\nSUBSCRIBE d\r\n")
		}},
	{name: "expiry", moves: "expired_keys expired_keys_active expired_subkeys expired_subkeys_active " +
		"expired_time_cap_reached_count expire_cycle_cpu_milliseconds db0.avg_ttl",
		again: at(master, "DEBUG SET-ACTIVE-EXPIRE 0", many+"due 20000 1", "SET later x EX 1000", "HSET h f v",
			"HPEXPIRE h 1 FIELDS 1 f", "DEBUG SET-ACTIVE-EXPIRE 1")},
	{name: "restored", moves: "dump_payload_sanitizations",
		once: at(master, "CONFIG SET sanitize-dump-payload yes", "SADD ints 1 2 3",
			`EVAL "return redis.call('RESTORE', KEYS[2], 0, redis.call('DUMP', KEYS[1]), 'REPLACE')" 2 ints copy`)},
	{name: "debugged scripts", moves: "mem_overhead_copies",
		once: func(d *driven) { d.on(master, "SCRIPT DEBUG YES\r\nEVAL \"return 1\" 0\r\n") }},
	{name: "fragments", moves: "active_defrag_running active_defrag_hits active_defrag_misses active_defrag_key_hits " +
		"active_defrag_key_misses total_active_defrag_time current_active_defrag_time",
		again: at(master, many+"part 50000 100000", `EVAL "for i = 1, 50000 do if i % 10 > 0 then redis.call('DEL', KEYS[1] .. i) end end" 1 part`, "CONFIG SET activedefrag yes", "MEMORY PURGE")},
	{name: "freed", moves: "lazyfreed_objects lazyfree_pending_objects",
		again: at(master, many+"large 50000 100000", "FLUSHALL ASYNC")},
	{name: "evicted", moves: "evicted_keys current_eviction_exceeded_time total_eviction_exceeded_time",
		once: at(master, many+"part 1000 100000",
			"CONFIG SET maxmemory-policy allkeys-lru maxmemory 1", "SET k v"), again: at(master, "SET k v"),
		end: at(master, "CONFIG SET maxmemory 0")},
	{name: "evicted clients", moves: "evicted_clients", once: func(d *driven) {
		d.do(master, "CLIENT NO-EVICT ON") // who asks stays
		d.on(master, "*2\r\n$4\r\nECHO\r\n$9000000\r\n"+strings.Repeat("x", 1_000_000))
	}, again: at(master, "CONFIG SET maxmemory-clients 2mb"), end: at(master, "CONFIG SET maxmemory-clients 0")},
	{name: "ended clients", moves: "rejected_connections client_query_buffer_limit_disconnections " +
		"client_output_buffer_limit_disconnections",
		once: at(master, `EVAL "redis.call('SET', KEYS[1], ('x'):rep(5000000))" 1 big`, "CONFIG SET "+
			"client-query-buffer-limit 1mb maxclients 5", "CONFIG SET client-output-buffer-limit 'normal 1mb 0 0'"),
		again: func(d *driven) {
			d.on(master, "*2\r\n$4\r\nECHO\r\n$9000000\r\n"+strings.Repeat("x", 2_000_000))
			d.on(master, strings.Repeat("GET big\r\n", 4))
			for range 6 {
				d.on(master, "")
			}
		},
		end: at(master,
			"CONFIG SET client-output-buffer-limit 'normal 0 0 0' client-query-buffer-limit 1gb maxclients 5000")},
	{name: "synchronization", moves: "sync_full connected_slaves master_sync_in_progress async_loading " +
		"master_sync_read_bytes master_sync_left_bytes master_sync_last_io_seconds_ago " +
		"mem_clients_slaves repl_backlog_active repl_backlog_first_byte_offset total_net_repl_output_bytes " +
		"total_net_repl_input_bytes",
		once: func(d *driven) {
			host, port, _ := net.SplitHostPort(d.servers[master].Address)
			d.do(master, many+"part 20000 100000", "CONFIG SET rdb-key-save-delay 50 rdbcompression no")
			d.do(replica, "REPLICAOF "+host+" "+port)
		}, end: at(master, "CONFIG SET rdb-key-save-delay 0")},
	{name: "replication", moves: "slave.offset slave.lag repl_backlog_histlen mem_not_counted_for_evict " +
		"instantaneous_input_repl_kbps instantaneous_output_repl_kbps " +
		"slave_read_repl_offset slave_repl_offset master_repl_offset master_last_io_seconds_ago " +
		"unexpected_error_replies",
		once: func(d *driven) {
			d.do(master, "CONFIG SET min-replicas-to-write 1")
			d.on(master, "PSYNC ? -1\r\n")
		},
		again: at(master, "SET text "+strings.Repeat("x", 1000), "DEBUG REPLICATE LPUSH text x")},
	{name: "replica", moves: "slave_priority slave_read_only replica_announced slave_expires_tracked_keys",
		once: at(replica,
			"CONFIG SET replica-priority 5 replica-read-only no replica-announced no", "SET own x EX 1000")},
	{name: "partial synchronizations", moves: "sync_partial_ok sync_partial_err master_link_down_since_seconds",
		once: func(d *driven) {
			d.on(master, "PSYNC 0123456789012345678901234567890123456789 1\r\n")
		}, again: func(d *driven) { d.do(replica, "CLIENT KILL TYPE master") }},
	{name: "master lost", moves: "min_slaves_good_slaves total_disconnect_time_sec",
		once: at(replica, "REPLICAOF 127.0.0.1 1"),
		end:  at(master, "CONFIG SET min-replicas-to-write 0")},
	{name: "promotion", moves: "second_repl_offset", once: at(replica, "REPLICAOF NO ONE")},
	{name: "snapshots", moves: "rdb_saves rdb_bgsave_in_progress current_save_keys_processed current_save_keys_total " +
		"current_fork_perc rdb_last_bgsave_time_sec rdb_current_bgsave_time_sec rdb_last_save_time",
		once:  at(master, "FLUSHALL", many+"part 20000 100000", "CONFIG SET rdb-key-save-delay 60"),
		again: at(master, "BGSAVE"), end: at(master, "CONFIG SET rdb-key-save-delay 0")},
	{name: "failing snapshots", moves: "rdb_saves_consecutive_failures", once: func(d *driven) {
		require.NoError(d.t, os.MkdirAll(filepath.Join(d.servers[master].Dir, "taken", "x"), 0o700))
		d.do(master, "CONFIG SET dbfilename taken")
	}, again: at(master, "BGSAVE"), end: at(master, "CONFIG SET dbfilename dump.rdb")},
	{name: "append-only file", moves: "aof_enabled aof_rewrites aof_current_size aof_base_size aof_buffer_length " +
		"mem_aof_buffer aof_pending_bio_fsync aof_rewrite_in_progress aof_rewrite_scheduled " +
		"aof_pending_rewrite aof_last_rewrite_time_sec aof_current_rewrite_time_sec",
		once:  at(master, "CONFIG SET rdb-key-save-delay 60", "CONFIG SET appendonly yes"),
		again: at(master, "BGSAVE", "SET k v", "BGREWRITEAOF"), end: at(master, "CONFIG SET rdb-key-save-delay 0")},
	{name: "failing rewrites", moves: "aof_rewrites_consecutive_failures", once: func(d *driven) {
		dir := filepath.Join(d.servers[master].Dir, "appendonlydir")
		_ = os.Rename(dir, dir+".away")
	}, again: at(master, "BGREWRITEAOF"), end: at(master, "CONFIG SET appendonly no")},
	{name: "loading", moves: "rdb_last_load_keys_loaded rdb_last_load_keys_expired",
		once: func(d *driven) {
			d.do(master, "DEBUG SET-ACTIVE-EXPIRE 0", "SET due x PX 1",
				"CONFIG SET key-load-delay 50 loading-process-events-interval-bytes 1024",
				"DEBUG SLEEP 0.01") // the key must be due before it is loaded
			d.on(master, "DEBUG RELOAD\r\n")
		}, end: at(master, "DEBUG SET-ACTIVE-EXPIRE 1")},
}
