package engine

import (
	"maps"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/glob"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
)

// configSubs are the subcommands of CONFIG.
func configSubs() []command.Line {
	const flags = command.Admin | command.NoScript | command.Loading | command.Stale
	return []command.Line{
		{Name: "get", Arity: -3, Flags: flags | command.Harmless, Run: cmdConfigGet, Reply: "list", Since: "2.0.0",
			Syntax: "parameter...", Summary: "Returns the effective values of configuration parameters.",
			Help: "<pattern>", Complexity: "O(N), N being the number of parameters",
			History: "7.0.0 Takes several patterns.", Was: []command.Was{command.Before("7.0.0", "arity=3")}},
		{Name: "set", Arity: -4, Flags: flags | command.Settings, Run: cmdConfigSet, Reply: "status", Since: "2.0.0",
			Syntax: "data(/parameter_value)=<parameter value>...", Summary: "Sets configuration parameters in-flight, all of them or none.",
			Help:       "<directive> <value>",
			Tips:       "request_policy:all_nodes response_policy:all_succeeded",
			Complexity: "O(N), N being the number of parameters",
			History:    "7.0.0 Takes several parameters.", Was: []command.Was{command.Before("7.0.0", "arity=4")}},
		{Name: "resetstat", Arity: 2, Flags: flags, Run: cmdConfigResetStat, Reply: "status", Since: "2.0.0",
			Summary: "Resets the server's statistics.", Tips: "request_policy:all_nodes response_policy:all_succeeded", Was: []command.Was{{Before: "7.2.0", Edit: command.Advises("")}},
			Complexity: "O(1)"},
		{Name: "rewrite", Arity: 2, Flags: flags, Run: cmdConfigRewrite, Reply: "status", Since: "2.8.0",
			Summary: "Persists the effective configuration to file.", Tips: "request_policy:all_nodes response_policy:all_succeeded", Was: []command.Was{{Before: "7.2.0", Edit: command.Advises("")}},
			Complexity: "O(1)"},
		HelpLine("5.0.0"),
	}
}

// CONFIG GET parameter [parameter ...]
func cmdConfigGet(c *Call) {
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
			if !c.Engine.Params.Hides(c.Engine.Params.Named(name)) && glob.MatchFold(pattern, name) && c.Engine.Params.Offered(name) != nil {
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

// settingWordings are the errors of CONFIG SET before 7.0, which gives no reason for some of them.
var settingWordings = []command.Wording{
	{Before: "7.0.0", Error: ErrConfigSet, Was: "ERR Invalid argument '%[3]s' for CONFIG SET '%[1]s'%[2]s"},
	{Before: "7.0.0", Error: ErrConfigUnknown, Was: "ERR Unsupported CONFIG parameter: %s"},
	{Before: "7.0.0", Error: config.ErrEnum, Was: "argument must be one of the following: %s"},
	{Before: "7.0.0", Error: errParamEvents}, {Before: "7.0.0", Error: config.ErrCount}, {Before: "7.0.0", Error: ErrSavePoints},
	{Before: "7.0.0", Error: ErrBufferWords}, {Before: "7.0.0", Error: ErrBufferNumbers},
}

// CONFIG SET parameter value [parameter value ...]
func cmdConfigSet(c *Call) {
	if c.Left()%2 != 0 {
		c.Fail(ErrSyntax)
		return
	}
	settings := c.settings()
	if !c.OK() {
		return
	}
	if s, err := change(settings); err != nil {
		if c.Has(command.Splits) {
			s.given = s.name
		}
		c.refuseSetting(s, err)
	}
	if c.OK() {
		c.Reply.Status("OK")
	}
}

// refuseSetting latches the error of a setting.
func (c *Call) refuseSetting(s *setting, err error) {
	e := c.Engine
	if words, choice := err.(config.Choice); choice {
		err = e.Errorf(config.ErrEnum, string(words))
	}
	reason := e.Worded(err).Error()
	if reason != "" {
		reason = " - " + reason
	}
	c.Refuse(e.Errorf(ErrConfigSet, s.given, reason, s.value))
}

// change sets and applies the settings, all or none of them. It returns the error and the setting that failed.
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
func (c *Call) settings() (list []setting) {
	seen := make(map[string]bool)
	for c.More() {
		given := string(c.Arg())
		s := setting{name: strings.ToLower(given), given: given}
		s.param = c.Engine.Params.Offered(s.name)
		s.value = string(c.Arg())
		switch {
		case s.param == nil, s.param.Immutable && !c.Has(command.Splits):
			c.Refuse(c.Engine.Errorf(ErrConfigUnknown, given))
			continue
		case s.param.Immutable:
			c.refuseSetting(&s, errImmutable)
		case s.param.Protected && !c.Session.isAllowedBy(c.Engine.Config.protected):
			c.refuseSetting(&s, ErrProtected)
		case seen[s.name]:
			c.refuseSetting(&s, errSetTwice)
		}
		seen[s.name] = true
		s.old = s.param.Get()
		list = append(list, s)
	}
	return list
}

// CONFIG RESETSTAT
func cmdConfigResetStat(c *Call) {
	c.World.resetStats()
	c.Reply.Status("OK")
}

// CONFIG REWRITE
func cmdConfigRewrite(c *Call) {
	err := error(ErrNoConfigFile)
	if c.Engine.Parts.Host.Rewrite != nil {
		err = c.Engine.Parts.Host.Rewrite(false)
	}
	if err != nil {
		c.Fail(err)
		return
	}
	c.Reply.Status("OK")
}

// resetStats sets the figures of INFO to zero that count from the start or the last reset.
func (w *World) resetStats() {
	e := w.engine
	errors := e.stats.errors
	clear(errors)
	e.stats = stats{errors: errors}
	e.eviction.evicted, e.eviction.exceededTime = 0, 0
	e.defrag.defragStats = defragStats{}
	w.Keyspace.LazilyFreed = 0
	for i := range e.executions {
		e.executions[i].commandStats = commandStats{}
	}
	for _, s := range e.Parts.sections {
		if s.Reset != nil {
			s.Reset(w)
		}
	}
}
