package analyzers_test

// operationFixes are the fixes for cursors, connections and errors: Q09, Q10, O01 to O04, I05.
var operationFixes = []fixCase{}
