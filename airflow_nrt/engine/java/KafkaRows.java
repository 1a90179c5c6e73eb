package airflow_nrt;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.kafka010.KafkaOffsetRange;
import org.apache.spark.sql.kafka010.KafkaOffsetRangeCalculator;
import org.apache.spark.sql.kafka010.KafkaRecordToRowConverter;
import org.apache.spark.sql.kafka010.KafkaSourceProvider;
import org.apache.spark.sql.kafka010.KafkaSourceRDD;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Function1;
import scala.Option;
import scala.collection.immutable.HashMap;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction1;

/** The records of ranges of topics as rows that share the records' memory (see sources/kafka/rows.py). */
public final class KafkaRows extends AbstractFunction1 implements Serializable {

    private final boolean withHeaders;
    private transient Function1 headed;
    private transient String topic;
    private transient Object[] values;
    private transient InternalRow row;

    public KafkaRows(boolean withHeaders) {
        this.withHeaders = withHeaders;
    }

    /** The rows of these ranges, each written as `topic partition start end`. A missing record is an error. */
    public static RDD read(
            SparkContext context, Map properties, String group, List ranges, long patience, boolean withHeaders) {
        scala.collection.immutable.Map given = new HashMap();
        for (Object name : properties.keySet()) {
            given = (scala.collection.immutable.Map) given.updated(name, properties.get(name));
        }
        List found = new ArrayList();
        for (Object range : ranges) {
            String[] words = ((String) range).split(" ");
            TopicPartition partition = new TopicPartition(words[0], Integer.parseInt(words[1]));
            long start = Long.parseLong(words[2]);
            found.add(new KafkaOffsetRange(partition, start, Long.parseLong(words[3]), Option.empty()));
        }
        Seq placed = new KafkaOffsetRangeCalculator(Option.empty(), Option.empty()).getRanges(seq(found), executors());
        Map all = KafkaSourceProvider.kafkaParamsForExecutors(given, group);
        RDD records = new KafkaSourceRDD(context, all, placed, patience, true);
        return records.map(new KafkaRows(withHeaders), ClassTag$.MODULE$.apply(InternalRow.class));
    }

    /** The executors, in one order: a partition is read where its consumer is. */
    private static Seq executors() {
        BlockManager here = SparkEnv.get().blockManager();
        List found = new ArrayList();
        Iterable peers = CollectionConverters.asJava(here.master().getPeers(here.blockManagerId()));
        for (Object peer : peers) {
            BlockManagerId executor = (BlockManagerId) peer;
            found.add("executor_" + executor.host() + "_" + executor.executorId());
        }
        found.sort(null);
        return seq(found);
    }

    private static Seq seq(List items) {
        return CollectionConverters.asScala(items).toList();
    }

    /** The row of a record. It is the same object for all of them. */
    public Object apply(Object given) {
        ConsumerRecord record = (ConsumerRecord) given;
        if (withHeaders) {
            if (headed == null) {
                headed = new KafkaRecordToRowConverter().toInternalRowWithHeaders();
            }
            return headed.apply(record);
        }
        if (row == null) {
            values = new Object[7];
            row = new GenericInternalRow(values);
        }
        if (!record.topic().equals(topic)) {
            topic = record.topic();
            values[2] = UTF8String.fromString(topic);
        }
        values[0] = record.key();
        values[1] = record.value();
        values[3] = Integer.valueOf(record.partition());
        values[4] = Long.valueOf(record.offset());
        values[5] = Long.valueOf(Math.multiplyExact(record.timestamp(), 1000L));
        values[6] = Integer.valueOf(record.timestampType().id);
        return row;
    }
}
