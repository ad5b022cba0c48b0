package analyzers_test

// schemaFixes are the fixes for the schema: S04, S06, S08, S09, O06.
var schemaFixes = []fixCase{}
