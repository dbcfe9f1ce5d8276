package main

import (
	"debug/buildinfo"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// machine describes where and with what a run was measured.
type machine struct {
	CPU      string            `json:"cpu"`
	Cores    int               `json:"cores"`
	MemoryMB int64             `json:"memory_mb"`
	Kernel   string            `json:"kernel"`
	System   string            `json:"system"`
	Go       string            `json:"go"` // that built ours
	Commit   string            `json:"commit,omitempty"`
	Date     string            `json:"date"`
	Servers  map[string]string `json:"servers"` // the version of each
}

// describe returns what is known of this machine and of the servers that run on it.
func describe(servers []binary) *machine {
	m := &machine{
		CPU: fieldOf("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(),
		MemoryMB: kilobytes(fieldOf("/proc/meminfo", "MemTotal")) / 1024,
		Kernel:   firstLine("/proc/sys/kernel/osrelease"), System: runtime.GOOS + "/" + runtime.GOARCH,
		Go: runtime.Version(), Date: time.Now().UTC().Format(time.RFC3339), Servers: map[string]string{},
	}
	for _, b := range servers {
		m.Servers[b.name] = launch.Version(b.path)
		if b.name == "ours" {
			m.addBuild(b.path)
		}
	}
	return m
}

// addBuild takes the version of Go and the commit from a binary built by Go.
func (m *machine) addBuild(path string) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return
	}
	m.Go = info.GoVersion
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			m.Commit = s.Value
		}
	}
}

// fieldOf returns the first value of a name in a file of /proc; "" if there is none.
func fieldOf(path, name string) string {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func firstLine(path string) string {
	text, _ := os.ReadFile(path)
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}
