import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.inc;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import org.bson.Document;

/** Transactions: what becomes visible when, conflicts, a commit that is sent again. */
final class Transactions {
    private static ClientSession begun(Server s) {
        s.needsSet();
        s.coll.insertMany(Writing.rows(2));
        ClientSession session = s.client.startSession();
        session.startTransaction();
        s.coll.updateOne(session, eq("_id", 1), inc("n", 10));
        return session;
    }

    private static int n(Server s) {
        return s.coll.find(eq("_id", 1)).first().getInteger("n");
    }

    static void add(Suite t) {
        t.add("commit", s -> {
            try (ClientSession session = begun(s)) {
                Suite.equal(n(s), 1);
                session.commitTransaction();
                Suite.equal(n(s), 11);
            }
        });
        t.add("abort", s -> {
            try (ClientSession session = begun(s)) {
                session.abortTransaction();
                Suite.equal(n(s), 1);
            }
        });
        t.add("the loser of a conflict", s -> {
            try (ClientSession first = begun(s); ClientSession other = s.client.startSession()) {
                other.startTransaction();
                var e = Suite.thrown(MongoCommandException.class, () -> s.coll.updateOne(other, eq("_id", 1), inc("n", 1)));
                Suite.equal(e.getErrorCode(), 112);
                Suite.equal(e.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL), true);
                other.abortTransaction();
                first.commitTransaction();
                Suite.equal(n(s), 11);
            }
        });
        t.add("withTransaction tries again", s -> {
            try (ClientSession first = begun(s); ClientSession other = s.client.startSession()) {
                int[] tries = {0};
                other.withTransaction(() -> {
                    if (++tries[0] == 2) {
                        first.commitTransaction();
                    }
                    return s.coll.updateOne(other, eq("_id", 1), inc("n", 100));
                });
                Suite.equal(tries[0], 2);
                Suite.equal(n(s), 111);
            }
        });
        t.add("commit after a lost connection", s -> {
            try (ClientSession session = begun(s)) {
                s.failOnce("commitTransaction", new Document("closeConnection", true));
                session.commitTransaction();
                Suite.equal(s.commands, java.util.List.of("commitTransaction", "commitTransaction"));
                Suite.equal(n(s), 11);
            }
        });
        t.add("causal consistency", s -> {
            s.needsSet();
            try (ClientSession session = s.client.startSession()) {
                s.coll.insertOne(session, new Document("_id", 1));
                Suite.equal(session.getOperationTime() != null, true);
                Suite.equal(s.coll.countDocuments(session), 1L);
            }
        });
    }
}
