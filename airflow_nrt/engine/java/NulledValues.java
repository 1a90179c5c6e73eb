package airflow_nrt;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.api.java.UDF3;
import org.apache.spark.util.AccumulatorV2;

/** Counts values that are NULL because they could not be computed (see functions/nulled_values.py). Janino compiles this. */
public class NulledValues implements UDF3 {

    private static final long serialVersionUID = 1L;
    private final Counts counts = new Counts();

    public NulledValues(SparkContext context) {
        context.register(counts);
    }

    /** NULL. It is counted for an expression and a place unless an operand is NULL, so that the computation has no text. */
    public Object call(Object expression, Object computation, Object place) {
        if (computation != null) {
            String where = place == null ? "" : String.valueOf(place);
            counts.add(new String[] {String.valueOf(expression), where, String.valueOf(computation)});
        }
        return null;
    }

    /** Each expression with a place, how many values were NULL there since the last call, and one of the computations. */
    public List taken() {
        return counts.taken();
    }

    /** The counts of a task, and those of all tasks that succeeded. Beyond so many places, the rest is counted without. */
    public static class Counts extends AccumulatorV2 {
        private static final long serialVersionUID = 1L;
        private static final int LONGEST = 500;
        private static final int MOST = 1000;
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
            note(texts[0], cut(texts[1]), 1L, cut(texts[2]));
        }

        public void merge(AccumulatorV2 other) {
            for (Object one : ((Counts) other).listed()) {
                String[] texts = (String[]) one;
                note(texts[0], texts[1], Long.parseLong(texts[2]), texts[3]);
            }
        }

        public Object value() {
            return listed();
        }

        private String cut(String text) {
            return text.length() > LONGEST ? text.substring(0, LONGEST) : text;
        }

        private synchronized void note(String expression, String place, long more, String shown) {
            // A value of a place may be computed more than once.
            boolean isOne = place.length() > 0 && (found.size() < MOST || found.containsKey(key(expression, place, shown)));
            List key = isOne ? key(expression, place, shown) : key(expression, "", "");
            String[] before = (String[]) found.get(key);
            long count = before == null || isOne ? more : more + Long.parseLong(before[0]);
            found.put(key, new String[] {String.valueOf(count), shown});
        }

        private List key(String expression, String place, String shown) {
            List key = new ArrayList();
            key.add(expression);
            key.add(place);
            key.add(shown);
            return key;
        }

        private synchronized List listed() {
            List all = new ArrayList();
            for (Object one : found.entrySet()) {
                Map.Entry entry = (Map.Entry) one;
                List key = (List) entry.getKey();
                String[] of = (String[]) entry.getValue();
                all.add(new String[] {(String) key.get(0), (String) key.get(1), of[0], of[1]});
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
