import java.util.List;
import java.util.Properties;
import java.util.SplittableRandom;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** Orders as csv, so many a second, into a topic that is made if it is not there: java -cp JARS Producer.java BROKER TOPIC PARTITIONS RATE SECONDS SPEED SEED. */
public final class Producer {
    private static final long DAY = 1_718_668_800_000L; // 2024-06-18
    private static final int AT_ONCE = 1_000_000;

    public static void main(String[] given) throws Exception {
        String topic = given[1];
        int partitions = Integer.parseInt(given[2]);
        long rate = Long.parseLong(given[3]);
        long seconds = Long.parseLong(given[4]);
        double speed = Double.parseDouble(given[5]);
        SplittableRandom chance = new SplittableRandom(Long.parseLong(given[6]));
        Properties settings = new Properties();
        settings.put("bootstrap.servers", given[0]);
        settings.put("linger.ms", "5");
        settings.put("batch.size", "262144");
        settings.put("delivery.timeout.ms", "600000");
        try (var admin = Admin.create(settings)) {
            if (!admin.listTopics().names().get().contains(topic)) {
                admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
            }
        }
        long began = System.nanoTime();
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            long all = rate * seconds;
            for (long sent = 0; sent < all; ) {
                double passed = (System.nanoTime() - began) / 1e9;
                long due = rate >= AT_ONCE ? all : Math.min(all, (long) (passed * rate));
                for (; sent < due; sent++) {
                    long at = DAY + (long) (sent * 1000.0 / rate * speed);
                    int item = (int) Math.pow(1000, chance.nextDouble());
                    String value = item + "," + chance.nextInt(1_000_000) + "," + chance.nextInt(1, 10_000) / 100.0
                        + "," + new java.sql.Timestamp(at).toInstant().toString().replace('T', ' ').replace("Z", "");
                    producer.send(new ProducerRecord<>(topic, (int) (sent % partitions), null, null, value));
                }
                Thread.sleep(2);
            }
        }
    }
}
