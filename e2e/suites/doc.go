// Command suites does the same work directly and through the proxy, and compares
// test by test: a driver that cannot tell that the proxy is there gives the same
// outcome for each of its tests.
//
//	go run ./e2e/suites [-short] [-out e2e/suites/results] [-cell topology=standalone,tls=ended] [suite[@version]...]
//	go run ./e2e/suites -table        # write docs/compatibility.md from the committed results
//
// It starts real servers, builds the proxy from this tree, and for each cell
// (driver, version, topology, TLS, compression, login) runs the suite twice, each
// time on a server with empty data. Tests with different outcomes run again, up to
// three times each way, before a difference is believed: some tests of drivers are
// unsteady by themselves. The exit code is 1 when something still differs, a
// suite did not get through, or the rules did not see every operation.
//
// # What a suite is
//
// A folder below e2e/suites with three files:
//
//	suite.json  what it is and which cells it takes, see type suite
//	setup       installs what it needs into $SUITE_CACHE; may run again at any time
//	run         does the work, in the suite's folder
//
// Both are executables. setup gets SUITE_CACHE, a folder of its own for each
// version, and SUITE_VERSION, one of the versions in suite.json. run gets these and
//
//	MONGODB_URI  complete: replicaSet or directConnection, tls, compressors, user
//	SUITE_CA     file with the certificate of the authority, when the cell has TLS
//	SUITE_SHORT  1: only what takes some seconds
//	SUITE_ONLY   ids of tests, one a line: these are run again, others need not be
//
// It may run twice at the same time, so what it writes belongs into folders that it
// makes (mktemp -d), not into SUITE_CACHE.
//
// It prints one line per test on standard output, "pass", "fail" or "skip", a tab
// and the test's id, which is unique and the same in every run. Everything else
// belongs on standard error. Exit code 0 says that it got through, whatever the outcomes.
package main
