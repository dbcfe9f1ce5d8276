package main

import (
	"fmt"
	"runtime"
	"time"

	gopher "github.com/yuin/gopher-lua"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// runInterpreters is the subcommand interpreters: our evaluator beside gopher-lua's virtual machine, in
// this process, on the scripts that need nothing of Redis. It shows what compiling to closures over
// values of two words is worth.
func runInterpreters(args []string) error {
	o := newOptions("interpreters")
	length := o.flags.Duration("time", time.Second, "how long each script runs on each interpreter")
	if err := o.parse(args); err != nil {
		return err
	}
	t := &table{columns: []column{{"script", "%s", "name"}, {"gopher-lua us", "%.2f", "gopher_us"}, {"allocs", "%.0f", "gopher_allocs"},
		{"ours us", "%.2f", "ours_us"}, {"allocs", "%.0f", "ours_allocs"}, {"ratio", "%.1f", "ratio"}}}
	for _, name := range []string{"arithmetic", "calls", "strings", "tables", "format", "patterns"} {
		if !o.filter.MatchString(name) {
			continue
		}
		theirs, err := gopherRunner(script("lua/" + name))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		ours, err := ourRunner(script("lua/" + name))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if a, b := theirs(), ours(); a != b {
			return fmt.Errorf("%s: gopher-lua returns %v, ours %v", name, a, b)
		}
		r := row{"name": name}.add("gopher_", timed(*length, theirs)).add("ours_", timed(*length, ours))
		t.rows = append(t.rows, r.ratio("ratio", "gopher_us", "ours_us"))
	}
	return o.print(t)
}

// gopherRunner returns a function that runs a script on gopher-lua and returns its number.
func gopherRunner(source string) (func() float64, error) {
	L := gopher.NewState()
	fn, err := L.LoadString(source)
	if err != nil {
		return nil, err
	}
	return func() float64 {
		L.Push(fn)
		L.Call(0, 1)
		n := gopher.LVAsNumber(L.Get(-1))
		L.Pop(1)
		return float64(n)
	}, nil
}

// ourRunner returns a function that runs a script on our evaluator and returns its number.
func ourRunner(source string) (func() float64, error) {
	L := lua.NewState()
	lua.OpenBase(L)
	lua.OpenString(L)
	lua.OpenTable(L)
	lua.OpenMath(L)
	proto, err := lua.Compile(source, "=bench")
	if err != nil {
		return nil, err
	}
	fn := L.Load(proto)
	return func() float64 {
		results, err := L.Run(fn)
		if err != nil || len(results) == 0 {
			return -1
		}
		n, _ := results[0].AsNumber()
		return n
	}, nil
}

// timed runs fn for about length and returns the time and the allocations of one run.
func timed(length time.Duration, fn func() float64) row {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start, runs := time.Now(), 0
	for time.Since(start) < length {
		for range 16 {
			fn()
		}
		runs += 16
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return row{"us": float64(took.Microseconds()) / float64(runs), "allocs": float64(after.Mallocs-before.Mallocs) / float64(runs)}
}
