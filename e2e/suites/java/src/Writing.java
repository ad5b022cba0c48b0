import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.inc;
import static com.mongodb.client.model.Updates.set;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoWriteException;
import com.mongodb.WriteConcern;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.DeleteManyModel;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.InsertManyOptions;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.bson.Document;
import org.bson.types.Binary;
import org.bson.types.Decimal128;

/** Inserts, updates, deletes, bulk writes. */
final class Writing {
    static List<Document> rows(int n) {
        return IntStream.range(0, n).mapToObj(i -> new Document("_id", i).append("n", i)).toList();
    }

    static byte[] noise(int length) {
        byte[] b = new byte[length];
        new Random(1).nextBytes(b); // the same bytes in every run
        return b;
    }

    static void add(Suite t) {
        t.add("insert, update, delete", s -> {
            s.coll.insertMany(rows(5), new InsertManyOptions().comment("five"));
            Suite.equal(s.coll.updateMany(eq("n", 1), inc("n", 10)).getModifiedCount(), 1L);
            Suite.equal(s.coll.replaceOne(eq("_id", 2), new Document("r", true)).getMatchedCount(), 1L);
            Suite.equal(s.coll.updateOne(eq("_id", 9), set("u", 1), new UpdateOptions().upsert(true)).getUpsertedId().asInt32().getValue(), 9);
            Suite.equal(s.coll.deleteMany(eq("n", 3)).getDeletedCount(), 1L);
            Suite.equal(s.coll.find(eq("_id", 2)).first(), new Document("_id", 2).append("r", true));
            Suite.equal(s.commands, List.of("insert", "update", "update", "update", "delete", "find"));
        });
        t.add("findOneAndUpdate", s -> {
            s.coll.insertMany(rows(2));
            var after = new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER);
            Suite.equal(s.coll.findOneAndUpdate(eq("_id", 1), inc("n", 5), after).getInteger("n"), 6);
            Suite.equal(s.coll.findOneAndDelete(eq("_id", 7)), null);
        });
        t.add("duplicate key", s -> {
            s.coll.createIndex(new Document("n", 1), new IndexOptions().unique(true));
            s.coll.insertMany(rows(2));
            var e = Suite.thrown(MongoWriteException.class, () -> s.coll.insertOne(new Document("n", 1)));
            Suite.equal(e.getError().getCode(), 11000);
        });
        for (boolean ordered : new boolean[] {true, false}) {
            t.add("bulk with an error, ordered " + ordered, s -> {
                var e = Suite.thrown(MongoBulkWriteException.class, () -> s.coll.bulkWrite(List.of(
                        new InsertOneModel<>(new Document("_id", 1)),
                        new InsertOneModel<>(new Document("_id", 1)),
                        new InsertOneModel<>(new Document("_id", 2)),
                        new UpdateOneModel<>(eq("_id", 1), set("a", 1)),
                        new ReplaceOneModel<>(eq("_id", 2), new Document("b", 1)),
                        new DeleteManyModel<>(eq("_id", 2))), new BulkWriteOptions().ordered(ordered)));
                Suite.equal(e.getWriteErrors().stream().map(x -> List.of(x.getIndex(), x.getCode())).toList(), List.of(List.of(1, 11000)));
                Suite.equal(e.getWriteResult().getInsertedCount(), ordered ? 1 : 2);
                Suite.equal(s.coll.countDocuments(), 1L);
            });
        }
        t.add("a document of 8 MB comes back", s -> {
            byte[] blob = noise(8 << 20);
            s.coll.insertOne(new Document("_id", 1).append("blob", new Binary(blob)));
            Suite.equal(Arrays.equals(s.coll.find().first().get("blob", Binary.class).getData(), blob), true);
        });
        t.addLong("40 MB in one bulk", s -> {
            List<Document> docs = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                docs.add(new Document("_id", i).append("blob", new Binary(noise(1 << 20))));
            }
            Suite.equal(s.coll.insertMany(docs).getInsertedIds().size(), 40);
            Suite.equal(s.commands, List.of("insert", "insert", "insert")); // the driver cuts at 16 MiB
            Suite.equal(s.coll.countDocuments(), 40L);
        });
        t.add("12,000 documents", s -> {
            s.coll.insertMany(rows(12_000));
            Suite.equal(s.commands, List.of("insert"));
            Suite.equal(s.coll.aggregate(List.of(new Document("$group", new Document("_id", null).append("n", new Document("$sum", "$n"))))).first().getInteger("n"), 71_994_000);
        });
        t.add("unacknowledged", s -> {
            var quiet = s.coll.withWriteConcern(WriteConcern.UNACKNOWLEDGED);
            Suite.equal(quiet.insertOne(new Document("_id", 1)).wasAcknowledged(), false);
            for (int i = 0; i < 600 && s.coll.countDocuments() == 0; i++) {
                Thread.sleep(50);
            }
            Suite.equal(s.coll.countDocuments(), 1L);
        });
        t.add("decimal, long", s -> {
            s.coll.insertOne(new Document("_id", 1).append("d", Decimal128.parse("0.1")).append("l", Long.MAX_VALUE - 1));
            s.coll.updateOne(eq("_id", 1), new Document("$inc", new Document("d", Decimal128.parse("0.2")).append("l", 1L)));
            Suite.equal(s.coll.find().first(), new Document("_id", 1).append("d", Decimal128.parse("0.3")).append("l", Long.MAX_VALUE));
        });
        t.add("an unknown command", s -> {
            var e = Suite.thrown(MongoCommandException.class, () -> s.db.runCommand(new Document("noSuchCommand", 1)));
            Suite.equal(List.of(e.getErrorCode(), e.getErrorCodeName()), List.of(59, "CommandNotFound"));
        });
    }
}
