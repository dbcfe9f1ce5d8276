package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/scripting/dap"
	"github.com/miniserver-go/miniserver/scripting/debugger"
)

// debugging is a script, or a function of a library, that is debugged without a server: at a
// terminal, or by an editor.
type debugging struct {
	embedded
	function string // "" for a script
	asDAP    bool
	listen   string // address for editors; "" for stdin and stdout

	file   string
	source string
	keys   []string
	args   []string
}

// Debug returns the sub-command that debugs a script.
func Debug() *subcommand.Subcommand {
	return &subcommand.Subcommand{Name: "debug",
		Forms: []string{"[options] <script.lua|library.lua> [key ...] [, argument ...]",
			"[options] --dap|--dap-listen <address>"},
		Purpose: "runs a Lua script or function step by step, without a server", Prepare: prepareDebug}
}

func prepareDebug(flags *pflag.FlagSet) subcommand.Action {
	d := new(debugging)
	flags.SetInterspersed(false) // what follows the script is for the script
	d.addOptions(flags)
	flags.StringVar(&d.function, "function", "", "debug the function of this `name`; the file is its library")
	flags.BoolVar(&d.asDAP, "dap", false, "serve an editor over stdin and stdout, with the Debug Adapter Protocol")
	flags.StringVar(&d.listen, "dap-listen", "",
		"serve editors at this `address`, such as 127.0.0.1:4711; port 0 picks a free one")
	return d.run
}

func (d *debugging) run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	editors := d.asDAP || d.listen != ""
	switch {
	case editors && (len(args) > 0 || d.function != ""):
		return subcommand.Misuse("with --dap the editor says what to debug")
	case !editors && len(args) == 0:
		return subcommand.Misuse("")
	case d.listen != "":
		return d.serveEditors(ctx, out)
	case d.asDAP:
		if err := dap.Serve(ctx, in, out, d.launch); err != nil {
			return fmt.Errorf("miniserver debug: %w", err)
		}
		return nil
	case args[0] == "-":
		return subcommand.Misuse("the script must be a file: stdin is for the commands of the debugger")
	}
	d.file = args[0]
	d.keys, d.args = splitWords(args[1:])
	return d.atTerminal(ctx, in, out)
}

// mostEditors bounds the editors that are served at a time, each with data of its own.
const mostEditors = 16

// serveEditors serves editors at an address of this machine, until the context ends. Whoever
// reaches it can run scripts and load files.
func (d *debugging) serveEditors(ctx context.Context, out io.Writer) error {
	if host, _, err := net.SplitHostPort(d.listen); err != nil || !isLoopback(host) {
		return subcommand.Misuse("--dap-listen needs a loopback address, such as 127.0.0.1:4711")
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", d.listen)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	fmt.Fprintln(out, "DAP server listening at: "+l.Addr().String())
	served := make(chan struct{}, mostEditors)
	for {
		c, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case served <- struct{}{}:
			go func() {
				d.serveEditor(ctx, c)
				<-served
			}()
		default:
			fmt.Fprintf(os.Stderr, "miniserver debug: %d editors are served already\n", mostEditors)
			_ = c.Close()
		}
	}
}

func (d *debugging) serveEditor(ctx context.Context, c net.Conn) {
	defer func() { _ = c.Close() }()
	if err := dap.Serve(ctx, c, c, d.launch); err != nil {
		fmt.Fprintln(os.Stderr, "miniserver debug: "+err.Error())
	}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// launch prepares what an editor wants to debug. What it does not say of the data is as the options
// say.
func (d *debugging) launch(l dap.Launch) (dap.Run, error) {
	e := &debugging{embedded: embedded{data: d.data, seed: d.seed, at: d.at}, function: l.Function}
	e.file, e.keys, e.args = l.Program, l.Keys, l.Args
	if len(l.Load) > 0 {
		e.data = l.Load
	}
	if l.At != "" {
		e.at = l.At
	}
	if l.Seed != nil {
		e.seed = *l.Seed
	}
	if err := e.prepare(); err != nil {
		return nil, err
	}
	return e.debug, nil
}

// prepare reads the file and makes an engine with the data, for one run or more.
func (d *debugging) prepare() error {
	source, err := os.ReadFile(d.file)
	if err == nil {
		err = d.start()
	}
	if err != nil {
		return err
	}
	d.source = string(source)
	d.Scripts.Log = func(int, string) {} // front ends show what a script logs
	// The user can pause a script that takes long.
	requests := [][][]byte{{[]byte("CONFIG"), []byte("SET"), []byte("busy-reply-threshold"), []byte("0")}}
	if d.function != "" {
		requests = append(requests, [][]byte{[]byte("FUNCTION"), []byte("LOAD"), source})
	}
	for _, r := range requests {
		reply, err := d.do(r)
		if err != nil {
			return err
		}
		if reply.IsError() {
			return errors.New(reply.Text)
		}
	}
	return nil
}

// debug runs the script or the function with a front end, on a copy of the data, and returns the
// reply.
func (d *debugging) debug(front debugger.FrontEnd) (reply []byte) {
	request := [][]byte{[]byte("EVAL"), []byte(d.source)}
	if d.function != "" {
		request = [][]byte{[]byte("FCALL"), []byte(d.function)}
	}
	request = append(request, strconv.AppendInt(nil, int64(len(d.keys)), 10))
	for _, words := range [][]string{d.keys, d.args} {
		for _, w := range words {
			request = append(request, []byte(w))
		}
	}
	return d.Scripts.Debug(d.session, engine.DebugCopy, request, front)
}
