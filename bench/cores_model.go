package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"time"
)

// A model of more event loops than a machine can run. A request costs its server CPU time in two
// places: under the engine's lock, where one loop is at a time, and beside it, where all loops are
// at the same time:
//
//	loop 1   read parse [lock: run] write   read parse [lock: run] write
//	loop 2   read parse ....... [lock: run] write   read parse ...[lock: run] write
//
// The share under the lock is that of the samples of a CPU profile, while the workload runs on a
// server with one loop in this process. The CPU time of a request is that of the server with one
// loop as a process of its own. From both follow two figures:
//
//   - Amdahl's law: as if all loops stood still while one has the lock. This is what is certain.
//   - At most: either all loops are always busy, or the lock is. Loops of different clients do work
//     beside one another, so that the truth is between the two.
//
// Both assume that a request costs as much with many loops as with one. It costs more: the lock and
// the data move between the caches of processors, loops sleep and wake when the lock is taken, and
// batches get smaller. And the clients, and the network, must keep up.
type model struct {
	name             string  // of the workload
	serial, parallel float64 // microseconds of a request, under the lock and beside it
	deviation        float64 // standard deviation of the share under the lock, as the number of samples leaves it
}

// amdahl returns thousands of requests a second with n loops, by Amdahl's law.
func (m model) amdahl(n int) float64 { return 1000 / (m.serial + m.parallel/float64(n)) }

// ceiling returns thousands of requests a second that n loops cannot exceed.
func (m model) ceiling(n int) float64 {
	return min(float64(n)*1000/(m.serial+m.parallel), 1000/m.serial)
}

// expectedColumns show what to expect of ours with so many loops. The gain is over one, by Amdahl's
// law.
var expectedColumns = []column{
	{"expected of", "%s", "name"},
	{"loops", "%d", "loops"},
	{"us under the lock", "%.2f of %.2f (%.0f%% ± %.0f)", "serial_us cpu_us serial_percent deviation_percent"},
	{"k/s by Amdahl's law", "%.1f", "amdahl_kps"},
	{"gain", "%.2f", "gain"},
	{"k/s at most", "%.1f", "most_kps"},
}

// expected returns a row for each model and 1, 2, 4 and so on loops.
func (o *coresRun) expected(models []model) *table {
	t := &table{columns: expectedColumns}
	for _, m := range models {
		us := m.serial + m.parallel
		for n := 1; n <= o.most; n *= 2 {
			t.rows = append(t.rows, row{"name": m.name, "loops": n, "serial_us": m.serial,
				"serial_percent": 100 * m.serial / us, "deviation_percent": 100 * m.deviation,
				"cpu_us": us, "amdahl_kps": m.amdahl(n), "gain": m.amdahl(n) / m.amdahl(1), "most_kps": m.ceiling(n)})
		}
	}
	return t
}

// models returns a model of each workload that ours was measured with.
func (o *coresRun) models(measured []row) (list []model, err error) {
	s, stop, err := startHere("io-threads 1", "test-kit no")
	if err != nil {
		return nil, err
	}
	defer stop()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // as the server has it with one loop
	for _, w := range o.chosen(coresWorkloads()) {
		i := slices.IndexFunc(measured,
			func(r row) bool { return r["name"] == w.name && r["server"] == "ours" && r["loops"] == 1 })
		if i < 0 {
			continue
		}
		locked, all, err := o.sample(s, w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		list = append(list, newModel(w.name, locked, all, measured[i].number("cpu_us")))
	}
	return list, nil
}

// newModel returns a model of requests that cost so many microseconds, of which as many of all
// samples were under the lock.
func newModel(name string, locked, all int, us float64) model {
	share := float64(locked) / float64(all)
	return model{name, share * us, (1 - share) * us, math.Sqrt(share * (1 - share) / float64(all))}
}

// sample runs a workload on a server in this process, and returns how many samples of the CPU time
// there are, and how many of them are under the engine's lock. There is at least one.
func (o *coresRun) sample(s *server, w workload) (locked, all int, err error) {
	for range o.rounds {
		if err := w.prepare(s); err != nil {
			return 0, 0, err
		}
		traces, err := o.profile(s, w)
		if err != nil {
			return 0, 0, err
		}
		l, a := underLock(traces)
		locked, all = locked+l, all+a
	}
	if all == 0 {
		return 0, 0, errors.New("the profile is empty: too few requests")
	}
	return locked, all, nil
}

// profile runs a workload and returns where this process spent its CPU time, as go tool pprof
// -traces prints it.
func (o *coresRun) profile(s *server, w workload) (traces string, err error) {
	file, err := os.CreateTemp("", "cores*.pprof")
	if err != nil {
		return "", err
	}
	defer os.Remove(file.Name())
	if err := pprof.StartCPUProfile(file); err != nil {
		return "", err
	}
	run := &trial{workload: w, server: s, requests: w.requestCount(o.requests)}
	o.generator.drive([]*trial{run})
	pprof.StopCPUProfile()
	_, err = run.result()
	if err := errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	out, err := exec.Command("go", "tool", "pprof", "-traces", "-unit=ms", file.Name()).Output()
	return string(out), err
}

// sampling is the CPU time for each sample of a profile.
const sampling = 10 * time.Millisecond

// underLock returns how many samples of the traces have a method of the engine on the stack, and
// how many there are. All such methods that matter have the lock.
func underLock(traces string) (locked, all int) {
	for _, trace := range strings.Split(traces, "-----------+")[1:] {
		words := strings.Fields(strings.TrimLeft(trace, "-"))
		if len(words) == 0 {
			continue
		}
		spent, err := time.ParseDuration(words[0])
		if err != nil {
			continue
		}
		n := int(spent / sampling)
		all += n
		if strings.Contains(trace, "miniserver/internal/engine.(*Engine).") {
			locked += n
		}
	}
	return locked, all
}
