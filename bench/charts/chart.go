// Package charts draws lines and bars with gonum/plot, as SVG for a page and as PNG for everything
// else, on a light or a dark ground.
//
// It adds to that library what measurements want: ticks in bytes and times on logarithmic axes,
// marks for thresholds, and colours that stay apart for everybody and on both grounds.
package charts

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Unit is what an axis counts.
type Unit int

// The units.
const (
	Count Unit = iota
	Bytes
	Nanoseconds
)

// Axis is one axis of a chart.
type Axis struct {
	Label string
	Unit  Unit
	Log   bool
}

// Line is one line; points are joined, and marked where they are few.
type Line struct {
	Name   string
	X, Y   []float64
	Dashed bool
}

// Mark is a place on the x axis that has a meaning.
type Mark struct {
	At   float64
	Text string
}

// Group is one group of bars, one for each of the chart's names.
type Group struct {
	Name   string
	Values []float64
}

// Chart is lines over an axis of numbers, or if there are groups, bars.
type Chart struct {
	Name, Title string
	X, Y        Axis
	Lines       []Line
	Marks       []Mark
	Bars        []string // what the bars of a group are
	Groups      []Group
}

// Theme is the colours of a ground.
type Theme struct {
	ground, ink, faint color.Color
	lines              []color.Color
}

func rgb(hex uint32) color.Color {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

func palette(hexes ...uint32) (list []color.Color) {
	for _, hex := range hexes {
		list = append(list, rgb(hex))
	}
	return list
}

// The themes.
var (
	Light = Theme{rgb(0xffffff), rgb(0x222222), rgb(0xdddddd),
		palette(0x0072b2, 0xd55e00, 0x009e73, 0xcc3399, 0x8c6d00, 0x444444)}
	Dark = Theme{rgb(0x16181c), rgb(0xdddddd), rgb(0x3a3d44),
		palette(0x56b4e9, 0xff8c42, 0x3ddca0, 0xf28cc8, 0xf0d060, 0xbbbbbb)}
)

// The plot's size. Below it each row of the legend takes as much again as legendRow.
const width, height, legendRow = 7.4 * vg.Inch, 4.2 * vg.Inch, 13

// SVG returns the chart as an SVG document.
func (c Chart) SVG(t Theme) ([]byte, error) {
	p, err := c.plot(t)
	if err != nil {
		return nil, err
	}
	canvas := vgsvg.New(width, c.height())
	drawWithLegend(p, framed(draw.New(canvas), t))
	var out bytes.Buffer
	_, err = canvas.WriteTo(&out)
	return out.Bytes(), err
}

// PNG writes the chart as a PNG, about 1066 pixels wide.
func (c Chart) PNG(w io.Writer, t Theme) error {
	p, err := c.plot(t)
	if err != nil {
		return err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(width, c.height()), vgimg.UseDPI(144), vgimg.UseBackgroundColor(t.ground))
	drawWithLegend(p, framed(draw.New(canvas), t))
	return writePNG(w, canvas.Image())
}

func (c Chart) height() vg.Length {
	return height + vg.Points(legendRow*float64(len(c.Lines)+len(c.Bars)))
}

// drawWithLegend draws a plot, and its legend below it, where no line can be.
func drawWithLegend(p *plot.Plot, canvas draw.Canvas) {
	legend := p.Legend
	p.Legend = plot.NewLegend()
	rows := legend.Rectangle(canvas).Size().Y
	p.Draw(draw.Crop(canvas, 0, 0, rows+vg.Points(6), 0))
	legend.Draw(canvas)
}

// framed returns the part of a canvas within a margin, which it colours.
func framed(c draw.Canvas, t Theme) draw.Canvas {
	c.SetColor(t.ground)
	c.Fill(c.Rectangle.Path())
	const margin = 9
	return draw.Crop(c, vg.Points(margin), -vg.Points(margin+5), vg.Points(margin), -vg.Points(margin))
}

// plot lays the chart out.
func (c Chart) plot(t Theme) (*plot.Plot, error) {
	p := plot.New()
	c.style(p, t)
	p.Add(grid(t))
	if len(c.Groups) > 0 {
		return p, c.addBars(p, t)
	}
	for i, line := range c.Lines {
		if len(line.X) == 0 || len(line.X) != len(line.Y) {
			return nil, fmt.Errorf("%s: %s has %d values for %d places", c.Name, line.Name, len(line.Y), len(line.X))
		}
		if err := addLine(p, line, t.lines[i%len(t.lines)], draw.CircleGlyph{}); err != nil {
			return nil, fmt.Errorf("%s, %s: %w", c.Name, line.Name, err)
		}
	}
	c.fit(p)
	for _, m := range c.Marks {
		if err := addMark(p, m, t); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// style sets fonts, colours and axes.
func (c Chart) style(p *plot.Plot, t Theme) {
	p.BackgroundColor = t.ground
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.X.Label, c.Y.Label
	p.Title.Padding = vg.Points(6)
	p.Legend.Top, p.Legend.Left = false, true
	p.Legend.XOffs, p.Legend.Padding = vg.Points(60), vg.Points(2)
	p.Legend.ThumbnailWidth = vg.Points(22)
	for _, text := range []*draw.TextStyle{&p.Title.TextStyle, &p.Legend.TextStyle, &p.X.Label.TextStyle,
		&p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		text.Color, text.Font.Variant, text.Font.Size = t.ink, "Sans", 10
	}
	p.Title.TextStyle.Font.Size = 12
	for axis, of := range map[*plot.Axis]Axis{&p.X: c.X, &p.Y: c.Y} {
		axis.Color, axis.Tick.Color = t.ink, t.ink
		axis.Tick.Marker = ticks{of.Unit, of.Log}
		if of.Log {
			axis.Scale = plot.LogScale{}
		}
	}
}

func grid(t Theme) *plotter.Grid {
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = t.faint, t.faint
	g.Horizontal.Width, g.Vertical.Width = vg.Points(0.4), vg.Points(0.4)
	return g
}

// fewPoints is how many points of a line are marked.
const fewPoints = 45

func addLine(p *plot.Plot, l Line, c color.Color, glyph draw.GlyphDrawer) error {
	points := make(plotter.XYs, len(l.X))
	for i := range l.X {
		points[i] = plotter.XY{X: l.X[i], Y: l.Y[i]}
	}
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color, line.Width = c, vg.Points(1.6)
	dots.Color, dots.Shape, dots.Radius = c, glyph, vg.Points(1.8)
	if l.Dashed {
		line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
	}
	p.Add(line)
	p.Legend.Add(l.Name, line)
	if len(points) <= fewPoints {
		p.Add(dots)
	}
	return nil
}

// fit leaves room above the lines, and below for the marks' texts.
func (c Chart) fit(p *plot.Plot) {
	if c.Y.Log {
		low, high := math.Log10(p.Y.Min), math.Log10(p.Y.Max)
		p.Y.Min, p.Y.Max = math.Pow(10, low-(high-low)*0.09), math.Pow(10, high+(high-low)*0.03)
		return
	}
	p.Y.Min = 0
	p.Y.Max *= 1.05
}

// addMark draws a vertical line with a text at its foot.
func addMark(p *plot.Plot, m Mark, t Theme) error {
	line, err := plotter.NewLine(plotter.XYs{{X: m.At, Y: p.Y.Min}, {X: m.At, Y: p.Y.Max}})
	if err != nil {
		return err
	}
	line.Color, line.Width, line.Dashes = t.ink, vg.Points(0.8), []vg.Length{vg.Points(2), vg.Points(2)}
	at := plotter.XYLabels{XYs: plotter.XYs{{X: m.At, Y: p.Y.Min}}, Labels: []string{m.Text}}
	labels, err := plotter.NewLabels(at)
	if err != nil {
		return err
	}
	style := &labels.TextStyle[0]
	style.Color, style.Font.Variant, style.Font.Size = t.ink, "Sans", 9
	labels.Offset = vg.Point{X: vg.Points(3), Y: vg.Points(4)}
	p.Add(line, labels)
	return nil
}

// addBars draws groups of bars.
func (c Chart) addBars(p *plot.Plot, t Theme) error {
	var names []string
	for _, g := range c.Groups {
		names = append(names, g.Name)
	}
	thick := vg.Points(340 / float64(len(c.Groups)*(len(c.Bars)+1)))
	for i, name := range c.Bars {
		values := make(plotter.Values, len(c.Groups))
		for j, g := range c.Groups {
			values[j] = g.Values[i]
		}
		bars, err := plotter.NewBarChart(values, thick)
		if err != nil {
			return err
		}
		bars.Color, bars.LineStyle.Width = t.lines[i%len(t.lines)], 0
		bars.Offset = thick * vg.Length(float64(i)-float64(len(c.Bars)-1)/2)
		p.Add(bars)
		p.Legend.Add(name, bars)
	}
	p.NominalX(names...)
	p.X.Tick.Label.Color = t.ink
	p.Y.Min = 0
	p.Y.Max *= 1.05
	return nil
}
