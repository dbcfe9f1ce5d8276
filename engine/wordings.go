package engine

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/release"
)

// wordings are the engine's errors that read otherwise in other releases.
var wordings = []command.Wording{
	{Since: "valkey:9.1.0", Error: errNotInTx, Was: "ERR Command '%s' not allowed inside a transaction"},
	{Before: release.NoValkey, Error: ErrLoading, Was: "LOADING Valkey is loading the dataset in memory"},
	{Before: release.NoValkey, Error: ErrScriptKilled, Was: "ERR Script killed by user with %s KILL."},
	{Before: "7.0.0", Error: ErrSubArgs, Was: "ERR Unknown subcommand or wrong number of arguments for '%s'. Try %s HELP."},
	{Before: "7.0.0", Error: command.ErrUnknownCommand, Was: "ERR unknown command `%s`, with args beginning with: %s"},
	{Before: "7.0.0", Error: command.ErrUnknownArg, Was: "`%s`, "},
	{Before: "7.0.0", Error: ErrPairsArity, Was: "ERR wrong number of arguments for %[2]s"},
	{Before: "7.0.0", Error: ErrExpireTime, Was: "ERR invalid expire time in %s"},
	{Before: "7.0.0", Error: ErrRewriteAll, Was: "ERR CONFIG-REWRITE-FORCE-ALL failed"},
	{Before: "7.0.0", Error: errParamEvents}, // CONFIG SET gave no reason
}
