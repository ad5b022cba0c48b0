import com.mongodb.MongoSecurityException;
import com.mongodb.MongoCredential;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClients;
import com.mongodb.connection.ClusterType;
import com.mongodb.connection.ServerType;
import java.util.List;
import org.bson.Document;

/** What the driver thinks it is connected to, where it reads, and as whom. */
final class Deployment {
    static void add(Suite t) {
        t.add("cluster and servers", s -> {
            boolean direct = Server.URI.contains("directConnection=true");
            boolean set = s.inSet();
            int hosts = set && !direct ? s.hello().getList("hosts", String.class).size() : 1;
            for (int i = 0; i < 600 && s.client.getClusterDescription().getServerDescriptions().stream().filter(d -> d.isOk()).count() < hosts; i++) {
                Thread.sleep(50);
            }
            var cluster = s.client.getClusterDescription();
            Suite.equal(cluster.getType(), set ? ClusterType.REPLICA_SET : ClusterType.STANDALONE);
            Suite.equal(cluster.getServerDescriptions().size(), hosts);
            var types = cluster.getServerDescriptions().stream().map(d -> d.getType()).toList();
            Suite.equal(types.stream().filter(x -> x == (set ? ServerType.REPLICA_SET_PRIMARY : ServerType.STANDALONE)).count(), 1L);
            Suite.equal(types.stream().filter(x -> x == ServerType.REPLICA_SET_SECONDARY).count(), hosts - 1L);
        });
        t.add("reads from a secondary", s -> {
            s.needsSet();
            int hosts = s.hello().getList("hosts", String.class).size();
            if (hosts == 1) {
                throw new Suite.Skip("one member only");
            }
            s.coll.withWriteConcern(new WriteConcern(hosts)).insertOne(new Document("_id", 1));
            Suite.equal(s.coll.withReadPreference(ReadPreference.secondary()).countDocuments(), 1L);
            Suite.equal(s.db.runCommand(new Document("hello", 1), ReadPreference.secondary()).getBoolean("secondary"), true);
        });
        t.add("who we are", s -> {
            Document info = s.db.runCommand(new Document("connectionStatus", 1)).get("authInfo", Document.class);
            Suite.equal(info.getList("authenticatedUsers", Document.class).size(), Server.URI.contains("@") ? 1 : 0);
        });
        t.add("a wrong password", s -> {
            if (!Server.URI.contains("@")) {
                throw new Suite.Skip("no user in the URI");
            }
            var wrong = MongoCredential.createCredential("suite", "admin", "wrong".toCharArray());
            try (var client = MongoClients.create(s.settings().credential(wrong).build())) {
                var e = Suite.thrown(MongoSecurityException.class, () -> client.getDatabase("admin").runCommand(new Document("ping", 1)));
                Suite.equal(((com.mongodb.MongoCommandException) e.getCause()).getErrorCode(), 18);
            }
        });
        t.add("compressors", s -> {
            var asked = new com.mongodb.ConnectionString(Server.URI).getCompressorList().size();
            Document status = s.client.getDatabase("admin").runCommand(new Document("serverStatus", 1));
            Document compression = status.get("network", Document.class).get("compression", Document.class);
            Suite.equal(compression.keySet().containsAll(List.of("snappy", "zstd", "zlib")), true);
            Suite.equal(asked == (Server.URI.contains("compressors=") ? 1 : 0), true);
        });
    }
}
