package server

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// INFO [section [section ...]]
func cmdInfo(c *engine.Call) {
	var names []string
	for c.More() {
		names = append(names, strings.ToLower(string(c.Arg())))
	}
	if names == nil {
		names = []string{"default"}
	}
	c.Reply.Verbatim("txt", infoText(c.World, names))
}

// infoText returns the sections that are asked for.
func infoText(w *engine.World, names []string) []byte {
	var b bytes.Buffer
	all := slices.Contains(names, "all") || slices.Contains(names, "everything")
	usual := slices.Contains(names, "default")
	last := ""
	for _, s := range w.Engine().Parts.Sections {
		if !all && !(usual && !s.Hidden) && !slices.Contains(names, cmp.Or(s.Asked, strings.ToLower(s.Name))) {
			continue
		}
		if s.Name != last {
			if last != "" {
				b.WriteString("\r\n")
			}
			fmt.Fprintf(&b, "# %s\r\n", s.Name)
			last = s.Name
		}
		s.Fill(w, &b)
	}
	return offeredFields(w.Engine().Release, b.Bytes())
}

// What INFO shows since a release, and before one. The rest is in all of them.

var fieldsSince = release.ByName(map[string]string{
	"7.0.0": "aof_rewrites aof_rewrites_consecutive_failures async_loading current_active_defrag_time " +
		"current_cow_peak " +
		"current_eviction_exceeded_time evicted_clients instantaneous_input_repl_kbps instantaneous_output_repl_kbps " +
		"mem_cluster_links " +
		"number_of_functions number_of_libraries pubsubshard_channels rdb_last_load_keys_expired " +
		"rdb_last_load_keys_loaded rdb_saves " +
		"reply_buffer_expands reply_buffer_shrinks total_active_defrag_time total_eviction_exceeded_time " +
		"total_net_repl_input_bytes " +
		"total_net_repl_output_bytes shutdown_in_milliseconds mem_total_replication_buffers used_memory_functions " +
		"used_memory_scripts_eval used_memory_vm_eval used_memory_vm_functions " +
		"used_memory_vm_total used_memory_vm_total_human",
	"7.2.0": "acl_access_denied_auth acl_access_denied_channel acl_access_denied_cmd acl_access_denied_key " +
		"eventloop_cycles eventloop_duration_cmd_sum eventloop_duration_sum instantaneous_eventloop_cycles_per_sec " +
		"instantaneous_eventloop_duration_usec listener0 listener1 listener2 total_blocking_keys " +
		"total_blocking_keys_on_nokey",
	"7.4.0": "expired_subkeys",
	"7.4.0 valkey:8.0.0": "allocator_muzzy mem_overhead_db_hashtable_rehashing " +
		"client_output_buffer_limit_disconnections client_query_buffer_limit_disconnections " +
		"evicted_scripts pubsub_clients total_watched_keys watching_clients",
	"valkey:9.1.0": "acl_access_denied_db expired_keys_with_volatile_items_stale_perc mem_cluster_slot_export " +
		"mem_cluster_slot_import slot_migration_fork_in_progress total_net_cluster_slot_export_bytes " +
		"total_net_cluster_slot_import_bytes",
	"8.6.0 valkey:9.1.0": "acl_access_denied_tls_cert",
	"8.6.0": "expired_keys_active expired_subkeys_active " +
		"rdb_saves_consecutive_failures master_client_io_thread",
	"8.2.0": "used_memory_peak_time master_current_sync_attempts master_total_sync_attempts " +
		"master_link_up_since_seconds total_disconnect_time_sec",
	"8.4.0": "mem_cluster_slot_migration_output_buffer mem_cluster_slot_migration_input_buffer " +
		"mem_cluster_slot_migration_input_buffer_peak",
	"8.6.0 valkey:8.1.0": "io_threaded_total_prefetch_batches io_threaded_total_prefetch_entries",
	"8.0.0":              "mem_replica_full_sync_buffer replica_full_sync_buffer_size replica_full_sync_buffer_peak",
	"valkey:8.0.0":       "server_mode replicas_waiting_psync replicas_repl_buffer_size replicas_repl_buffer_peak",
	"valkey:8.1.0": "availability_zone clients_hz io_threaded_accept_processed io_threaded_freed_objects " +
		"io_threaded_poll_processed paused_actions paused_reason paused_timeout_milliseconds",
	"valkey:9.0.0": "expired_fields mem_replicas_repl_buffer used_active_time_main_thread",
})

var fieldsBefore = release.ByName(map[string]string{"valkey:8.0.0": "atomicvar_api redis_mode"})

// offeredFields removes the lines of INFO that a release lacks.
func offeredFields(r *release.Release, text []byte) []byte {
	offered := make([]byte, 0, len(text))
	for line := range bytes.Lines(text) {
		name, _, _ := strings.Cut(string(line), ":")
		since, later := fieldsSince[name]
		gone, was := fieldsBefore[name]
		if later && !r.Shows(since) || was && r.Has(gone) {
			continue
		}
		offered = append(offered, line...)
	}
	return offered
}
