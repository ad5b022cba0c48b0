package e2e

// schemaScenarios are those for the schema: S04, S06, S08, S09, O06.
var schemaScenarios = []scenario{}
