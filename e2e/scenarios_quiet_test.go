package e2e

// quietScenarios are what an advisor must not report.
var quietScenarios = []scenario{}

// queryScenarios are those for the group Q as far as one request shows it.
var queryScenarios = []scenario{}
