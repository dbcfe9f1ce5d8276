package config

// What tests see of the names that are no parameters.
var Unsupported, Elsewhere = unsupported, elsewhere
