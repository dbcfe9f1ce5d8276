package timeseries

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// TS.CREATERULE source destination AGGREGATION aggregator bucket_duration [align_timestamp]
func cmdTSCreateRule(c *engine.Call) {
	from, to := c.Arg(), c.Arg()
	r := ruleArgs(c, to)
	if string(from) == string(to) {
		c.Refuse(errSameKey)
	}
	s := edited(c, from)
	if !c.Failed() {
		if tidy(c, from, s); s.Source() != "" {
			c.Refuse(errHasSource)
		}
	}
	d := edited(c, to)
	if !c.Failed() {
		tidy(c, to, d)
		switch {
		case d.Source() != "":
			c.Refuse(errIsDest)
		case len(d.Rules()) > 0:
			c.Refuse(errIsSource)
		}
	}
	if !c.OK() {
		c.DB.Commit(from) // which may be tidier
		c.DB.Commit(to)
		return
	}
	s.SetRules(append(slices.Clip(s.Rules()), r))
	d.SetSource(string(from))
	changed(c, from, "ts.createrule:src")
	changed(c, to, "ts.createrule:dest")
	c.AddChanges(-1)
	c.Reply.Status("OK")
}

// ruleArgs reads a rule for a destination. An error is latched, and the rule is nil.
func ruleArgs(c *engine.Call, dest []byte) *timeseries.Rule {
	if c.Left() > 4 || !c.Word("AGGREGATION") {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
		return nil
	}
	name := c.Arg()
	bucket, ok := resp.ParseInt(c.Arg())
	if !ok {
		c.Refuse(errAggregation)
	}
	kind, known := parseAggregator(c, name)
	if !known {
		c.Refuse(errAggregator)
	}
	if bucket <= 0 {
		c.Refuse(errBucket)
	}
	align := int64(0)
	if c.Left() > 0 {
		if align, ok = resp.ParseInt(c.Arg()); !ok || align < 0 {
			c.Refuse(errRuleAlign)
		}
	}
	if c.Failed() {
		return nil
	}
	return timeseries.NewRule(string(dest), kind, uint64(bucket), uint64(align))
}

// TS.DELETERULE source destination
func cmdTSDeleteRule(c *engine.Call) {
	from, to := c.Arg(), c.Arg()
	s := edited(c, from)
	if !c.OK() {
		return
	}
	tidy(c, from, s)
	r := ruleTo(s, to)
	if r == nil {
		c.DB.Commit(from)
		c.Fail(errNoRule)
		return
	}
	s.SetRules(slices.DeleteFunc(slices.Clone(s.Rules()), func(other *timeseries.Rule) bool { return other == r }))
	edited(c, to).SetSource("")
	changed(c, from, "ts.deleterule:src")
	changed(c, to, "ts.deleterule:dest")
	c.AddChanges(-1)
	c.Reply.Status("OK")
}
