package testkit_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/transcript"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

const corpus = "testdata"

// furnish gives an engine all parts of a server with the kit.
func furnish(e *engine.Engine) {
	assembly.Join(e, assembly.Options{Disk: new(snapshot.MemDisk), TestKit: true})
}

func world(proto int) transcript.World {
	return transcript.NewMemory(transcript.Traits{Name: "an engine with the test kit", Proto: proto, Tags: []string{"testkit"}}, furnish)
}

func TestTranscripts(t *testing.T) {
	if transcript.Updating(t, corpus, func() transcript.World { return world(2) }) {
		return
	}
	transcript.RunFiles(t, world(2), corpus, transcript.Files(t, corpus))
}

func TestTranscriptsInRESP3(t *testing.T) {
	transcript.RunFiles(t, world(3), corpus, transcript.Files(t, corpus))
}
