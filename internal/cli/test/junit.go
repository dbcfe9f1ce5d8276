package test

import (
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// The elements of a file in the format of JUnit, with what its schema demands.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string      `xml:"name,attr"`
		Package    string      `xml:"package,attr"`
		ID         int         `xml:"id,attr"`
		Timestamp  string      `xml:"timestamp,attr"`
		Hostname   string      `xml:"hostname,attr"`
		Tests      int         `xml:"tests,attr"`
		Failures   int         `xml:"failures,attr"`
		Errors     int         `xml:"errors,attr"`
		Skipped    int         `xml:"skipped,attr"`
		Time       string      `xml:"time,attr"`
		Properties struct{}    `xml:"properties"`
		Cases      []junitCase `xml:"testcase"`
		Out        struct{}    `xml:"system-out"`
		Err        struct{}    `xml:"system-err"`
	}
	junitCase struct {
		Name      string        `xml:"name,attr"`
		Classname string        `xml:"classname,attr"`
		Time      string        `xml:"time,attr"`
		Skipped   *struct{}     `xml:"skipped"`
		Error     *junitProblem `xml:"error"`
		Failure   *junitProblem `xml:"failure"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// junit returns the results as JUnit XML: a suite for each file, a case for each test. A file that
// cannot run is a case with an error.
func junit(results []*fileResult, began time.Time) string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	var all junitSuites
	for i, r := range results {
		suite := junitSuite{
			Name: r.path, Package: r.path, ID: i, Timestamp: began.UTC().Format("2006-01-02T15:04:05"), Hostname: host,
			Time: seconds(r.took),
		}
		for _, t := range r.tests {
			suite.add(t, r.path)
		}
		if r.err != nil {
			suite.add(testResult{name: r.path, err: r.err}, r.path)
		}
		all.Suites = append(all.Suites, suite)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return xml.Header + "<testsuites></testsuites>\n"
	}
	return xml.Header + string(text) + "\n"
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

func (s *junitSuite) add(t testResult, path string) {
	c := junitCase{Name: t.name, Classname: path, Time: seconds(t.took)}
	s.Tests++
	switch {
	case t.err != nil:
		s.Errors++
		c.Error = problem("error", t)
	case t.failed():
		s.Failures++
		c.Failure = problem("failure", t)
	case t.skipped():
		s.Skipped++
		c.Skipped = new(struct{})
	}
	s.Cases = append(s.Cases, c)
}

// problem returns what is wrong with a test. The message is its first line.
func problem(kind string, t testResult) *junitProblem {
	text := t.details()
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "?")
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return &junitProblem{Message: first, Type: kind, Text: text}
}
