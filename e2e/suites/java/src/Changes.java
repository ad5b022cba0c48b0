import static com.mongodb.client.model.Filters.eq;

import com.mongodb.MongoCommandException;
import com.mongodb.client.model.changestream.FullDocument;
import com.mongodb.client.model.Updates;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.Document;

/** Change streams. */
final class Changes {
    static void add(Suite t) {
        t.add("change stream", s -> {
            s.needsSet();
            s.db.createCollection("things");
            try (var stream = s.coll.watch().fullDocument(FullDocument.UPDATE_LOOKUP).maxAwaitTime(200, TimeUnit.MILLISECONDS).cursor()) {
                Suite.equal(stream.tryNext(), null);
                s.coll.insertMany(Writing.rows(2));
                s.coll.updateOne(eq("_id", 1), Updates.set("x", 1));
                s.coll.deleteOne(eq("_id", 1));
                Suite.equal(List.of(
                        stream.next().getOperationTypeString(), stream.next().getFullDocument(),
                        stream.next().getUpdateDescription().getUpdatedFields().toJson(), stream.next().getOperationTypeString()),
                        List.of("insert", new Document("_id", 1).append("n", 1), "{\"x\": 1}", "delete"));
            }
        });
        for (Document fault : List.of(new Document("closeConnection", true), new Document("errorCode", 43))) {
            t.add("change stream resumes after " + fault.keySet().iterator().next(), s -> {
                s.needsSet();
                s.db.createCollection("things");
                try (var stream = s.db.watch().maxAwaitTime(200, TimeUnit.MILLISECONDS).cursor()) {
                    Suite.equal(stream.tryNext(), null);
                    s.failOnce("getMore", new Document(fault));
                    s.coll.insertOne(new Document("_id", 7));
                    Suite.equal(stream.next().getDocumentKey().getInt32("_id").getValue(), 7);
                    Suite.equal(s.commands.contains("aggregate"), true);
                }
            });
        }
        t.add("a standalone server refuses change streams", s -> {
            if (s.inSet()) {
                throw new Suite.Skip("is in a set");
            }
            Suite.equal(Suite.thrown(MongoCommandException.class, () -> s.coll.watch().cursor()).getErrorCode(), 40573);
        });
    }
}
