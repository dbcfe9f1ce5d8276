package expr

import (
	"math"
	"time"
)

// lastSecond is the end of the years that a date can have.
const lastSecond = 67_768_036_191_676_799

// onTime is a function of a time, in seconds since the epoch. Of what is none, or before the epoch,
// it makes null.
func onTime(name string, f func(t time.Time) float64) *function {
	return &function{name: name, least: 1, most: 1, arity: arguments, run: func(args []Value) (Value, error) {
		seconds, ok := args[0].Number()
		if !ok || !(seconds >= 0 && seconds <= lastSecond) {
			return Value{}, nil
		}
		return Number(f(time.Unix(int64(seconds), 0).UTC())), nil
	}}
}

// since returns a time as seconds since the epoch. As in RediSearch each fourth year has a day
// more, which is right until 2100.
func since(t time.Time, days int) float64 {
	years := int64(t.Year() - 1970)
	return float64((int64(days)+years*365+(years+1)/4)*24*60*60 + int64(t.Hour())*60*60 + int64(t.Minute())*60 +
		int64(t.Second()))
}

// minute is unlike the others, since it needs no date.
func minute(args []Value) (Value, error) {
	seconds, ok := args[0].Number()
	if !ok || seconds < 0 {
		return Value{}, nil
	}
	return Number(computed(math.Floor(seconds-math.Mod(seconds, 60)), seconds)), nil
}

func hour(t time.Time) float64 { return since(t.Truncate(time.Hour), t.YearDay()-1) }

func day(t time.Time) float64 { return since(midnight(t), t.YearDay()-1) }

func month(t time.Time) float64 { return since(midnight(t), t.YearDay()-t.Day()) }

// midnight returns the begin of a day.
func midnight(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }

func year(t time.Time) float64        { return float64(t.Year()) }
func monthOfYear(t time.Time) float64 { return float64(t.Month() - 1) }
func dayOfMonth(t time.Time) float64  { return float64(t.Day()) }
func dayOfWeek(t time.Time) float64   { return float64(t.Weekday()) }
func dayOfYear(t time.Time) float64   { return float64(t.YearDay() - 1) }

// timeFormat(seconds, format) returns the text of a time, by default as ISO 8601 has it; null if
// there is none.
func timeFormat(args []Value) (Value, error) {
	layout := "%FT%TZ"
	if len(args) == 2 {
		if !args[1].is(TextKind) || args[1].stored {
			return Value{}, wrongType("time", 1, args[1], "VALIDATE_ARG__TYPE(v, RSValue_String)")
		}
		layout = args[1].text
	}
	seconds, ok := args[0].Number()
	if !ok || !(math.Abs(seconds) <= lastSecond) {
		return Value{}, nil
	}
	b := appendTime(nil, layout, time.Unix(int64(seconds), 0).UTC())
	if len(b) == 0 || len(b) > maxTime {
		return Value{}, nil
	}
	return Text(string(b)), nil
}

// parseTime(text, format) returns the time of a text; null if it is not of the format.
func parseTime(args []Value) (Value, error) {
	s := scanner{rest: args[0].text}
	s.layout(args[1].text)
	if s.failed {
		return Value{}, nil
	}
	return Number(float64(s.seconds())), nil
}
