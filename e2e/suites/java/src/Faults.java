import static com.mongodb.client.model.Filters.eq;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoSocketReadTimeoutException;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Updates;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.Document;

/** Lost connections, errors with labels, limits of time. */
final class Faults {
    static void add(Suite t) {
        t.add("a read is sent again", s -> {
            s.coll.insertMany(Writing.rows(1));
            s.failOnce("find", new Document("closeConnection", true));
            Suite.equal(s.coll.find().first().getInteger("n"), 0);
            Suite.equal(s.commands, List.of("find", "find"));
        });
        t.add("a write is sent again, and happens once", s -> {
            s.needsSet();
            s.coll.insertMany(Writing.rows(1));
            s.failOnce("update", new Document("closeConnection", true));
            s.coll.updateOne(eq("_id", 0), Updates.inc("n", 1));
            Suite.equal(s.commands, List.of("update", "update"));
            Suite.equal(s.coll.find().first().getInteger("n"), 1);
        });
        t.add("a command is not sent again", s -> {
            s.failOnce("ping", new Document("closeConnection", true));
            Suite.thrown(MongoSocketException.class, () -> s.db.runCommand(new Document("ping", 1)));
            Suite.equal(s.db.runCommand(new Document("ping", 1)).getDouble("ok"), 1.0);
        });
        t.add("labels of an error", s -> {
            s.failOnce("ping", new Document("errorCode", 91).append("errorLabels", List.of("Mine")));
            var e = Suite.thrown(com.mongodb.MongoException.class, () -> s.db.runCommand(new Document("ping", 1)));
            Suite.equal(List.of(e.getCode(), e.hasErrorLabel("Mine")), List.of(91, true));
        });
        t.add("maxTime", s -> {
            s.coll.insertMany(Writing.rows(50));
            Suite.thrown(MongoExecutionTimeoutException.class, () -> s.coll.find(Document.parse("{$where: 'sleep(100) || true'}")).maxTime(50, TimeUnit.MILLISECONDS).first());
        });
        t.addLong("a socket's timeout", s -> {
            s.failOnce("ping", new Document("blockConnection", true).append("blockTimeMS", 3000));
            try (var client = MongoClients.create(s.settings().applyToSocketSettings(b -> b.readTimeout(500, TimeUnit.MILLISECONDS)).build())) {
                Suite.thrown(MongoSocketReadTimeoutException.class, () -> client.getDatabase("admin").runCommand(new Document("ping", 1)));
            }
        });
    }
}
