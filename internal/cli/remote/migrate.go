package remote

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/errno"
	"github.com/miniserver-go/miniserver/internal/progress"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/replication/migrate"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

// maxDatabases is the number of databases that the servers may have.
const maxDatabases = 1 << 14

// migrateOptions are the options of miniserver migrate.
type migrateOptions struct {
	migrate.Options
	from, to, like string
	cacert         string
	insecure       bool
}

// Migrate returns the sub-command that migrates data.
func Migrate() *subcommand.Subcommand {
	return &subcommand.Subcommand{
		Name:    "migrate",
		Forms:   []string{"[options] --from redis://... --to redis://..."},
		Purpose: "moves data from one server to another while clients use them", Prepare: prepareMigrate}
}

func prepareMigrate(flags *pflag.FlagSet) subcommand.Action {
	o := new(migrateOptions)
	flags.StringVar(&o.from, "from", "",
		"the `URL` of the source: redis://user:password@host:port/database, or rediss:// for TLS; "+
			"all databases without one")
	flags.StringVar(&o.to, "to", "", "the `URL` of the target")
	flags.StringVar(&o.Match, "match", "", "only keys that match this `pattern`, as in KEYS")
	flags.StringVar(&o.like, "like", "",
		"what the target understands, if it does not tell its version: a `release` such as 7.0 or valkey:8.1")
	flags.BoolVar(&o.Replace, "replace", false,
		"the target may have keys: those of the source replace keys of the same name, the others stay")
	flags.BoolVar(&o.WhenCaughtUp, "switch-when-caught-up", false,
		"switch as soon as the target has everything, and not on Enter or SIGUSR1")
	flags.DurationVar(&o.KeepPaused, "keep-paused", 0,
		"let the source take no writes for this `time` after the switch, for clients to change over")
	flags.StringVar(&o.cacert, "cacert", "", "a `file` with the certificates that servers with TLS are verified with")
	flags.BoolVar(&o.insecure, "insecure", false, "do not verify the certificates of servers with TLS")
	return func(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
		if err := o.parse(args); err != nil {
			return subcommand.Misuse(err.Error())
		}
		return o.run(ctx, in, out)
	}
}

// parse completes the options, or says what is wrong with them.
func (o *migrateOptions) parse(args []string) (err error) {
	if len(args) > 0 || o.from == "" || o.to == "" {
		return errors.New("")
	}
	if o.From, err = migrate.ParseAddress(o.from); err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	if o.To, err = migrate.ParseAddress(o.to); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	if o.like != "" {
		if o.Like, err = release.Parse(o.like); err != nil {
			return err
		}
	}
	o.Secure, err = trusting(o.cacert, o.insecure)
	return err
}

// trusting returns the configuration for connections to servers with TLS, whose certificates must
// be signed by those in a file; by those that the system trusts without a file.
func trusting(cacert string, insecure bool) (*tls.Config, error) {
	c := &tls.Config{InsecureSkipVerify: insecure}
	if cacert == "" {
		return c, nil
	}
	text, err := os.ReadFile(cacert)
	if err != nil {
		return nil, fmt.Errorf("cannot open file %s: %s", cacert, errno.Text(err))
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificate", cacert)
	}
	return c, nil
}

// run migrates, and prints what happened. It returns subcommand.ErrPrinted if the servers differ at
// the end.
func (o *migrateOptions) run(ctx context.Context, in io.Reader, out io.Writer) error {
	o.Engine = assembly.New(assembly.Options{Disk: new(disk.Memory),
		Engine: engine.Options{Databases: maxDatabases, Clock: func() int64 { return 0 }}}).Engine
	line := progress.New(os.Stderr, 500*time.Millisecond)
	defer line.End()
	o.Progress = func(s migrate.Status) {
		line.Show(func(passed time.Duration) string { return statusLine(s, passed) })
	}
	o.Say = func(format string, args ...any) {
		line.End()
		fmt.Fprintf(out, format+"\n", args...)
	}
	o.Switch = o.switchRequests(in)
	report, err := migrate.Run(ctx, o.Options)
	line.End()
	if err != nil && len(report.Untaken)+len(report.Different) == 0 {
		return err
	}
	return errors.Join(err, printReport(out, report))
}

// switchRequests returns a channel that gets Enter and SIGUSR1.
func (o *migrateOptions) switchRequests(in io.Reader) <-chan struct{} {
	requests := make(chan struct{}, 1)
	signals := make(chan os.Signal, 1)
	if len(switchSignals) > 0 { // for none, Notify passes on all
		signal.Notify(signals, switchSignals...)
	}
	go func() {
		for range signals {
			requests <- struct{}{}
		}
	}()
	if !o.WhenCaughtUp {
		go func() {
			if _, err := bufio.NewReader(in).ReadString('\n'); err == nil {
				requests <- struct{}{}
			}
		}()
	}
	return requests
}

// statusLine returns the progress as text.
func statusLine(s migrate.Status, passed time.Duration) string {
	text := fmt.Sprintf("%s  %d keys  %.0f keys/s", s.Phase, s.Keys, float64(s.Keys)/passed.Seconds())
	switch s.Phase {
	case migrate.Following, migrate.Switching:
		text = fmt.Sprintf("%s  %d keys, %d commands  behind by %d bytes, %.1f s",
			s.Phase, s.Keys, s.Commands, s.LagBytes, s.LagTime.Seconds())
	case migrate.Comparing:
		text = fmt.Sprintf("%s  %d keys", s.Phase, s.Compared)
	}
	if s.Untaken > 0 {
		text += fmt.Sprintf("  not taken: %d", s.Untaken)
	}
	if s.Phase == migrate.Following {
		text += "  Enter: switch"
	}
	return text
}

// mostListed is how many keys are named of those with a problem.
const mostListed = 20

// printReport prints the result. It returns subcommand.ErrPrinted if the target is not as the
// source.
func printReport(out io.Writer, r *migrate.Report) error {
	list := func(what string, losses []migrate.Loss) {
		if len(losses) > 0 {
			fmt.Fprintf(out, "%s: %d\n", what, len(losses))
		}
		for i, l := range losses {
			if i == mostListed {
				fmt.Fprintln(out, "  ...")
				break
			}
			name := fmt.Sprintf("%q", l.Key)
			if l.Key == "" {
				name = "-"
			}
			fmt.Fprintf(out, "  database %d  %s  %s\n", l.DB, name, l.Reason)
		}
	}
	list("not taken by the target", r.Untaken)
	list("different keys", r.Different)
	fmt.Fprintf(out, "keys compared: %d, different: %d\n", r.Compared, len(r.Different))
	if len(r.Untaken)+len(r.Different) > 0 {
		return subcommand.ErrPrinted
	}
	return nil
}
