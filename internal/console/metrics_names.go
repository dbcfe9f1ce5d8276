package console

import "strings"

// gauges are the fields of INFO that redis_exporter shows as gauges, and its names for them,
// without redis_ in front.
var gauges = map[string]string{
	"uptime_in_seconds": "uptime_in_seconds", "process_id": "process_id", "io_threads_active": "io_threads_active",

	"connected_clients": "connected_clients", "blocked_clients": "blocked_clients",
	"tracking_clients": "tracking_clients", "pubsub_clients": "pubsub_clients", "watching_clients": "watching_clients",
	"clients_in_timeout_table": "clients_in_timeout_table",
	"total_watched_keys":       "total_watched_keys", "total_blocking_keys": "total_blocking_keys",
	"total_blocking_keys_on_nokey": "total_blocking_keys_on_nokey", "cluster_connections": "cluster_connections",
	"maxclients": "max_clients", "client_recent_max_output_buffer": "client_recent_max_output_buffer_bytes",
	"client_recent_max_input_buffer": "client_recent_max_input_buffer_bytes",

	"allocator_active": "allocator_active_bytes", "allocator_allocated": "allocator_allocated_bytes",
	"allocator_resident": "allocator_resident_bytes", "allocator_frag_ratio": "allocator_frag_ratio",
	"allocator_frag_bytes": "allocator_frag_bytes", "allocator_rss_ratio": "allocator_rss_ratio",
	"allocator_rss_bytes": "allocator_rss_bytes", "used_memory": "memory_used_bytes",
	"used_memory_rss": "memory_used_rss_bytes", "used_memory_peak": "memory_used_peak_bytes",
	"used_memory_lua": "memory_used_lua_bytes", "used_memory_vm_eval": "memory_used_vm_eval_bytes",
	"used_memory_vm_functions": "memory_used_vm_functions_bytes", "used_memory_vm_total": "memory_used_vm_total",
	"used_memory_scripts_eval": "memory_used_scripts_eval_bytes",
	"used_memory_functions":    "memory_used_functions_bytes",
	"used_memory_scripts":      "memory_used_scripts_bytes", "used_memory_overhead": "memory_used_overhead_bytes",
	"used_memory_startup": "memory_used_startup_bytes", "used_memory_dataset": "memory_used_dataset_bytes",
	"number_of_cached_scripts": "number_of_cached_scripts", "number_of_functions": "number_of_functions",
	"number_of_libraries": "number_of_libraries", "maxmemory": "memory_max_bytes",
	"mem_fragmentation_ratio": "mem_fragmentation_ratio",
	"mem_fragmentation_bytes": "mem_fragmentation_bytes", "mem_clients_slaves": "mem_clients_slaves",
	"mem_clients_normal":            "mem_clients_normal",
	"mem_not_counted_for_evict":     "mem_not_counted_for_eviction_bytes",
	"mem_total_replication_buffers": "mem_total_replication_buffers_bytes",
	"mem_cluster_links":             "mem_cluster_links_bytes", "mem_aof_buffer": "mem_aof_buffer_bytes",
	"mem_replication_backlog":             "mem_replication_backlog_bytes",
	"mem_overhead_db_hashtable_rehashing": "mem_overhead_db_hashtable_rehashing_bytes",
	"lazyfree_pending_objects":            "lazyfree_pending_objects", "lazyfreed_objects": "lazyfreed_objects",
	"active_defrag_running": "active_defrag_running", "rss_overhead_ratio": "rss_overhead_ratio",
	"rss_overhead_bytes": "rss_overhead_bytes",

	"loading": "loading_dump_file", "async_loading": "async_loading",
	"rdb_changes_since_last_save": "rdb_changes_since_last_save", "rdb_bgsave_in_progress": "rdb_bgsave_in_progress",
	"rdb_last_save_time": "rdb_last_save_timestamp_seconds", "rdb_last_bgsave_status": "rdb_last_bgsave_status",
	"rdb_last_cow_size": "rdb_last_cow_size_bytes", "rdb_last_load_keys_expired": "rdb_last_load_expired_keys",
	"rdb_last_load_keys_loaded": "rdb_last_load_loaded_keys", "aof_enabled": "aof_enabled",
	"aof_rewrite_in_progress": "aof_rewrite_in_progress",
	"aof_rewrite_scheduled":   "aof_rewrite_scheduled", "aof_last_cow_size": "aof_last_cow_size_bytes",
	"aof_current_size": "aof_current_size_bytes", "aof_base_size": "aof_base_size_bytes",
	"aof_pending_rewrite": "aof_pending_rewrite", "aof_buffer_length": "aof_buffer_length",
	"aof_pending_bio_fsync": "aof_pending_bio_fsync", "aof_delayed_fsync": "aof_delayed_fsync",
	"aof_last_bgrewrite_status": "aof_last_bgrewrite_status", "aof_last_write_status": "aof_last_write_status",

	"pubsub_channels": "pubsub_channels", "pubsub_patterns": "pubsub_patterns",
	"pubsubshard_channels": "pubsubshard_channels", "latest_fork_usec": "latest_fork_usec",
	"instantaneous_input_kbps": "instantaneous_input_kbps", "instantaneous_output_kbps": "instantaneous_output_kbps",
	"tracking_total_keys": "tracking_total_keys", "tracking_total_items": "tracking_total_items",
	"tracking_total_prefixes": "tracking_total_prefixes",
	"expired_stale_perc":      "expired_stale_percentage", "slave_expires_tracked_keys": "slave_expires_tracked_keys",
	"migrate_cached_sockets": "migrate_cached_sockets_total",

	"connected_slaves": "connected_slaves", "repl_backlog_size": "replication_backlog_bytes",
	"repl_backlog_active": "repl_backlog_is_active", "repl_backlog_first_byte_offset": "repl_backlog_first_byte_offset",
	"repl_backlog_histlen": "repl_backlog_history_bytes", "master_repl_offset": "master_repl_offset",
	"second_repl_offset": "second_repl_offset", "slave_priority": "slave_priority", "sync_full": "replica_resyncs_full",
	"sync_partial_ok": "replica_partial_resync_accepted", "sync_partial_err": "replica_partial_resync_denied",
	"cluster_enabled": "cluster_enabled",
}

// counters are those that it shows as counters.
var counters = map[string]string{
	"total_connections_received": "connections_received_total", "total_commands_processed": "commands_processed_total",
	"rejected_connections": "rejected_connections_total", "total_net_input_bytes": "net_input_bytes_total",
	"total_net_output_bytes": "net_output_bytes_total", "total_net_repl_input_bytes": "net_repl_input_bytes_total",
	"total_net_repl_output_bytes": "net_repl_output_bytes_total", "expired_keys": "expired_keys_total",
	"expired_subkeys": "expired_subkeys_total",
	"evicted_keys":    "evicted_keys_total", "evicted_clients": "evicted_clients_total",
	"evicted_scripts": "evicted_scripts_total", "keyspace_hits": "keyspace_hits_total",
	"keyspace_misses": "keyspace_misses_total", "total_error_replies": "total_error_replies",
	"unexpected_error_replies": "unexpected_error_replies", "total_reads_processed": "total_reads_processed",
	"total_writes_processed": "total_writes_processed", "io_threaded_reads_processed": "io_threaded_reads_processed",
	"io_threaded_writes_processed":   "io_threaded_writes_processed",
	"dump_payload_sanitizations":     "dump_payload_sanitizations",
	"expired_time_cap_reached_count": "expired_time_cap_reached_total", "rdb_saves": "rdb_saves_total",
	"active_defrag_hits":   "defrag_hits",
	"active_defrag_misses": "defrag_misses", "active_defrag_key_hits": "defrag_key_hits",
	"active_defrag_key_misses": "defrag_key_misses", "acl_access_denied_auth": "acl_access_denied_auth_total",
	"acl_access_denied_cmd": "acl_access_denied_cmd_total", "acl_access_denied_key": "acl_access_denied_key_total",
	"acl_access_denied_channel": "acl_access_denied_channel_total", "used_cpu_sys": "cpu_sys_seconds_total",
	"used_cpu_user": "cpu_user_seconds_total", "used_cpu_sys_children": "cpu_sys_children_seconds_total",
	"used_cpu_user_children":    "cpu_user_children_seconds_total",
	"used_cpu_sys_main_thread":  "cpu_sys_main_thread_seconds_total",
	"used_cpu_user_main_thread": "cpu_user_main_thread_seconds_total",
}

// kindOf is the kind of a metric. Prometheus asks that the names of counters, and of nothing else,
// end in _total; where redis_exporter's do not, the kind stays open. Queries ask for names only.
func kindOf(kind, name string) string {
	if (kind == counter) != strings.HasSuffix(name, "_total") {
		return untyped
	}
	return kind
}

// respelled are the fields whose names in redis_exporter abbreviate a unit, which Prometheus asks
// not to do.
var respelled = map[string]respelling{
	"instantaneous_ops_per_sec": {"instantaneous_ops_per_second", gauge, 1, "instantaneous_ops_per_sec"},
	"rdb_last_bgsave_time_sec":  {"rdb_last_bgsave_duration_seconds", gauge, 1, "rdb_last_bgsave_duration_sec"},
	"rdb_current_bgsave_time_sec": {"rdb_current_bgsave_duration_seconds", gauge, 1,
		"rdb_current_bgsave_duration_sec"},
	"aof_last_rewrite_time_sec": {"aof_last_rewrite_duration_seconds", gauge, 1, "aof_last_rewrite_duration_sec"},
	"aof_current_rewrite_time_sec": {"aof_current_rewrite_duration_seconds", gauge, 1,
		"aof_current_rewrite_duration_sec"},
	"expire_cycle_cpu_milliseconds": {"expire_cycle_cpu_seconds_total", counter, 1e-3,
		"expire_cycle_cpu_time_ms_total"},
}

// respelling is a name of ours for what redis_exporter has under another one.
type respelling struct {
	name     string
	kind     string
	scale    float64
	exporter string
}

// replicaFields are fields of a replica; their metrics have its master as labels.
var replicaFields = map[string]string{"master_link_status": "master_link_up",
	"master_last_io_seconds_ago": "master_last_io_seconds_ago",
	"slave_repl_offset":          "slave_repl_offset", "master_sync_in_progress": "master_sync_in_progress"}

// ownName is a metric that only this server has.
type ownName struct {
	name  string
	kind  string
	scale float64
}

// own are the fields that Redis has not, and their names, without miniserver_ in front.
var own = map[string]ownName{
	"gc_cycles":              {"gc_cycles_total", counter, 1},
	"gc_cpu_perc":            {"gc_cpu_ratio", gauge, 0.01},
	"mem_overhead_copies":    {"memory_copies_bytes", gauge, 1},
	"mem_overhead_deadlines": {"memory_deadlines_bytes", gauge, 1},
	"group_term":             {"group_term", gauge, 1},
	"group_index":            {"group_index", gauge, 1},
	"group_committed":        {"group_committed", gauge, 1},
	"group_applied":          {"group_applied", gauge, 1},
	"group_leader":           {"group_leader", gauge, 1},
	"group_members":          {"group_members", gauge, 1},
	"group_commits":          {"group_commits_total", counter, 1},
	"group_age_ms":           {"group_age_seconds", gauge, 1e-3},
	"group_commit_p50_usec":  {"group_commit_p50_seconds", gauge, 1e-6},
	"group_commit_p99_usec":  {"group_commit_p99_seconds", gauge, 1e-6},
	"group_commit_max_usec":  {"group_commit_max_seconds", gauge, 1e-6},
	"group_disk":             {"group_disk_ok", gauge, 1},
}
