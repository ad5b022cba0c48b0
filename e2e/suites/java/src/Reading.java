import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gte;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Sorts.descending;

import com.mongodb.CursorType;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.model.Collation;
import com.mongodb.client.model.CreateCollectionOptions;
import com.mongodb.client.model.CollationStrength;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.bson.Document;

/** Queries, cursors, aggregations. */
final class Reading {
    static void add(Suite t) {
        t.add("find in batches", s -> {
            s.coll.insertMany(Writing.rows(95));
            s.commands.clear();
            var got = s.coll.find(gte("n", 0)).sort(descending("n")).batchSize(10).into(new ArrayList<>());
            var want = new ArrayList<>(Writing.rows(95));
            Collections.reverse(want);
            Suite.equal(got, want);
            var commands = new ArrayList<>(List.of("find"));
            commands.addAll(Collections.nCopies(9, "getMore"));
            Suite.equal(s.commands, commands);
        });
        t.add("early close kills the cursor", s -> {
            s.coll.insertMany(Writing.rows(20));
            s.commands.clear();
            try (MongoCursor<Document> cursor = s.coll.find().batchSize(2).cursor()) {
                cursor.next();
            }
            Suite.equal(s.commands, List.of("find", "killCursors"));
        });
        t.add("tailable and awaiting", s -> {
            s.db.createCollection("capped", new CreateCollectionOptions().capped(true).sizeInBytes(65_536));
            var capped = s.db.getCollection("capped");
            capped.insertMany(Writing.rows(2));
            try (MongoCursor<Document> cursor = capped.find().cursorType(CursorType.TailableAwait).cursor()) {
                Suite.equal(List.of(cursor.next().get("n"), cursor.next().get("n")), List.of(0, 1));
                Suite.equal(cursor.tryNext(), null);
                capped.insertOne(new Document("n", 2));
                Suite.equal(cursor.next().get("n"), 2);
            }
        });
        t.add("collation, projection, skip, limit, distinct", s -> {
            s.coll.insertMany(List.of(new Document("_id", 1).append("w", "Ä"), new Document("_id", 2).append("w", "ä"), new Document("_id", 3).append("w", "b")));
            var german = Collation.builder().locale("de").collationStrength(CollationStrength.SECONDARY).build();
            Suite.equal(s.coll.countDocuments(eq("w", "ä")), 1L);
            Suite.equal(s.coll.find(eq("w", "ä")).collation(german).sort(ascending("_id")).skip(1).limit(3).projection(new Document("w", 0)).into(new ArrayList<>()), List.of(new Document("_id", 2)));
            Suite.equal(s.coll.distinct("w", String.class).collation(german).into(new ArrayList<>()).size(), 2);
        });
        t.add("aggregate, $lookup and $out", s -> {
            s.coll.insertMany(Writing.rows(10));
            s.coll.aggregate(List.of(
                    Document.parse("{$lookup: {from: 'things', localField: 'n', foreignField: '_id', as: 'same'}}"),
                    Document.parse("{$project: {k: {$size: '$same'}}}"),
                    Document.parse("{$out: 'joined'}"))).toCollection();
            Suite.equal(s.db.getCollection("joined").countDocuments(eq("k", 1)), 10L);
        });
        t.add("explain", s -> {
            s.coll.insertMany(Writing.rows(10));
            Document stats = s.coll.find(eq("_id", 3)).explain().get("executionStats", Document.class);
            Suite.equal(List.of(stats.get("nReturned"), stats.get("totalDocsExamined")), List.of(1, 1));
        });
    }
}
