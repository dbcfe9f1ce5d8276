package testkit_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/corpus"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/transcript"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

const kitCorpus = "testdata"

// furnish gives an engine all parts of a server with the kit.
func furnish(e *engine.Engine) {
	assembly.Join(e, assembly.Options{Disk: new(disk.Memory), TestKit: true})
}

func world(proto int) transcript.World {
	return transcript.NewMemory(transcript.Traits{Name: "an engine with the test kit", Proto: proto,
		Tags: []string{"testkit"}}, furnish)
}

func TestTranscripts(t *testing.T) {
	if corpus.Updating(t, kitCorpus, func() transcript.World { return world(2) }) {
		return
	}
	w := transcript.NewMemory(transcript.Traits{Name: "an engine with the test kit", Tags: []string{"testkit"}},
		func(e *engine.Engine) {
			furnish(e)
			family.CheckLines(t, e)
		})
	corpus.RunFiles(t, w, kitCorpus, corpus.Files(t, kitCorpus))
}

func TestTranscriptsInRESP3(t *testing.T) {
	corpus.RunFiles(t, world(3), kitCorpus, corpus.Files(t, kitCorpus))
}
