package serve

import (
	"os"
	"strconv"

	_ "github.com/miniserver-go/miniserver/cluster" // MINI.CLUSTER
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/cli/goruntime"
	"github.com/miniserver-go/miniserver/internal/console"
	_ "github.com/miniserver-go/miniserver/scripting/tools" // SCRIPT LINT and DEBUG
	_ "github.com/miniserver-go/miniserver/search"          // FT.*
)

// program is an engine with its server and the files of the process.
type program struct {
	*assembly.Assembly
	console    *console.Console
	conf       *configuration
	defaults   map[string]string // values of the parameters before the configuration was read
	startup    assembly.Startup
	logFile    logFile
	users      userFile
	pid        string // path of the file with the process id; "" for none
	daemonize  bool
	supervised string
	groupID    uint64 // 0 without a group
	ready      ready
	withParent bool // exit-with-parent
	withInput  bool // exit-with-input
	tuner      *goruntime.Tuner
	ownProcess bool // the process is the server's own
	onSignal   onSignal
}

// load loads the saved data, then the fixtures.
func (p *program) load() error { return p.Load(p.startup.Fixtures...) }

// processors returns how many the runtime needs: one for each event loop, see package server, and
// one for everything else, or with TLS as many again for the goroutines that encrypt.
func (p *program) processors() int {
	loops := p.Server.Loops()
	if p.Engine.Params.Named("tls-port").Get() != "0" || p.Engine.Params.Named("tls-self-signed").Get() == "yes" {
		return 2 * loops
	}
	return loops + 1
}

// tellReady tells those who wait for it that the server serves commands.
func (p *program) tellReady() error {
	p.notifyReady()
	return p.ready.announce(p.Server.Addrs(), p.Engine.Params.Named("tls-port").Get(), p.Server.Certificate())
}

func (p *program) writePID() error {
	if p.pid == "" {
		return nil
	}
	return os.WriteFile(p.pid, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644)
}

func (p *program) close() {
	p.ready.withdraw()
	if p.pid != "" {
		_ = os.Remove(p.pid)
	}
	p.logFile.close()
}
