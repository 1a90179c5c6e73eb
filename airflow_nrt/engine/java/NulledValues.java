package airflow_nrt;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.util.AccumulatorV2;

/** Counts values that are NULL because they could not be computed (see functions/nulled_values.py). Janino compiles this. */
public class NulledValues implements UDF2 {

    private static final long serialVersionUID = 1L;
    private final Counts counts = new Counts();

    public NulledValues(SparkContext context) {
        context.register(counts);
    }

    /** NULL. It is counted for an expression unless an operand is NULL, so that the computation has no text. */
    public Object call(Object expression, Object computation) {
        if (computation != null) {
            counts.add(new String[] {String.valueOf(expression), String.valueOf(computation)});
        }
        return null;
    }

    /** For each expression its text, how many values were NULL since the last call, and one of the computations. */
    public List taken() {
        return counts.taken();
    }

    /** The counts of a task, and those of all tasks that succeeded. */
    public static class Counts extends AccumulatorV2 {
        private static final long serialVersionUID = 1L;
        private static final int LONGEST = 500;
        private final HashMap found = new HashMap();

        public synchronized boolean isZero() {
            return found.isEmpty();
        }

        public synchronized AccumulatorV2 copy() {
            Counts other = new Counts();
            other.found.putAll(found);
            return other;
        }

        public synchronized void reset() {
            found.clear();
        }

        public void add(Object value) {
            String[] texts = (String[]) value;
            String shown = texts[1].length() > LONGEST ? texts[1].substring(0, LONGEST) : texts[1];
            note(texts[0], 1L, shown);
        }

        public void merge(AccumulatorV2 other) {
            for (Object one : ((Counts) other).listed()) {
                String[] texts = (String[]) one;
                note(texts[0], Long.parseLong(texts[1]), texts[2]);
            }
        }

        public Object value() {
            return listed();
        }

        private synchronized void note(String expression, long more, String shown) {
            String[] before = (String[]) found.get(expression);
            long count = before == null ? more : more + Long.parseLong(before[0]);
            found.put(expression, new String[] {String.valueOf(count), shown});
        }

        private synchronized List listed() {
            List all = new ArrayList();
            for (Object one : found.entrySet()) {
                Map.Entry entry = (Map.Entry) one;
                String[] of = (String[]) entry.getValue();
                all.add(new String[] {(String) entry.getKey(), of[0], of[1]});
            }
            return all;
        }

        public synchronized List taken() {
            List all = listed();
            found.clear();
            return all;
        }
    }
}
