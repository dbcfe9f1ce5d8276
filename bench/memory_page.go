package main

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"runtime"

	"github.com/miniserver-go/miniserver/bench/charts"
)

// pageText is the report: one file that needs nothing else, with each chart drawn for a light and
// for a dark ground.
//
//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

type pageChart struct{ Light, Dark template.HTML }

// writePage writes the report.
func (m *memoryRun) writePage(w io.Writer) error {
	data := struct {
		Run       *memoryRun
		Go, Where string
		Charts    []pageChart
		Tables    [][][]string
		Agreement string
	}{Run: m, Go: runtime.Version(), Where: runtime.GOOS + "/" + runtime.GOARCH}
	for _, c := range m.charts() {
		light, err := inline(c, charts.Light)
		if err != nil {
			return err
		}
		dark, err := inline(c, charts.Dark)
		if err != nil {
			return err
		}
		data.Charts = append(data.Charts, pageChart{light, dark})
	}
	for _, t := range m.tables() {
		data.Tables = append(data.Tables, t.cells())
	}
	var agreement bytes.Buffer
	if err := m.printAgreement(&agreement); err != nil {
		return err
	}
	data.Agreement = agreement.String()
	return page.Execute(w, data)
}

// inline returns a chart as an element of a page: without the declarations before it.
func inline(c charts.Chart, t charts.Theme) (template.HTML, error) {
	text, err := c.SVG(t)
	if i := bytes.Index(text, []byte("<svg")); i > 0 {
		text = text[i:]
	}
	return template.HTML(text), err // ours, and not a visitor's
}
