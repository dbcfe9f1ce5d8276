package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of CPU times in /proc: USER_HZ is 100 on every Linux.
const tick = 10 * time.Millisecond

// cpu is the CPU time of a process.
type cpu struct{ user, sys time.Duration }

// cpuOf reads the user and system time of a process, all threads together.
func cpuOf(pid int) (cpu, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return cpu{}, err
	}
	return parseStat(string(text))
}

// parseStat takes fields 14 and 15 of a stat line. The name, field 2, may contain spaces and
// parentheses, so counting begins behind its last one.
func parseStat(text string) (cpu, error) {
	rest := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(rest) < 13 {
		return cpu{}, fmt.Errorf("short stat line %q", text)
	}
	user, err1 := strconv.ParseInt(rest[11], 10, 64)
	sys, err2 := strconv.ParseInt(rest[12], 10, 64)
	if err1 != nil || err2 != nil {
		return cpu{}, fmt.Errorf("bad stat line %q", text)
	}
	return cpu{time.Duration(user) * tick, time.Duration(sys) * tick}, nil
}

// memory is the resident memory of a process in bytes, now and at its peak.
type memory struct{ now, peak int64 }

// memoryOf reads the resident memory of a process.
func memoryOf(pid int) (memory, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return memory{}, err
	}
	return parseStatus(string(text))
}

func parseStatus(text string) (memory, error) {
	var m memory
	for line := range strings.Lines(text) {
		for name, into := range map[string]*int64{"VmRSS:": &m.now, "VmHWM:": &m.peak} {
			if value, found := strings.CutPrefix(line, name); found {
				*into = kilobytes(value) * 1024
			}
		}
	}
	if m.now == 0 {
		return m, fmt.Errorf("no VmRSS in status")
	}
	return m, nil
}

// kilobytes returns the number in a value such as "2048 kB"; 0 if there is none.
func kilobytes(value string) int64 {
	number, _, _ := strings.Cut(strings.TrimSpace(value), " ")
	kb, _ := strconv.ParseInt(number, 10, 64)
	return kb
}
