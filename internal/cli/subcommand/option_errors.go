package subcommand

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/spelling"
)

// optionError words what is wrong with the options of a sub-command: pflag's own words name Go's
// types and functions.
func optionError(flags *pflag.FlagSet, err error) string {
	var (
		unknown *pflag.NotExistError
		missing *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
		syntax  *pflag.InvalidSyntaxError
	)
	switch {
	case errors.As(err, &unknown):
		if group := unknown.GetSpecifiedShortnames(); group != "" {
			return fmt.Sprintf("unknown option '-%s'%s", group, optionHint(flags, group))
		}
		return fmt.Sprintf("unknown option '--%s'%s", unknown.GetSpecifiedName(),
			optionHint(flags, unknown.GetSpecifiedName()))
	case errors.As(err, &missing):
		return fmt.Sprintf("--%s needs a value", missing.GetFlag().Name)
	case errors.As(err, &invalid):
		return fmt.Sprintf("--%s %q: %s", invalid.GetFlag().Name, invalid.GetValue(), wanted(invalid))
	case errors.As(err, &syntax):
		return fmt.Sprintf("'%s' is no option", syntax.GetSpecifiedFlag())
	}
	return err.Error()
}

func optionHint(flags *pflag.FlagSet, name string) string {
	names := []string{"help"}
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean '--%s'?", near)
	}
	return ""
}

// wanted says which values an option takes.
func wanted(e *pflag.InvalidValueError) string {
	switch kind := e.GetFlag().Value.Type(); kind {
	case "int", "int64":
		return "must be a whole number"
	case "uint", "uint64":
		return "must be a whole number that is not negative"
	case "uint16":
		return "must be a number up to 65535"
	case "duration":
		return "must be a time with its unit, such as 500ms, 10s or 1h30m"
	case "bool":
		return "must be true or false"
	}
	return errors.Unwrap(e).Error() // the option's own
}
