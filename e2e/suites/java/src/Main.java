final class Main {
    public static void main(String[] args) {
        Suite suite = new Suite();
        Writing.add(suite);
        Reading.add(suite);
        Transactions.add(suite);
        Changes.add(suite);
        Files.add(suite);
        Faults.add(suite);
        Deployment.add(suite);
        suite.run();
    }
}
