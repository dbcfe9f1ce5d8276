package engine

import (
	"bytes"
	"strings"

	"github.com/miniserver-go/miniserver/release"
)

// What INFO shows and CONFIG knows since a release, and before one. The rest is in all of them.

var fieldsSince = sinceByName(map[string]string{
	"7.0.0": "aof_rewrites aof_rewrites_consecutive_failures async_loading current_active_defrag_time current_cow_peak " +
		"current_eviction_exceeded_time evicted_clients instantaneous_input_repl_kbps instantaneous_output_repl_kbps mem_cluster_links " +
		"number_of_functions number_of_libraries pubsubshard_channels rdb_last_load_keys_expired rdb_last_load_keys_loaded rdb_saves " +
		"reply_buffer_expands reply_buffer_shrinks total_active_defrag_time total_eviction_exceeded_time total_net_repl_input_bytes " +
		"total_net_repl_output_bytes shutdown_in_milliseconds mem_total_replication_buffers used_memory_functions used_memory_scripts_eval used_memory_vm_eval used_memory_vm_functions " +
		"used_memory_vm_total used_memory_vm_total_human",
	"7.2.0": "acl_access_denied_auth acl_access_denied_channel acl_access_denied_cmd acl_access_denied_key eventloop_cycles " +
		"eventloop_duration_cmd_sum eventloop_duration_sum instantaneous_eventloop_cycles_per_sec " +
		"instantaneous_eventloop_duration_usec listener0 listener1 listener2 total_blocking_keys total_blocking_keys_on_nokey",
	"7.4.0": "expired_subkeys",
	"7.4.0 valkey:8.0.0": "allocator_muzzy mem_overhead_db_hashtable_rehashing client_output_buffer_limit_disconnections client_query_buffer_limit_disconnections " +
		"evicted_scripts pubsub_clients total_watched_keys watching_clients",
	"8.6.0":              "acl_access_denied_tls_cert expired_keys_active expired_subkeys_active rdb_saves_consecutive_failures used_memory_peak_time",
	"8.6.0 valkey:8.1.0": "io_threaded_total_prefetch_batches io_threaded_total_prefetch_entries",
	"8.0.0":              "mem_replica_full_sync_buffer replica_full_sync_buffer_size replica_full_sync_buffer_peak",
	"valkey:8.0.0":       "server_mode replicas_waiting_psync replicas_repl_buffer_size replicas_repl_buffer_peak",
	"valkey:8.1.0": "availability_zone clients_hz io_threaded_accept_processed io_threaded_freed_objects io_threaded_poll_processed " +
		"paused_actions paused_reason paused_timeout_milliseconds",
	"valkey:9.0.0": "expired_fields mem_replicas_repl_buffer used_active_time_main_thread",
})

var fieldsBefore = sinceByName(map[string]string{"valkey:8.0.0": "atomicvar_api redis_mode"})

var paramsSince = sinceByName(map[string]string{
	"7.0.0": "aof-disable-auto-gc aof-timestamp-enabled appenddirname bind-source-addr busy-reply-threshold cluster-allow-pubsubshard-when-down " +
		"cluster-announce-hostname cluster-config-file cluster-link-sendbuf-limit cluster-port cluster-preferred-endpoint-type " +
		"enable-debug-command enable-module-command enable-protected-configs hash-max-listpack-entries hash-max-listpack-value " +
		"latency-tracking latency-tracking-info-percentiles list-max-listpack-size maxmemory-clients propagation-error-behavior " +
		"repl-diskless-sync-max-replicas replica-ignore-disk-write-errors shutdown-on-sigint shutdown-on-sigterm " +
		"shutdown-timeout socket-mark-id zset-max-listpack-entries zset-max-listpack-value",
	"7.2.0": "cluster-announce-human-nodename locale-collate set-max-listpack-entries set-max-listpack-value",
	"7.4.0 valkey:8.0.0": "aof-rewrite-cpulist bgsave-cpulist bio-cpulist hide-user-data-from-log max-new-connections-per-cycle " +
		"max-new-tls-connections-per-cycle server-cpulist",
	"8.0.0": "cluster-compatibility-sample-ratio repl-rdb-channel replica-full-sync-buffer-limit",
	"8.6.0": "aof-load-corrupt-tail-max-size cluster-slot-migration-handoff-max-lag-bytes cluster-slot-migration-write-pause-timeout " +
		"key-memory-histograms lookahead stream-idmp-duration stream-idmp-maxsize vset-force-single-threaded-execution",
	"8.2.0 valkey:8.0.0": "cluster-slot-stats-enabled",
	"valkey:8.0.0": "availability-zone cluster-announce-client-ipv4 cluster-announce-client-ipv6 cluster-blacklist-ttl cluster-manual-failover-timeout " +
		"dual-channel-replication-enabled extended-redis-compatibility log-format log-timestamp-format " +
		"prefetch-batch-max-size primaryauth primaryuser rdb-version-check unixsocketgroup",
	"valkey:8.1.0": "active-defrag-cycle-us commandlog-execution-slower-than commandlog-large-reply-max-len commandlog-large-request-max-len " +
		"commandlog-reply-larger-than commandlog-request-larger-than commandlog-slow-execution-max-len import-mode rdma-bind " +
		"rdma-completion-vector rdma-port rdma-rx-size",
})

var paramsBefore = sinceByName(map[string]string{
	"7.0.0":        "gopher-enabled lua-replicate-commands",
	"valkey:8.1.0": "dynamic-hz",
	"valkey:9.1.0": "sanitize-dump-payload",
})

// newDefault is another default of a parameter, and since when it is.
type newDefault struct {
	since release.Since
	value string
}

var defaultsSince = map[string]newDefault{
	"hide-user-data-from-log": {release.From("valkey:8.0.0"), "yes"},
	"log-format":              {release.From("valkey:8.0.0"), "legacy"},
	"repl-backlog-size":       {release.From("valkey:8.0.0"), "10mb"},
	"replica-lazy-flush":      {release.From("valkey:8.0.0"), "yes"},
	"syslog-ident":            {release.From("valkey:8.0.0"), "valkey"},
}

// hiddenSince is since when patterns of CONFIG GET leave out those parameters that they did not leave out always.
var hiddenSince = sinceByName(map[string]string{
	"7.0.0":              "key-load-delay rdb-key-save-delay use-exit-on-panic watchdog-period",
	"7.2.0":              "aof-disable-auto-gc",
	"8.0.0 valkey:8.0.0": "io-threads-do-reads",
})

// hides reports whether patterns of CONFIG GET leave out a parameter.
func (e *Engine) hides(p *Param) bool {
	since, listed := hiddenSince[p.Name]
	return (p.Hidden || listed) && e.Release.Has(since)
}

// sinceByName returns the releases of each name, of names separated by blanks by the text of their releases.
func sinceByName(names map[string]string) map[string]release.Since {
	byName := make(map[string]release.Since)
	for since, list := range names {
		for name := range strings.FieldsSeq(list) {
			byName[name] = release.From(since)
		}
	}
	return byName
}

// offeredParam returns a parameter that the engine's release has, by its name in lower case; nil if there is none. All
// others can be set before the start.
func (e *Engine) offeredParam(name string) *Param {
	if since, later := paramsSince[name]; later && !e.Release.Offers(since) {
		return nil
	}
	if gone, was := paramsBefore[name]; was && e.Release.Has(gone) {
		return nil
	}
	return e.Parts.params[name]
}

// Shows reports whether the engine says of itself what came with since. An open release says what all later releases of Redis do, not what
// only Valkey does.
func (e *Engine) Shows(since release.Since) bool {
	return e.Release.Has(since) || e.Release.Open && since.InRedis()
}

// offeredFields removes the lines of INFO that the engine's release lacks.
func (e *Engine) offeredFields(text []byte) []byte {
	offered := make([]byte, 0, len(text))
	for line := range bytes.Lines(text) {
		name, _, _ := strings.Cut(string(line), ":")
		since, later := fieldsSince[name]
		gone, was := fieldsBefore[name]
		if later && !e.Shows(since) || was && e.Release.Has(gone) {
			continue
		}
		offered = append(offered, line...)
	}
	return offered
}
