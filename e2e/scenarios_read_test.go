package e2e

// readScenarios are those for reads that belong together: Q11, S05, S07.
var readScenarios = []scenario{}
