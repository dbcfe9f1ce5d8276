package scripting

import (
	"bytes"
	"fmt"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/scripting/cache"
	"github.com/miniserver-go/miniserver/scripting/library"
)

// Part returns the part that the script engine adds to its engine.
func (s *Scripts) Part() engine.Part {
	return engine.Part{
		Name:     "scripting",
		State:    s,
		Families: []command.Family{family},
		Modules: []engine.Module{{Name: "lua", Since: "valkey:9.1.0", Version: 1, Path: "lua",
			Options: "handle-repl-async-load|handle-atomic-slot-migration"}},
		Debug:  s.debugLines(),
		Params: s.interpreter.params(),
		Sections: []engine.Section{
			{Name: "Memory", Fill: s.fillMemory},
			{Name: "Stats", Fill: func(w *engine.World, b *bytes.Buffer) {
				engine.Fields(b, "evicted_scripts", s.of(w).cache.Evicted)
			}, Reset: func(w *engine.World) { s.of(w).cache.Evicted = 0 }},
			{Name: "Scripting Engines", Asked: "scriptingengines", Since: "valkey:9.1.0", Hidden: true,
				Fill: s.fillEngines},
		},
		Caches: []engine.Cache{
			{Name: "lua.caches", Bytes: func(w *engine.World) int { return s.of(w).cache.Bytes() }},
			{Name: "functions.caches", Bytes: func(w *engine.World) int { return s.of(w).registry.Bytes() }},
		},
		Libraries: s,
		Reset: func(w *engine.World) {
			own := s.of(w)
			own.cache, own.registry, own.json = cache.New(), library.Registry{}, newJSONSettings()
		},
		Forget: func(w *engine.World) { s.of(w).cache = cache.New() },
		Reseed: func(w *engine.World, seed uint64) {
			s.turnTo(w)
			s.interpreter.random.Seed(int32(seed))
		},
	}
}

// fillEngines writes INFO scriptingengines.
func (s *Scripts) fillEngines(w *engine.World, b *bytes.Buffer) {
	own := s.of(w)
	used := own.cache.Bytes() + own.registry.Bytes()
	engine.Fields(b, "engines_count", 1, "engines_total_used_memory", used, "engines_total_memory_overhead", 0,
		"engine_0", fmt.Sprintf("name=LUA,module=lua,abi_version=4,used_memory=%d,memory_overhead=0", used))
}

// fillMemory writes the fields of INFO memory about scripts.
func (s *Scripts) fillMemory(w *engine.World, b *bytes.Buffer) {
	own := s.of(w)
	scripts, functions := own.cache.Bytes(), own.registry.Bytes()
	engine.Fields(b, "used_memory_lua", scripts, "used_memory_lua_human", engine.Human(scripts), "used_memory_vm_eval",
		scripts, "used_memory_vm_functions", functions, "used_memory_vm_total", scripts+functions,
		"used_memory_vm_total_human", engine.Human(scripts+functions), "used_memory_scripts_human",
		engine.Human(scripts+functions), "used_memory_scripts_eval", scripts, "number_of_cached_scripts",
		own.cache.Len(), "number_of_functions", own.registry.Count(), "number_of_libraries", own.registry.Len(),
		"used_memory_functions", functions, "used_memory_scripts", scripts+functions)
}
