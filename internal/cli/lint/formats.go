package lint

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/miniserver-go/miniserver/internal/build"
	querylint "github.com/miniserver-go/miniserver/internal/search/lint"
	"github.com/miniserver-go/miniserver/scripting/lint"
)

// lintReport is what the linter found in a file.
type lintReport struct {
	file     string
	findings []lint.Finding
}

// lintFormats print reports.
var lintFormats = map[string]func(out io.Writer, reports []lintReport) error{
	"text": printText, "json": printJSON, "sarif": printSARIF, "github": printGitHub,
}

// printText prints file:line:column: rule: message, as compilers do.
func printText(out io.Writer, reports []lintReport) error {
	for _, r := range reports {
		for _, f := range r.findings {
			if _, err := fmt.Fprintf(out, "%s:%s\n", r.file, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// printJSON prints a list of findings, each with its file.
func printJSON(out io.Writer, reports []lintReport) error {
	type finding struct {
		File string `json:"file"`
		lint.Finding
	}
	list := []finding{}
	for _, r := range reports {
		for _, f := range r.findings {
			list = append(list, finding{r.file, f})
		}
	}
	return printIndented(out, list)
}

func printIndented(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// printGitHub prints commands that make GitHub show the findings beside the code.
func printGitHub(out io.Writer, reports []lintReport) error {
	commands := map[lint.Level]string{lint.Error: "error", lint.Warning: "warning", lint.Note: "notice"}
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	for _, r := range reports {
		for _, f := range r.findings {
			_, err := fmt.Fprintf(out, "::%s file=%s,line=%d,col=%d,title=%s::%s %s\n", commands[f.Level],
				property.Replace(r.file), f.Line, f.Column, f.Rule, message.Replace(f.Message), f.Link)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// The parts of SARIF 2.1.0 that programs read.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string    `json:"id"`
		Short   sarifText `json:"shortDescription"`
		HelpURI string    `json:"helpUri"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     lint.Level      `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
)

// printSARIF prints a log in SARIF 2.1.0, which code hosts and editors read.
func printSARIF(out io.Writer, reports []lintReport) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "miniserver lint", Version: build.Version}
	for _, rule := range lint.Rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules,
			sarifRule{rule.Name, sarifText{rule.About}, lint.Link(rule.Name)})
	}
	for _, rule := range querylint.Rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules,
			sarifRule{rule.Name, sarifText{rule.About}, queryLink})
	}
	for _, r := range reports {
		for _, f := range r.findings {
			where := sarifLocation{sarifPhysical{sarifArtifact{r.file}, sarifRegion{f.Line, f.Column}}}
			run.Results = append(run.Results,
				sarifResult{f.Rule, f.Level, sarifText{f.Message}, []sarifLocation{where}})
		}
	}
	return printIndented(out, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}
