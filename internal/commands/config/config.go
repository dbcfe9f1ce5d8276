// Package config is CONFIG: reading and setting the parameters that the parts of a server have
// brought, see package internal/config.
package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/glob"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Part returns the part with CONFIG.
func Part(r *release.Release) engine.Part {
	p := &permission{who: "no"}
	if !r.Has(protects) {
		p.who = "yes"
	}
	return engine.Part{State: p, Families: []command.Family{family},
		Params: []config.Param{config.Enum("enable-protected-configs", &p.who, "no", "yes", "local").AtStart()}}
}

// permission is who may set protected parameters, enable-protected-configs: yes, local, no.
type permission struct{ who string }

// protects is when some parameters became protected.
var protects = release.From("7.0.0")

var family = command.Family{Group: "server", Wordings: wordings, Commands: []command.Line{
	{Name: "config", Arity: -2, Since: "2.0.0", Subs: subs,
		Complexity: "Depends on the subcommand", Summary: "A container for server configuration commands."},
}}

const flags = command.Admin | command.NoScript | command.Loading | command.Stale

var subs = []command.Line{
	{Name: "get", Arity: -3, Flags: flags | command.Harmless, Run: cmdConfigGet, Reply: "list", Since: "2.0.0",
		Syntax: "parameter...", Summary: "Returns the effective values of configuration parameters.",
		Help: "<pattern>", Complexity: "O(N), N being the number of parameters",
		History: "7.0.0 Takes several patterns.", Was: []command.Was{command.Before("7.0.0", "arity=3")}},
	{Name: "set", Arity: -4, Flags: flags | command.Settings, Run: engine.On((*permission).cmdConfigSet),
		Reply: "status", Since: "2.0.0", Syntax: "data(/parameter_value)=<parameter value>...",
		Summary: "Sets configuration parameters in-flight, all of them or none.", Help: "<directive> <value>",
		Tips:       "request_policy:all_nodes response_policy:all_succeeded",
		Complexity: "O(N), N being the number of parameters",
		History:    "7.0.0 Takes several parameters.", Was: []command.Was{command.Before("7.0.0", "arity=4")}},
	{Name: "resetstat", Arity: 2, Flags: flags, Run: cmdConfigResetStat, Reply: "status", Since: "2.0.0",
		Summary: "Resets the server's statistics.", Tips: "request_policy:all_nodes response_policy:all_succeeded",
		Was: []command.Was{{Before: "7.2.0", Edit: command.Advises("")}}, Complexity: "O(1)"},
	{Name: "rewrite", Arity: 2, Flags: flags, Run: cmdConfigRewrite, Reply: "status", Since: "2.8.0",
		Summary: "Persists the effective configuration to file.",
		Tips:    "request_policy:all_nodes response_policy:all_succeeded",
		Was:     []command.Was{{Before: "7.2.0", Edit: command.Advises("")}}, Complexity: "O(1)"},
	engine.HelpLine("5.0.0"),
}

// Errors with the texts of Redis.
const (
	errSet       = "ERR CONFIG SET failed (possibly related to argument '%s')%[2]s" // and the value
	errUnknown   = "ERR Unknown option or number of arguments for CONFIG SET - '%s'"
	errProtected = command.Error("can't set protected config")
	errImmutable = command.Error("can't set immutable config")
	errSetTwice  = command.Error("duplicate parameter")
)

// wordings are the errors of CONFIG SET before 7.0, which gives no reason for some of them.
var wordings = []command.Wording{
	{Before: "7.0.0", Error: errSet, Was: "ERR Invalid argument '%[3]s' for CONFIG SET '%[1]s'%[2]s"},
	{Before: "7.0.0", Error: errUnknown, Was: "ERR Unsupported CONFIG parameter: %s"},
	{Before: "7.0.0", Error: config.ErrEnum, Was: "argument must be one of the following: %s"},
	{Before: "7.0.0", Error: config.ErrCount},
}

// CONFIG GET parameter [parameter ...]
func cmdConfigGet(c *engine.Call) {
	shown := make(map[string]string) // the names as they were asked for, by parameter
	for c.More() {
		pattern := string(c.Arg())
		if !strings.ContainsAny(pattern, "*?[") {
			name := strings.ToLower(pattern)
			if _, named := shown[name]; !named && c.Engine.Params.Offered(name) != nil {
				if !c.Has(command.Splits) {
					pattern = name
				}
				shown[name] = pattern
			}
			continue
		}
		for _, name := range c.Engine.Params.Names() {
			if !c.Engine.Params.Hides(c.Engine.Params.Named(name)) && glob.MatchFold(pattern, name) &&
				c.Engine.Params.Offered(name) != nil {
				shown[name] = name
			}
		}
	}
	c.Reply.Map(len(shown))
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		c.Reply.BulkString(shown[name])
		c.Reply.BulkString(c.Engine.Params.Named(name).Get())
	}
}

// setting is one pair of CONFIG SET.
type setting struct {
	name       string // in lower case
	given      string // as it was given
	value, old string
	param      *config.Param
}

// CONFIG SET parameter value [parameter value ...]
func (p *permission) cmdConfigSet(c *engine.Call) {
	if c.Left()%2 != 0 {
		c.Fail(engine.ErrSyntax)
		return
	}
	settings := p.settings(c)
	if !c.OK() {
		return
	}
	if s, err := change(settings); err != nil {
		if c.Has(command.Splits) {
			s.given = s.name
		}
		refuseSetting(c, s, err)
	}
	if c.OK() {
		c.Reply.Status("OK")
	}
}

// refuseSetting latches the error of a setting.
func refuseSetting(c *engine.Call, s *setting, err error) {
	e := c.Engine
	if words, choice := err.(config.Choice); choice {
		err = e.Commands.Errorf(config.ErrEnum, string(words))
	}
	reason := e.Commands.Worded(err).Error()
	if reason != "" {
		reason = " - " + reason
	}
	c.Refuse(e.Commands.Errorf(errSet, s.given, reason, s.value))
}

// change sets and applies the settings, all or none of them. It returns the error and the setting
// that failed.
func change(settings []setting) (failed *setting, err error) {
	for i, s := range settings {
		if err = s.param.Set(s.value); err != nil {
			restore(settings[:i])
			return &settings[i], err
		}
	}
	for i, s := range settings {
		if err = apply(s.param); err != nil {
			restore(settings)
			for _, done := range settings[:i] {
				apply(done.param)
			}
			return &settings[i], err
		}
	}
	return nil, nil
}

func restore(settings []setting) {
	for _, s := range settings {
		s.param.Set(s.old)
	}
}

func apply(p *config.Param) error {
	if p.Apply == nil {
		return nil
	}
	return p.Apply()
}

// settings reads the pairs and latches the first problem.
func (p *permission) settings(c *engine.Call) (list []setting) {
	seen := make(map[string]bool)
	for c.More() {
		given := string(c.Arg())
		s := setting{name: strings.ToLower(given), given: given}
		s.param = c.Engine.Params.Offered(s.name)
		s.value = string(c.Arg())
		switch {
		case s.param == nil, s.param.Immutable && !c.Has(command.Splits):
			c.Refuse(c.Engine.Commands.Errorf(errUnknown, given))
			continue
		case s.param.Immutable:
			refuseSetting(c, &s, errImmutable)
		case s.param.Protected && !c.Session.AllowedBy(p.who):
			refuseSetting(c, &s, errProtected)
		case seen[s.name]:
			refuseSetting(c, &s, errSetTwice)
		}
		seen[s.name] = true
		s.old = s.param.Get()
		list = append(list, s)
	}
	return list
}

// CONFIG RESETSTAT
func cmdConfigResetStat(c *engine.Call) {
	c.World.ResetStats()
	c.Reply.Status("OK")
}

// CONFIG REWRITE
func cmdConfigRewrite(c *engine.Call) {
	err := error(engine.ErrNoConfigFile)
	if c.Engine.Parts.Host.Rewrite != nil {
		err = c.Engine.Parts.Host.Rewrite(false)
	}
	if err != nil {
		c.Fail(err)
		return
	}
	c.Reply.Status("OK")
}
