package search

import "github.com/miniserver-go/miniserver/internal/command"

// The errors of suggestions, in the words of RediSearch. The untyped ones are formats.
const (
	errSugScore     = command.Error("ERR invalid score")
	errNoPayload    = command.Error("Invalid payload: Expected an argument, but none provided")
	errSugArgument  = "Unknown argument `%s`"
	errSugLength    = command.Error("Invalid query length")
	errSugPrefix    = command.Error("Invalid query")
	errSugNoMost    = command.Error("MAX: Expected an argument, but none provided")
	errSugMost      = command.Error("MAX: Could not convert argument to expected type")
	errSugMostRange = command.Error("MAX: Value is outside acceptable bounds")
	errSugOption    = "Unrecognized argument: %s"

	errNoDictionary = command.Error("could not open dict key")
)

// The errors of definitions, and of commands on indexes.
const (
	errDatabase    = command.Error("Cannot create index on db != 0")
	errIndexExists = command.Error("Index already exists")
	errArgument    = "Unknown argument `%s`"
	errNoSchema    = command.Error("No schema found")
	errRule        = "Invalid rule type: %s"
	errScore       = command.Error("Invalid score")
	errLanguage    = command.Error("Invalid language")

	errBad          = "Bad arguments for %s: %s"
	noArgument      = command.Error("Expected an argument, but none provided")
	notConverted    = command.Error("Could not convert argument to expected type")
	outOfBounds     = command.Error("Value is outside acceptable bounds")
	unknownArgument = command.Error("Unknown argument")

	errDuplicate = "Duplicate field in schema - %s"
	errFields    = "Schema is limited to %d fields"
	errTexts     = "Schema is limited to %d TEXT fields"
	errAs        = command.Error("AS requires an argument")
	errNoType    = "Field `%s` does not have a type"
	errType      = "Invalid field type for field `%s`"
	errPath      = "Invalid JSONPath '%s' in attribute '%s' in index '%s'"
	errPhonetic  = command.Error("PHONETIC requires an argument")
	errMatcher   = command.Error("Matcher Format: <2 chars algorithm>:<2 chars language>. Support algorithms: " +
		"double metaphone (dm). Supported languages: English (en), French (fr), Portuguese (pt) and Spanish (es)")
	errSeparator  = command.Error("SEPARATOR requires an argument")
	errSeparators = "Tag separator must be a single character. Got `%s`"
	errOdd        = "Bad number of arguments for vector similarity index: got %d but expected even number as " +
		"algorithm parameters (should be submitted as named arguments)"
	errOddHNSW = "Bad number of arguments for vector similarity index: got %d but expected even number (as " +
		"algorithm parameters should be submitted as named arguments)"
	errParameters = "Expected %d parameters but got %d"
	errMandatory  = "Missing mandatory parameter: cannot create %s index without specifying %s argument"
	errParameter  = "Bad arguments for algorithm %s: %s"

	errUnknownIndex = command.Error("Unknown index name")
	errUnknownName  = command.Error("Unknown Index name")
	errNoIndex      = "%s: no such index"
	errAliasExists  = command.Error("Alias already exists")
	errNoAlias      = command.Error("Alias does not exist")
	errAliased      = command.Error("Unknown index name (or name is an alias itself)")
	errAlter        = command.Error("ALTER must be followed by SCHEMA")
	errAlterAction  = command.Error("Unknown action passed to ALTER SCHEMA")
	errNoField      = command.Error("No such field")
	errNoTag        = command.Error("Not a tag field")
	errSynAdd       = command.Error("No longer suppoted, use FT.SYNUPDATE")
)

// The errors of queries and their options.
const (
	errNoQuery      = command.Error("No query string provided")
	errOption       = "Unknown argument `%s` at position %d for <main>"
	errExplainScore = command.Error("EXPLAINSCORE must be accompanied with WITHSCORES")
	errLimit        = command.Error("LIMIT requires two arguments")
	errLimitNumbers = command.Error("LIMIT needs two numeric arguments")
	errLimitMost    = "LIMIT exceeds maximum of %d"
	errOffsetMost   = "OFFSET exceeds maximum of %d"
	errLimitOffset  = command.Error("The `offset` of the LIMIT must be 0 when `num` is 0")
	errNoTanhFactor = command.Error("Need an argument for BM25STD_TANH_FACTOR")
	errTanhFactor   = command.Error("BM25STD_TANH_FACTOR must be between 1 and 10000 inclusive")
	errSortBy       = command.Error("Bad SORTBY arguments")
	errSortTwice    = command.Error("Multiple SORTBY steps are not allowed")
	errSortMax      = command.Error("SORTBY MAX is not supported by FT.SEARCH")
	errNoTimeout    = command.Error("Need argument for TIMEOUT")
	errTimeout      = command.Error("TIMEOUT requires a non negative integer")
	errNoDialect    = command.Error("Need an argument for DIALECT")
	errDialect      = command.Error("DIALECT requires a non negative integer >=1 and <= 4")
	errParams       = command.Error("Parameters must be specified in PARAM VALUE pairs")
	errParamTwice   = "Duplicate parameter `%s`"
	errThree        = "%s requires %d arguments"
	errLower        = "Bad lower range: %s"
	errUpper        = "Bad upper range: %s"
	errUnit         = "Unknown distance unit %s"
	errNoLanguage   = command.Error("No such language")
	errScorer       = "No such scorer %s"
	errEmphasis     = "Bad arguments for %s"
	errNoPlaces     = command.Error("Cannot use highlight/summarize because NOOFSETS was specified at index level")
	errNotInSchema  = "Property `%s` is not in schema"
	errNoProperty   = "No such property `%s`"
	errReturnAs     = command.Error("RETURN path AS name - must be accompanied with NAME")
	errNotLoaded    = "Property `%s` not loaded nor in schema"

	errNoDistance = command.Error("DISTANCE arg is given but no DISTANCE comes after")
	errDistance   = command.Error("bad distance given, distance must be a natural number between 1 to 4")
	errNoTerms    = command.Error("TERM arg is given but no TERM params comes after")
	errTerms      = command.Error("bad format, exlude/include operation was not given")
	errDictionary = "Dict does not exist: %s"
	termExists    = command.Error("term exists in index")

	errProfile       = command.Error("No `SEARCH` or `AGGREGATE` provided")
	errProfileQuery  = command.Error("The QUERY keyword is expected")
	errProfileCursor = command.Error("FT.PROFILE does not support cursor")
	manyParts        = "The number of iterators in the union is %d"

	errNoParameter = command.Error("Invalid option")
	errFixed       = command.Error("Not modifiable at runtime")
	errMinStem     = command.Error("Minimum stem length cannot be lower than 2")
	errHighDialect = command.Error("Default dialect version cannot be higher than 4")
)

// The errors of FT.AGGREGATE and FT.CURSOR.
const (
	errNotAggregated  = "%s is not supported on FT.AGGREGATE"
	errSortSteps      = command.Error("Multiple SORTBY steps are not allowed. Sort multiple fields in a single step")
	errSortKeys       = "Cannot sort by more than %d fields"
	errSortWord       = "MISSING ASC or DESC after sort field (%s)"
	errNoFormat       = command.Error("Need an argument for FORMAT")
	errFormat         = "FORMAT %s is not supported"
	errExpandProtocol = command.Error("EXPAND format is only supported with RESP3")
	errExpandDialect  = command.Error("EXPAND format requires dialect 3 or greater")
	errExpandHash     = command.Error("EXPAND format is only supported with JSON")
	errGroupBy        = "Bad arguments for GROUPBY: Unknown property `%s`. Did you mean `@%s`?"
	errApplyAs        = command.Error("AS needs argument")

	errCursorID         = command.Error("Bad cursor ID")
	errCursorCount      = command.Error("Bad value for COUNT")
	errCursorWord       = command.Error("Unknown subcommand")
	errNoCursor         = command.Error("Cursor not found")
	errNoCursorToDelete = command.Error("Cursor does not exist")
	errIndexGone        = command.Error("The index was dropped while the cursor was idle")
)

// The errors of what Redis does not have.
const (
	errPartial    = command.Error("ERR the index has not read all keys, because of SKIPINITIALSCAN")
	errNotVectors = command.Error("ERR the index has no VECTOR field of that name")
	errDiffers    = "ERR the index differs from a fresh one: %v"
)

// The errors of FT.HYBRID.
const (
	errSubqueries    = command.Error("Invalid subqueries count: expected 2")
	errNoSearch      = command.Error("SEARCH argument is required")
	errNoSearchText  = command.Error("No query string provided for SEARCH")
	errUnknownIn     = "Unknown argument `%s` in %s"
	errNoVectors     = command.Error("VSIM argument is required")
	errNoVectorField = command.Error("Missing vector field name")
	errNoVector      = command.Error("Missing vector parameter: expected $name")
	errNoValue       = "Missing argument value for %s"
	errBadValue      = "Invalid %s value"
	errPairs         = command.Error("Invalid argument count: expected an unsigned integer")
	errFewPairs      = "Expected arguments %d, but %d were provided"
	errNoRadius      = command.Error("Missing required argument RADIUS")
	errNoCount       = "Missing %s argument count"
	errCount         = "Invalid %s argument count, error: %s"
	errFewWords      = "Not enough arguments in %s, specified %d but provided only %d"
	errCombine       = "Unknown argument `%s` in COMBINE"
	errNoFactor      = "Missing value for %s"
	errVectorField   = "Unknown vector field `%s`"
	errHybridDialect = command.Error("DIALECT is not supported in FT.HYBRID or any of its subqueries. Please check " +
		"the documentation on search-default-dialect configuration.")
)
