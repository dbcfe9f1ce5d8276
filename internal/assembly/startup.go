package assembly

import (
	"crypto/rand"
	"encoding/binary"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/testkit"
)

// Startup is the settings that count when a server is made or loads its data, as programs offer
// them.
type Startup struct {
	Databases int64
	Release   *release.Release
	Seed      uint64
	TestKit   bool
	Fixtures  []string // paths of what is loaded after the saved data
}

// NewStartup returns what counts without any setting.
func NewStartup() Startup {
	return Startup{Databases: 16, Release: &release.Default, Seed: Seed()}
}

// Early returns the parameters that need their values before the engine is made.
func (s *Startup) Early() []config.Param {
	return []config.Param{config.Int("databases", &s.Databases, 1, 1<<31-1), s.seed(), config.Release(&s.Release),
		testkit.Param(&s.TestKit)}
}

// Part returns the parameters among these settings that the other parts do not have.
func (s *Startup) Part() engine.Part {
	return engine.Part{Name: "startup", Params: []config.Param{s.seed().AtStart(), testkit.Param(&s.TestKit),
		config.Words("load", &s.Fixtures).AtStart()}}
}

func (s *Startup) seed() config.Param { return config.Int("seed", &s.Seed, 0, 1<<63-1) }

// Engine returns the options of the engine.
func (s *Startup) Engine() engine.Options {
	return engine.Options{Databases: int(s.Databases), Release: s.Release, Seed: s.Seed}
}

// Seed returns a seed by chance.
func Seed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:]) >> 1
}
