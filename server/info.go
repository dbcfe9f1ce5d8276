package server

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// sections returns the fields of INFO about the process and its connections.
func (s *Server) sections() []engine.Section {
	return []engine.Section{
		{Name: "Server", Fill: s.fillServer},
		{Name: "TLS", Since: "valkey:9.1.0", Hidden: true, Fill: s.tls.fill},
		{Name: "Clients",
			Fill: func(_ *engine.World, b *bytes.Buffer) { engine.Fields(b, "maxclients", s.maxClients.Load()) }},
		{Name: "Memory", Fill: fillMemory},
		{Name: "Threads", Since: "8.0.0", Fill: s.fillThreads},
		{Name: "Stats", Fill: s.fillStats, Reset: s.resetStats},
		{Name: "CPU", Fill: fillCPU},
	}
}

func (s *Server) fillServer(_ *engine.World, b *bytes.Buffer) {
	port := 0
	for _, ln := range s.listeners {
		if a, ok := ln.Addr().(*net.TCPAddr); ok {
			port = a.Port
			break
		}
	}
	executable, _ := os.Executable()
	engine.Fields(b, "os", systemName(),
		"arch_bits", strconv.IntSize, "redis_build_id", BuildID(),
		"monotonic_clock", "Go's time", "multiplexing_api", multiplexing, "atomicvar_api", "sync/atomic", "gcc_version",
		"0.0.0", "go_version", runtime.Version(), "process_id", os.Getpid(), "tcp_port", port,
		"executable", executable, "io_threads_active", min(s.Loops()-1, 1))
	s.fillListeners(b)
}

// BuildID returns a digest of what the program was built from, in 16 hexadecimal digits.
var BuildID = sync.OnceValue(func() string {
	build := fnv.New64a()
	if info, ok := debug.ReadBuildInfo(); ok {
		_, _ = build.Write([]byte(info.String()))
	}
	return fmt.Sprintf("%016x", build.Sum64())
})

// listenerKinds are the kinds of listeners in the order of their numbers in INFO.
var listenerKinds = []string{"tcp", "unix", "tls"}

// fillListeners writes the addresses of the listeners, a line for each kind that there is.
func (s *Server) fillListeners(b *bytes.Buffer) {
	for i, kind := range listenerKinds {
		binds, port := "", ""
		for _, ln := range s.listeners {
			if ln.kind != kind {
				continue
			}
			bind := ln.Addr().String()
			if a, ok := ln.Addr().(*net.TCPAddr); ok {
				bind, port = cmp.Or(ln.at.bind, a.IP.String()), fmt.Sprintf(",port=%d", a.Port)
			}
			binds += ",bind=" + bind
		}
		if binds != "" {
			engine.Fields(b, fmt.Sprintf("listener%d", i), "name="+kind+binds+port)
		}
	}
}

// fillThreads writes what each event loop has done.
func (s *Server) fillThreads(_ *engine.World, b *bytes.Buffer) {
	for i, t := range s.perLoop() {
		engine.Fields(b, fmt.Sprintf("io_thread_%d", i),
			fmt.Sprintf("clients=%d,reads=%d,writes=%d", t.clients, t.reads, t.writes))
	}
}

func fillMemory(_ *engine.World, b *bytes.Buffer) {
	engine.Fields(b, "total_system_memory", systemBytes(), "total_system_memory_human",
		engine.Human(int(systemBytes())), "mem_allocator", runtime.Version())
}

// processMemory returns the memory of the allocator and of the process. It neither stops the world
// nor starts a collection.
func processMemory() engine.ProcessMemory {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
		{Name: "/memory/classes/total:bytes"}, {Name: "/gc/cycles/total:gc-cycles"},
		{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/total:cpu-seconds"}}
	metrics.Read(samples)
	value := func(i int) int64 { return int64(samples[i].Value.Uint64()) }
	m := engine.ProcessMemory{Resident: residentBytes(), Objects: value(0), Unused: value(1), Free: value(2),
		Released: value(3), Stacks: value(4), Cycles: value(6)}
	m.Runtime = value(5) - m.Objects - m.Unused - m.Free - m.Released - m.Stacks
	if all := samples[8].Value.Float64(); all > 0 {
		m.GCShare = samples[7].Value.Float64() / all
	}
	return m
}

func (s *Server) fillStats(_ *engine.World, b *bytes.Buffer) {
	all := s.traffic()
	threaded := all
	if s.Loops() == 1 {
		threaded = traffic{}
	}
	engine.Fields(b, "total_net_input_bytes", all.in, "total_net_output_bytes", all.out,
		"rejected_connections", s.counts.rejected.Load(),
		"total_reads_processed", all.reads, "total_writes_processed", all.writes,
		"io_threaded_reads_processed", threaded.reads, "io_threaded_writes_processed", threaded.writes,
		"client_query_buffer_limit_disconnections", s.counts.long.Load(),
		"client_output_buffer_limit_disconnections", s.counts.slow.Load())
}

func (s *Server) resetStats(*engine.World) {
	s.resetTraffic()
	for _, count := range []*atomic.Int64{&s.counts.rejected, &s.counts.long, &s.counts.slow} {
		count.Store(0)
	}
}

// processorTime returns the processor time that the process has used, and that the system has for
// it, in microseconds.
func processorTime() (user, system int64) {
	t := usedTimes()
	return t.user.Microseconds(), t.system.Microseconds()
}

func fillCPU(_ *engine.World, b *bytes.Buffer) {
	for _, of := range []struct {
		used times
		name string
	}{{usedTimes(), ""}, {usedTimes(), "_main_thread"}, {childrensTimes(), "_children"}} {
		engine.Fields(b, "used_cpu_sys"+of.name, fmt.Sprintf("%.6f", of.used.system.Seconds()),
			"used_cpu_user"+of.name, fmt.Sprintf("%.6f", of.used.user.Seconds()))
	}
	user, system := processorTime()
	engine.Fields(b, "used_active_time_main_thread", fmt.Sprintf("%.6f", float64(user+system)/1e6))
}

// purge returns memory to the system, in the background.
func purge() { go debug.FreeOSMemory() }

// perLoop returns what each event loop has moved, in the order of their numbers.
func (s *Server) perLoop() []traffic {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]traffic, s.Loops())
	for i, l := range s.loops {
		list[i] = l.moved.traffic()
	}
	return list
}

// traffic returns what all event loops have moved together.
func (s *Server) traffic() (sum traffic) {
	for _, t := range s.perLoop() {
		sum = traffic{sum.clients + t.clients, sum.in + t.in, sum.out + t.out, sum.reads + t.reads,
			sum.writes + t.writes}
	}
	return sum
}

// resetTraffic sets the counters to 0. The clients stay.
func (s *Server) resetTraffic() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.loops {
		for _, n := range []*atomic.Int64{&l.moved.in, &l.moved.out, &l.moved.reads, &l.moved.writes} {
			n.Store(0)
		}
	}
}
