import com.mongodb.MongoGridFSException;
import com.mongodb.client.gridfs.GridFSBuckets;
import com.mongodb.client.gridfs.model.GridFSUploadOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.bson.Document;

/** GridFS. */
final class Files {
    static void add(Suite t) {
        for (int size : new int[] {0, 255 * 1024, (5 << 20) + 1}) {
            t.add("a file of " + size + " bytes", s -> {
                byte[] bytes = Writing.noise(size);
                var bucket = GridFSBuckets.create(s.db);
                var id = bucket.uploadFromStream("f", new ByteArrayInputStream(bytes), new GridFSUploadOptions().metadata(new Document("m", 1)));
                var out = new ByteArrayOutputStream();
                bucket.downloadToStream(id, out);
                Suite.equal(Arrays.equals(out.toByteArray(), bytes), true);
                Suite.equal(bucket.find().first().getLength(), (long) size);
                bucket.delete(id);
                Suite.equal(s.db.getCollection("fs.chunks").countDocuments(), 0L);
                Suite.thrown(MongoGridFSException.class, () -> bucket.delete(id));
            });
        }
    }
}
