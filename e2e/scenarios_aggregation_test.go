package e2e

// aggregationScenarios are those for aggregations: the group A.
var aggregationScenarios = []scenario{}
