package scripting

import (
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/profile"
)

// chunk is a source that was compiled: that of a script, or of a library.
type chunk struct {
	kind    string // user_script or user_function
	library string // its name, "" for a script
	digest  string // of the source; "" until it is needed
	source  string
	code    string // what was compiled of it
	proto   *lua.Proto
}

// recording is what the scripts and functions of a world do, between SCRIPT COVERAGE START and STOP, and between SCRIPT PROFILE START
// and STOP. A chunk is followed from its first run in that time on; all are compiled plainly again when both have stopped. The figures
// belong to the source: they outlast the chunk, and a library that is loaded again adds to them.
type recording struct {
	scripts  map[string]*profile.Script // by kind and digest
	order    []*profile.Script
	bytes    int // of the sources
	coverage measure
	times    measure
	tree     *lua.CallTree // nil before the first start
}

// measure is one of the two things that a recording does.
type measure struct {
	on      bool
	begun   bool // there are figures
	omitted int  // runs for which there was no room
}

// Bounds of a recording. What comes when it is full is not recorded.
const (
	maxRecorded      = 1000     // sources
	maxRecordedBytes = 16 << 20 // of sources
)

// StartCoverage begins to count what the scripts of a world do, on top of what was counted before. It is to be called
// under the engine's lock, as all methods here, and while no script runs.
func (s *Scripts) StartCoverage(w *engine.World) error {
	return s.start(w, &s.recording(w).coverage, "COVERAGE")
}

// StopCoverage ends that. With reset it forgets the counts, also if there is nothing to end.
func (s *Scripts) StopCoverage(w *engine.World, reset bool) error {
	r := s.recording(w)
	if err := s.stop(w, &r.coverage, "COVERAGE", reset); err != nil {
		return err
	}
	if reset {
		for _, sc := range r.order {
			sc.Profile.Reset()
		}
	}
	return nil
}

// Coverage returns the counts of the scripts and libraries that ran: views, valid until the next script runs.
func (s *Scripts) Coverage(w *engine.World) (*profile.Coverage, error) {
	r := s.recording(w)
	if !r.coverage.begun {
		return nil, s.engine.Errorf(errNotRecorded, "COVERAGE")
	}
	c := &profile.Coverage{Omitted: r.coverage.omitted}
	for _, sc := range r.order {
		if sc.Ran() {
			c.Scripts = append(c.Scripts, *sc)
		}
	}
	return c, nil
}

// StartProfile begins to time what the scripts of a world do, on top of what was timed before.
func (s *Scripts) StartProfile(w *engine.World) error {
	r := s.recording(w)
	if r.tree == nil {
		r.tree = lua.NewCallTree(s.Nanos, s.hostName)
	}
	return s.start(w, &r.times, "PROFILE")
}

// StopProfile ends that. With reset it forgets the times, also if there is nothing to end.
func (s *Scripts) StopProfile(w *engine.World, reset bool) error {
	r := s.recording(w)
	if err := s.stop(w, &r.times, "PROFILE", reset); err != nil {
		return err
	}
	if reset {
		r.tree = nil
	}
	return nil
}

// Times returns the times: views, valid until the next script runs.
func (s *Scripts) Times(w *engine.World) (*profile.Times, error) {
	r := s.recording(w)
	if !r.times.begun {
		return nil, s.engine.Errorf(errNotRecorded, "PROFILE")
	}
	t := &profile.Times{Omitted: r.times.omitted, Tree: r.tree}
	for _, sc := range r.order {
		t.Scripts = append(t.Scripts, *sc)
	}
	return t, nil
}

// recording returns the recording of a world.
func (s *Scripts) recording(w *engine.World) *recording {
	own := s.of(w)
	if own.recording == nil {
		own.recording = &recording{scripts: make(map[string]*profile.Script)}
	}
	return own.recording
}

// start begins a measure of the world's recording.
func (s *Scripts) start(w *engine.World, m *measure, name string) error {
	if m.on {
		return s.engine.Errorf(errRecording, name)
	}
	m.on, m.begun = true, true
	s.of(w).switchRecorder()
	return nil
}

// stop ends a measure, with reset for good.
func (s *Scripts) stop(w *engine.World, m *measure, name string, reset bool) error {
	if !m.on && !reset {
		return s.engine.Errorf(errNotRecording, name)
	}
	m.on = false
	if reset {
		*m = measure{}
	}
	s.of(w).switchRecorder()
	return nil
}

// switchRecorder lets the profiles do what the measures want.
func (own *ownScripts) switchRecorder() {
	r := own.recording
	for _, sc := range r.order {
		r.direct(sc)
	}
	if own.recorder = r; r.coverage.on || r.times.on {
		return
	}
	own.recorder = nil
	for _, sc := range own.cache.bySHA {
		sc.proto.Unfollow()
	}
	for _, l := range own.registry.libraries {
		l.proto.Unfollow()
	}
	if !r.coverage.begun && !r.times.begun {
		own.recording = nil
	}
}

// direct lets a profile do what the measures want.
func (r *recording) direct(sc *profile.Script) {
	sc.Profile.Counting, sc.Profile.Tree = r.coverage.on, nil
	if r.times.on {
		sc.Profile.Tree = r.tree
	}
}

// begin is called before a function of a chunk runs, and end behind it.
func (r *recording) begin(ch *chunk) {
	if !r.follow(ch) {
		r.coverage.omit()
		r.times.omit()
	}
	if r.times.on {
		r.tree.Begin()
	}
}

func (r *recording) end() {
	if r.times.on {
		r.tree.End()
	}
}

// omit notes a run that is not recorded.
func (m *measure) omit() {
	if m.on {
		m.omitted++
	}
}

// follow makes a chunk's functions record what they do, and reports whether there is room for it.
func (r *recording) follow(ch *chunk) bool {
	if ch.digest == "" {
		ch.digest = digest([]byte(ch.source))
	}
	key := ch.kind + "/" + ch.digest
	sc := r.scripts[key]
	known := sc != nil
	if !known {
		if len(r.order) >= maxRecorded || r.bytes+len(ch.source) > maxRecordedBytes {
			return false
		}
		sc = &profile.Script{Digest: ch.digest, Source: ch.source, Profile: new(lua.Profile), Name: profile.NameOf(ch.source, ch.path())}
		r.direct(sc)
	}
	if ch.proto.Follow(ch.code, sc.Profile) != nil {
		return false
	}
	if !known {
		r.scripts[key], r.order = sc, append(r.order, sc)
		r.bytes += len(ch.source)
	}
	return true
}

// path returns the path that stands for a chunk: its kind, and the digest of a script or the name of a library.
func (ch *chunk) path() string {
	if ch.library != "" {
		return ch.kind + "/" + ch.library + ".lua"
	}
	return ch.kind + "/" + ch.digest + ".lua"
}

// hostNames are the names of host functions as scripts write them.
type hostNames struct {
	functions map[*lua.Function]string
	calls     map[[2]string]string // of redis.call and redis.pcall with a command, as it is typed
}

// maxCallNames bounds the ways to type commands.
const maxCallNames = 1000

// hostName returns the name of a host function, with the command for redis.call.
func (s *Scripts) hostName(fn *lua.Function, first lua.Value) string {
	if s.names.functions == nil {
		s.names = hostNames{make(map[*lua.Function]string), make(map[[2]string]string)}
		for _, globals := range []*lua.Table{s.functions.globals, s.sparse, s.scripts.globals} {
			if globals != nil {
				nameFields(s.names.functions, "", globals)
			}
		}
	}
	name, known := s.names.functions[fn]
	if !known {
		return fn.Name()
	}
	if text, ok := first.AsString(); ok && (name == "redis.call" || name == "redis.pcall") {
		return s.callName(name, text)
	}
	return name
}

// callName returns the name of redis.call with a command, without it if there is no such command.
func (s *Scripts) callName(name, command string) string {
	if full, known := s.names.calls[[2]string{name, command}]; known {
		return full
	}
	cmd := s.engine.Commands.Named(command)
	if cmd == nil {
		return name
	}
	full := name + " " + strings.ToUpper(cmd.Name)
	if len(s.names.calls) < maxCallNames {
		s.names.calls[[2]string{name, strings.Clone(command)}] = full
	}
	return full
}

// nameFields names the functions in the fields of a table, and those in the tables of the fields.
func nameFields(names map[*lua.Function]string, prefix string, t *lua.Table) {
	for k, v, more, _ := t.Next(nil, lua.Nil); more; k, v, more, _ = t.Next(nil, k) {
		field, _ := k.AsString()
		switch fn, inner := v.AsFunction(), v.AsTable(); {
		case fn != nil:
			names[fn] = prefix + field
		case inner != nil && prefix == "" && field != "_G" && field != "server":
			nameFields(names, field+".", inner)
		}
	}
}
