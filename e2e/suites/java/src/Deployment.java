import com.mongodb.ConnectionString;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoCredential;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClients;
import com.mongodb.connection.ClusterType;
import com.mongodb.connection.ServerType;
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
        t.add("the compressor asked for is used, both ways", s -> {
            var asked = new ConnectionString(Server.URI).getCompressorList();
            if (asked.isEmpty()) {
                throw new Suite.Skip("no compressor in the URI");
            }
            String name = asked.get(0).getName();
            long[] before = compressed(s, name);
            s.coll.insertOne(new Document("_id", 1).append("text", "x".repeat(1 << 20)));
            Suite.equal(s.coll.find().first().getString("text").length(), 1 << 20);
            long[] after = compressed(s, name);
            Suite.equal(after[0] - before[0] >= 1 << 20, true);
            Suite.equal(after[1] - before[1] >= 1 << 20, true);
        });
    }

    /** Bytes of requests that the server has unpacked, and of replies that it has packed. */
    private static long[] compressed(Server s, String name) {
        Document status = s.client.getDatabase("admin").runCommand(new Document("serverStatus", 1));
        Document of = status.get("network", Document.class).get("compression", Document.class).get(name, Document.class);
        return new long[] {
            ((Number) of.get("decompressor", Document.class).get("bytesOut")).longValue(),
            ((Number) of.get("compressor", Document.class).get("bytesIn")).longValue()
        };
    }
}
