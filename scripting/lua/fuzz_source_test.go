package lua_test

import (
	"errors"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// FuzzSource compiles and runs any text. It may fail, but it must not crash, hang or take all
// memory.
func FuzzSource(f *testing.F) {
	for _, path := range languageFiles(f) {
		for _, s := range readSections(f, path) {
			f.Add(s.text)
		}
	}
	for seed := range uint64(20) {
		f.Add(program(seed))
	}
	hostile := []map[string]string{endless, bombs, deep}
	if quick.Check() {
		hostile = nil // they take time, or fill memory
	}
	for _, sources := range hostile {
		for _, name := range slices.Sorted(maps.Keys(sources)) {
			f.Add(sources[name])
		}
	}
	paths, _ := os.ReadDir("../../../shared/seeds/scripts") // where the sources of scripts in the wild may lie
	for _, p := range paths {
		if text, err := os.ReadFile("../../../shared/seeds/scripts/" + p.Name()); err == nil {
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, source string) {
		p, err := lua.Compile(source, "=fuzz")
		if err != nil {
			return
		}
		L := newState()
		L.SetMemoryLimit(8 << 20)
		ticks := 0
		L.SetHook(1000, func() error {
			if ticks++; ticks > 300 {
				return errors.New("enough")
			}
			return nil
		})
		for range 2 { // compiled code serves many runs
			ticks = 0
			_, _ = L.Run(L.Load(p))
		}
	})
}
