import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** The list of tests, and the lines that the suite prints. */
final class Suite {
    interface Test {
        void run(Server s) throws Exception;
    }

    static final class Skip extends RuntimeException {
        private static final long serialVersionUID = 1;

        Skip(String why) {
            super(why);
        }
    }

    private record Named(String id, Test test, boolean isLong) {}

    private final List<Named> tests = new ArrayList<>();

    void add(String id, Test test) {
        tests.add(new Named(id, test, false));
    }

    /** Adds a test that the short subset leaves out. */
    void addLong(String id, Test test) {
        tests.add(new Named(id, test, true));
    }

    void run() {
        String only = System.getenv().getOrDefault("SUITE_ONLY", "");
        Set<String> wanted = only.isEmpty() ? null : new HashSet<>(List.of(only.split("\n")));
        boolean isShort = "1".equals(System.getenv("SUITE_SHORT"));
        for (Named t : tests) {
            if (wanted != null ? wanted.contains(t.id) : !(isShort && t.isLong)) {
                System.out.println(outcome(t) + "\t" + t.id);
            }
        }
    }

    private static String outcome(Named t) {
        try (Server s = new Server()) {
            t.test.run(s);
            return "pass";
        } catch (Skip e) {
            return "skip";
        } catch (Throwable e) {
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            System.err.println("--- fail " + t.id + ": " + trace);
            return "fail";
        }
    }

    static void equal(Object got, Object want) {
        if (!Objects.equals(got, want)) {
            throw new AssertionError("got " + got + ", want " + want);
        }
    }

    interface Action {
        void run() throws Exception;
    }

    /** The error of this class that the action ends with. */
    static <E extends Exception> E thrown(Class<E> kind, Action a) {
        try {
            a.run();
        } catch (Exception e) {
            if (kind.isInstance(e)) {
                return kind.cast(e);
            }
            throw new AssertionError("wrong error", e);
        }
        throw new AssertionError("no error");
    }
}
