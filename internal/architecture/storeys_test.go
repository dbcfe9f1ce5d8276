package architecture

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// storeys are the files of packages from bottom to top, in which nothing needs a file above it.
var storeys = map[string][][]string{
	"scripting": {
		{"errors.go", "settings.go", "connection.go", "loan.go"}, // Words, and what knows of no script.
		// What a State needs: how its errors read, and the arguments of a call.
		{"wordings.go", "wording.go", "arguments.go"},
		{"interpreter.go"},
		{"strict.go", "run.go", "register.go"},  // What an interpreter does,
		{"call.go"},                             // what its programs call,
		{"api.go"}, {"sandbox.go"}, {"load.go"}, // and what they see.
		{"scripts.go"},                         // The interpreter for the programs of all worlds.
		{"debugging.go"},                       // An interpreter for one program.
		{"cmd_scripts.go", "cmd_recording.go"}, // Commands.
		{"cmd_functions.go"}, {"family.go"}, {"part.go"},
	},
	"internal/group": {
		// What a member has.
		{"errors.go", "clock.go", "scanner.go", "effects.go", "rounds.go", "settled.go", "once.go"},
		{"params.go", "move.go", "outgoing.go"},
		{ // A member, what goes into the log, and what comes of that; what other groups own.
			"group.go", "entry.go", "known.go", "question.go", "share.go", "moving.go", "peer.go", "hearsay.go",
		},
		{"role.go"},
		{"append.go", "machine.go"}, // Rounds; entries that are applied.
		{"seat.go", "transfer.go", "snapshot.go"},
		{"export.go", "import.go", "trim.go"}, // Moves of slots.
		{"topology.go"}, {"stored.go"}, // What the engine asks.
		{"info.go", "cmd_once.go", "commands.go"},
		{"part.go"},
	},
	"internal/replication": {
		{"errors.go", "params.go", "replies.go", "buffer.go"}, // Words.
		{"history.go"},
		{"replication.go", "replica.go", "link.go"},     // Nouns: a master, its replicas, the link to its own master.
		{"good.go", "limit.go", "older.go", "group.go"}, // What a master knows of its replicas.
		{"stream.go"}, {"wait.go"}, {"role.go"}, // The stream, who waits for it, and whose history it is.
		{"attach.go"}, {"transfer.go"}, {"failover.go"}, // Replicas come and go.
		{"link_sync.go", "link_handshake.go"}, {"link_stream.go"}, {"link_connect.go"}, // The link runs.
		{"info.go", "cmd_wait.go", "follow.go"}, {"sync.go", "handover.go"}, {"commands.go"}, // Commands.
		{"part.go"},
	},
	"internal/keyspace": {
		{ // A database: its keys and their entries, deadlines, views, and what a snapshot has of them.
			"keyspace.go", "value.go", "access.go", "lazyfree.go", "db.go", "table.go",
			"entry.go", "memory.go", "boxes.go", "indexes.go", "cells.go", "blocks.go",
			"expires.go", "element.go", "expiry.go", "view.go", "others.go", "record.go", "snapshot.go", "pace.go",
		},
		{"walk.go", "prefetch.go", "layout.go"}, // What concerns many keys,
		{"evict.go", "digest.go", "bulkload.go", "move.go", "check.go"},
		{"clone.go"}, {"compact.go"}, // and all of them.
	},
	"scripting/debugger": {
		{"errors.go", "describe.go", "code.go"}, // Values as texts, and code of a front end.
		{ // A run, and what is asked at a stop.
			"debugger.go", "order.go", "touched.go", "evaluate.go", "breakpoints.go", "watch.go",
		},
		{"stops.go"}, {"rewind.go"}, // Whether a line is a stop, and the way back to one.
		{"run.go"}, // What the run calls.
	},
	"scripting/dap": {
		{"errors.go", "wire.go", "text.go"},    // Frames, and values as texts.
		{"dap.go", "run.go", "breakpoints.go"}, // A session, its run, and its breakpoints.
		{"variables.go"}, {"watches.go"},       // What a client looks at,
		{"front.go"}, {"requests.go"}, // what the run tells, and what the client asks.
		{"serve.go"}, {"cluster.go"},
	},
	"scripting/ldb": {
		{"split.go"}, {"session.go"}, {"frames.go", "watches.go"}, {"requests.go"}, {"stopped.go"},
	},
	"internal/assembly": {
		{"dialer.go", "startup.go"}, {"assembly.go"},
	},
	"internal/cli/script": {
		{"explain.go", "reply_json.go", "embedded.go", "eval_record.go"},
		{"eval.go"}, {"repl.go", "repl_complete.go"}, {"debug.go", "debug_terminal.go"},
	},
	"internal/cli/test": {
		{"cover.go", "report.go"}, {"junit.go"}, {"test.go", "watch.go"},
	},
	"internal/cli/serve": {
		// What knows of no configuration.
		{"ready.go", "parent.go", "port_taken.go", "process_unix.go", "process_windows.go", "parent_linux.go",
			"parent_unix.go"},
		{"config.go", "options.go"}, {"environment.go"},
		{ // A program: the server with its files and signals.
			"program.go", "users.go", "log.go", "signals.go", "daemon.go", "rewrite.go", "loading.go", "group.go",
		},
		{"serve.go"}, {"cluster.go"},
	},
	"server": {
		{ // What knows of no connection: requests and input, the system, TLS, figures.
			"request.go", "last.go", "log.go", "output_limits.go", "relay.go", "turns.go", "clock.go", "traffic.go",
			"calls_raw.go", "calls_race.go", "thread_policy_epoll.go", "yield_epoll.go", "errno_unix.go",
			"errno_windows.go", "tls_self.go",
		},
		{"input.go", "tls.go", "tls_user.go", "listen_error.go", "facts_unix.go", "facts_windows.go"},
		{"tls_client.go", "machine.go"},
		// Nouns: a server, its connections, its loops.
		{"server.go", "conn.go", "loop.go", "paced.go", "epoll.go", "pipes.go"},
		{"output.go", "feed_epoll.go"}, // What a connection sends,
		{"barrier.go"}, {"group.go"},   // and what it waits for;
		{"handle.go"},                                                  // what it does with input;
		{"round.go"}, {"loops_epoll.go", "loops_net.go", "netloop.go"}, // when its loop does that.
		{"admit.go"}, {"forward.go", "tls_proxy.go", "tls_direct.go"}, {"tls_admit.go"}, // Who becomes a connection.
		{"inprocess.go", "listen.go"},
		{"info.go", "params.go"}, {"host.go"}, // What the engine asks.
		{"run.go"},
	},
	"internal/testkit": {
		{"errors.go", "names.go", "line.go", "clock.go"}, // Words, and the clock.
		{"testkit.go", "duration.go", "selector.go"},     // The Kit and what it keeps.
		{"world.go", "fault.go", "note.go", "turns.go"},
		{"chaos.go", "snapshot.go", "dump.go", "leaks.go", "outage.go"},
		{ // Commands.
			"help.go", "seed.go", "sentinel.go", "owner.go", "cmd_fault.go", "cmd_clock.go", "cmd_chaos.go",
			"cmd_outage.go",
		},
		{"waitfor.go", "cmd_world.go", "commands.go", "diff.go"},
		{"part.go"},
	},
}

// TestFilesNeedNoFileAbove resolves every identifier of these packages and compares the storey of
// the file that uses it with the storey of the file that declares it.
func TestFilesNeedNoFileAbove(t *testing.T) {
	for dir, list := range storeys {
		t.Run(dir, func(t *testing.T) { requireStoreys(t, dir, list) })
	}
}

func requireStoreys(t *testing.T, dir string, list [][]string) {
	storey := make(map[string]int)
	for i, names := range list {
		for _, name := range names {
			storey[name] = i
		}
	}
	files, pkg, uses, fset := typeCheck(t, dir)
	for _, f := range files {
		require.Contains(t, storey, f, "the file has no storey")
	}
	up := make(map[string]bool)
	for id, object := range uses {
		from, to := fileOf(fset, id.Pos()), fileOf(fset, object.Pos())
		if object.Pkg() == pkg && storey[to] > storey[from] {
			up[fmt.Sprintf("%s needs %s of %s", from, object.Name(), to)] = true
		}
	}
	require.Empty(t, sortedKeys(up))
}

func fileOf(fset *token.FileSet, at token.Pos) string {
	return filepath.Base(fset.Position(at).Filename)
}

func sortedKeys(set map[string]bool) (list []string) {
	for key := range set {
		list = append(list, key)
	}
	sort.Strings(list)
	return list
}

// typeCheck returns the names of a package's files for this system, without tests, and what their
// identifiers stand for.
func typeCheck(t *testing.T,
	dir string) (names []string, pkg *types.Package, uses map[*ast.Ident]types.Object, fset *token.FileSet) {
	fset = token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
	require.NoError(t, err)
	var files []*ast.File
	for _, path := range paths {
		if match, err := build.Default.MatchFile(filepath.Split(path)); err != nil || !match ||
			strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
		names = append(names, filepath.Base(path))
	}
	exports := exportFiles(t, dir)
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	info := types.Info{Uses: make(map[*ast.Ident]types.Object)}
	pkg, err = conf.Check(module+dir, fset, files, &info)
	require.NoError(t, err)
	return names, pkg, info.Uses, fset
}

// exportFiles returns where the go command keeps the export data of all that a package imports.
func exportFiles(t *testing.T, dir string) map[string]string {
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "./"+dir)
	list.Dir = filepath.Join("..", "..")
	out, err := list.Output()
	require.NoError(t, err)
	files := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return files
}
