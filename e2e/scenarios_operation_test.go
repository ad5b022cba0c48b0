package e2e

// operationScenarios are those for cursors, connections and errors: Q09, Q10, O01 to O04, I05.
var operationScenarios = []scenario{}
