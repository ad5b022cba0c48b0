package e2e

// arrayScenarios are those for arrays and sizes of documents: W01, S01 to S03, I04.
var arrayScenarios = []scenario{}
