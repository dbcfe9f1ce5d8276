package query

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Explain returns the text of a tree that FT.EXPLAIN shows.
func Explain(s Schema, root Node) string {
	e := &explanation{schema: &remembering{Schema: s}}
	e.node(root, 0)
	return e.String()
}

type explanation struct {
	strings.Builder
	schema Schema
}

func (e *explanation) printf(format string, args ...any) { fmt.Fprintf(&e.Builder, format, args...) }

func (e *explanation) node(n Node, depth int) {
	e.WriteString(strings.Repeat("  ", depth))
	e.fields(n)
	if t, ok := n.(*Term); ok {
		e.term(t)
		return
	}
	e.body(n, depth)
	e.attributes(n.Options())
	e.WriteByte('\n')
}

// fields writes the names of the fields to which a node is limited.
func (e *explanation) fields(n Node) {
	set := n.Options().Fields
	if set == (Fields{}) {
		e.WriteString("@NULL:")
		return
	}
	switch n.(type) {
	case *Numeric, *Geo, *Keys:
		return
	}
	if set == AllFields {
		return
	}
	separator := "@"
	for _, f := range e.schema.Fields() {
		if f.Text && set.Has(f.Number) {
			e.WriteString(separator + f.Name)
			separator = "|"
		}
	}
	e.WriteByte(':')
}

func (e *explanation) term(n *Term) {
	if n.Text == "" {
		e.WriteString(`""`)
	}
	e.WriteString(n.Text)
	if n.Expanded {
		e.WriteString("(expanded)")
	}
	if n.opts.Weight != 1 {
		e.printf(" => {$weight: %s;}", general(n.opts.Weight))
	}
	e.WriteByte('\n')
}

func (e *explanation) body(n Node, depth int) {
	switch n := n.(type) {
	case *Nothing:
		e.WriteString("<empty>")
	case *All:
		e.WriteString("<WILDCARD>")
	case *Affix:
		e.affix(n)
	case *Fuzzy:
		e.printf("FUZZY{%s}", n.Text)
	case *Wildcard:
		e.printf("WILDCARD{%s}", n.Pattern)
	case *Numeric:
		e.printf("NUMERIC {%s %s @%s %s %s}", fixed(n.Min), comparison(n.ExcludeMin), n.Field,
			comparison(n.ExcludeMax), fixed(n.Max))
	case *Geo:
		e.printf("GEO %s:{%s,%s --> %s %s}", n.Field, fixed(n.Lon), fixed(n.Lat), fixed(n.Radius), n.Unit)
	case *Shape:
		e.printf("GEOSHAPE{%d %s}", n.Relation, n.Text)
	case *Missing:
		e.printf("ISMISSING{%s}", n.Field)
	case *Keys:
		e.keys(n)
	case *Vector:
		e.vector(n, depth)
	default:
		e.block(n, depth)
	}
}

// block writes a node that joins others.
func (e *explanation) block(n Node, depth int) {
	switch n := n.(type) {
	case *Intersection:
		if n.Exact {
			e.WriteString("EXACT {\n")
		} else {
			e.WriteString("INTERSECT {\n")
		}
	case *Union:
		e.WriteString("UNION {\n")
	case *Not:
		e.WriteString("NOT{\n")
	case *Optional:
		e.WriteString("OPTIONAL{\n")
	case *Tag:
		e.printf("TAG:@%s {\n", n.Field)
	}
	e.children(n, depth)
	e.WriteByte('}')
}

func (e *explanation) children(n Node, depth int) {
	for _, child := range children(n) {
		e.node(child, depth+1)
	}
	e.WriteString(strings.Repeat("  ", depth))
}

func (e *explanation) affix(n *Affix) {
	switch {
	case n.Prefix && n.Suffix:
		e.printf("INFIX{*%s*}", n.Text)
	case n.Suffix:
		e.printf("SUFFIX{*%s}", n.Text)
	default:
		e.printf("PREFIX{%s*}", n.Text)
	}
}

func (e *explanation) keys(n *Keys) {
	e.WriteString("IDS {")
	for _, number := range n.Numbers {
		e.printf("%d,", number)
	}
	e.WriteByte('}')
}

func (e *explanation) vector(n *Vector, depth int) {
	e.WriteString("VECTOR {")
	if n.Child != nil {
		e.WriteByte('\n')
		e.children(n, depth)
		e.WriteString("} => {")
	}
	if n.Range {
		e.printf("Vectors that are within %s distance radius from `$%s` ", general(n.Radius), n.Parameter)
	} else {
		e.printf("K=%d nearest vectors to `$%s` ", n.K, n.Parameter)
	}
	e.printf("in vector index associated with field @%s", n.Field)
	for _, a := range n.Attributes {
		e.printf(", %s = %s", a.Name, a.Value)
	}
	if n.Score != "" {
		e.printf(", yields distance as `%s`", n.Score)
	}
	e.WriteByte('}')
}

func (e *explanation) attributes(o *Options) {
	if o.Weight == 1 && o.Slop == -1 && !o.InOrder {
		return
	}
	e.WriteString(" => {")
	if o.Weight != 1 {
		e.printf(" $weight: %s;", general(o.Weight))
	}
	if o.Slop != -1 {
		e.printf(" $slop: %d;", o.Slop)
	}
	if o.Slop != -1 || o.InOrder {
		e.printf(" $inorder: %t;", o.InOrder)
	}
	e.WriteString(" }")
}

func comparison(exclusive bool) string {
	if exclusive {
		return "<"
	}
	return "<="
}

// fixed formats a number as C's %f.
func fixed(f float64) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return special(f)
	}
	return strconv.FormatFloat(f, 'f', 6, 64)
}

// general formats a number as C's %g.
func general(f float64) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return special(f)
	}
	return fmt.Sprintf("%.6g", f)
}

func special(f float64) string {
	text := "inf"
	if math.IsNaN(f) {
		text = "nan"
	}
	if math.Signbit(f) {
		text = "-" + text
	}
	return text
}
