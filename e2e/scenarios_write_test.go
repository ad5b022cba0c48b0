package e2e

// writeScenarios are those for writes: W03 to W05, W07, W08.
var writeScenarios = []scenario{}
