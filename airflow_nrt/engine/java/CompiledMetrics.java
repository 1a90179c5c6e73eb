package airflow_nrt;

import java.util.Arrays;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.BindReferences;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.expressions.package$;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.CodegenSupport;
import org.apache.spark.sql.execution.CollectMetricsExec;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.util.AccumulatorV2;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** Counts rows in the code of the steps around it (see plan_rules.py). */
public class CompiledMetrics extends Rule {

    /** Adds the rule to a session that has not planned a query yet. */
    public static void use(SparkSessionExtensions extensions) {
        extensions.injectColumnar(new AbstractFunction1() {
            public Object apply(Object session) {
                return new ColumnarRule() {
                    public Rule preColumnarTransitions() {
                        return new CompiledMetrics();
                    }
                };
            }
        });
    }

    public TreeNode apply(TreeNode plan) {
        return compiled((SparkPlan) plan);
    }

    private static SparkPlan compiled(SparkPlan plan) {
        SparkPlan below = (SparkPlan) plan.mapChildren(new AbstractFunction1() {
            public Object apply(Object child) {
                return compiled((SparkPlan) child);
            }
        });
        if (below.getClass() != CollectMetricsExec.class) {
            return below;
        }
        CollectMetricsExec metrics = (CollectMetricsExec) below;
        boolean fits = metrics.child() instanceof CodegenSupport;
        for (Iterator each = metrics.metricExpressions().iterator(); fits && each.hasNext();) {
            fits = isKnown((Expression) each.next());
        }
        return fits ? new Step(metrics.name(), metrics.metricExpressions(), metrics.child()) : below;
    }

    /** Whether it is a count, or the largest of some BIGINTs. */
    private static boolean isKnown(Expression metric) {
        if (!(metric instanceof Alias) || !(((Alias) metric).child() instanceof AggregateExpression)) {
            return false;
        }
        AggregateExpression one = (AggregateExpression) ((Alias) metric).child();
        boolean isLong = DataTypes.LongType.equals(one.aggregateFunction().dataType());
        boolean isKind = one.aggregateFunction() instanceof Count || one.aggregateFunction() instanceof Max;
        return isKind && isLong && one.filter().isEmpty() && !one.isDistinct();
    }

    /** Spark's step, which its neighbours' code can contain. Where nothing is compiled, it does what Spark's does. */
    public static class Step extends CollectMetricsExec implements CodegenSupport {

        private transient CodegenSupport parent;
        private transient Numbers numbers;

        public Step(String name, Seq metrics, SparkPlan child) {
            super(name, metrics, child);
        }

        public String nodeName() {
            return "CollectMetrics";
        }

        public CodegenSupport parent() {
            return parent;
        }

        public void parent_$eq(CodegenSupport above) {
            parent = above;
        }

        public Seq inputRDDs() {
            return ((CodegenSupport) child()).inputRDDs();
        }

        public String doProduce(CodegenContext context) {
            if (numbers == null) {
                boolean[] areCounts = new boolean[metricExpressions().size()];
                for (int n = 0; n < areCounts.length; n++) {
                    areCounts[n] = function(n) instanceof Count;
                }
                numbers = new Numbers(areCounts);
                sparkContext().register(numbers);
            }
            return ((CodegenSupport) child()).produce(context, this);
        }

        public String doConsume(CodegenContext context, Seq input, ExprCode row) {
            String found = context.addReferenceObj("metrics", numbers, Numbers.class.getName());
            StringBuilder code = new StringBuilder();
            for (int n = 0; n < metricExpressions().size(); n++) {
                StringBuilder isThere = new StringBuilder("true");
                ExprCode value = null;
                for (Iterator of = function(n).children().iterator(); of.hasNext();) {
                    Expression bound = (Expression) BindReferences.bindReference(
                        (Expression) of.next(), package$.MODULE$.AttributeSeq(child().output()), false);
                    value = bound.genCode(context);
                    code.append(value.code()).append('\n');
                    isThere.append(" && !").append(value.isNull());
                }
                boolean isCount = function(n) instanceof Count;
                String call = isCount ? ".count(" + n + ");" : ".most(" + n + ", " + value.value() + ");";
                code.append("if (").append(isThere).append(") { ").append(found).append(call).append(" }\n");
            }
            return code + consume(context, input, null);
        }

        public Row collectedMetrics() {
            if (numbers == null || numbers.isZero()) {
                // No row was read, or this step was not compiled.
                return super.collectedMetrics();
            }
            Object[] values = new Object[metricExpressions().size()];
            for (int n = 0; n < values.length; n++) {
                boolean isKnown = numbers.areCounts[n] || numbers.known[n];
                values[n] = isKnown ? Long.valueOf(numbers.found[n]) : null;
            }
            return new GenericRowWithSchema(values, metricsSchema());
        }

        private Expression function(int n) {
            Alias metric = (Alias) metricExpressions().apply(n);
            return ((AggregateExpression) metric.child()).aggregateFunction();
        }

        public void resetMetrics() {
            super.resetMetrics();
            if (numbers != null) {
                numbers.reset();
            }
        }

        /** Spark keeps a step that is equal to its own. */
        public boolean canEqual(Object other) {
            return other instanceof Step;
        }

        public boolean equals(Object other) {
            return other instanceof Step && super.equals(other);
        }

        public CollectMetricsExec withNewChildInternal(SparkPlan child) {
            return new Step(name(), metricExpressions(), child);
        }
    }

    /** A number for each metric, of one task or of all. */
    public static class Numbers extends AccumulatorV2 {

        final boolean[] areCounts;
        final long[] found;
        final boolean[] known;

        public Numbers(boolean[] areCounts) {
            this.areCounts = areCounts;
            found = new long[areCounts.length];
            known = new boolean[areCounts.length];
        }

        public void count(int n) {
            found[n]++;
            known[n] = true;
        }

        public void most(int n, long value) {
            if (!known[n] || value > found[n]) {
                found[n] = value;
                known[n] = true;
            }
        }

        public boolean isZero() {
            for (int n = 0; n < known.length; n++) {
                if (known[n]) {
                    return false;
                }
            }
            return true;
        }

        public AccumulatorV2 copy() {
            Numbers other = new Numbers(areCounts);
            System.arraycopy(found, 0, other.found, 0, found.length);
            System.arraycopy(known, 0, other.known, 0, known.length);
            return other;
        }

        public void reset() {
            Arrays.fill(found, 0L);
            Arrays.fill(known, false);
        }

        public void add(Object value) {
            throw new UnsupportedOperationException();
        }

        public void merge(AccumulatorV2 other) {
            Numbers more = (Numbers) other;
            for (int n = 0; n < known.length; n++) {
                if (more.known[n] && areCounts[n]) {
                    found[n] += more.found[n];
                    known[n] = true;
                } else if (more.known[n]) {
                    most(n, more.found[n]);
                }
            }
        }

        public Object value() {
            return found;
        }
    }
}
