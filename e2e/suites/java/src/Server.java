import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import java.util.Collections;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;

/** The deployment behind the URI, with an empty database for one test. */
final class Server implements AutoCloseable {
    static final String URI = System.getenv("MONGODB_URI");

    /** Names of the commands sent so far. */
    final List<String> commands = Collections.synchronizedList(new ArrayList<>());
    final MongoClient client = MongoClients.create(settings().build());
    final MongoDatabase db = client.getDatabase("java_suite");
    final MongoCollection<Document> coll = db.getCollection("things");

    Server() {
        db.drop();
        commands.clear();
    }

    MongoClientSettings.Builder settings() {
        return MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(URI))
                .addCommandListener(new CommandListener() {
                    @Override
                    public void commandStarted(CommandStartedEvent e) {
                        commands.add(e.getCommandName());
                    }
                });
    }

    Document hello() {
        return client.getDatabase("admin").runCommand(new Document("hello", 1));
    }

    boolean inSet() {
        return hello().containsKey("setName");
    }

    void needsSet() {
        if (!inSet()) {
            throw new Suite.Skip("needs a replica set");
        }
    }

    /** failCommand, once. */
    void failOnce(String command, Document fault) {
        fault.append("failCommands", List.of(command));
        client.getDatabase("admin").runCommand(new Document("configureFailPoint", "failCommand")
                .append("mode", new Document("times", 1)).append("data", fault));
        commands.clear();
    }

    @Override
    public void close() {
        client.getDatabase("admin").runCommand(new Document("configureFailPoint", "failCommand").append("mode", "off"));
        db.drop();
        client.close();
    }
}
