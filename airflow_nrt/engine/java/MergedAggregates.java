package airflow_nrt;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.Complete$;
import org.apache.spark.sql.catalyst.expressions.aggregate.Final$;
import org.apache.spark.sql.catalyst.expressions.aggregate.Partial$;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec;
import org.apache.spark.sql.execution.aggregate.HashAggregateExec;
import org.apache.spark.sql.execution.aggregate.ObjectHashAggregateExec;
import org.apache.spark.sql.execution.aggregate.SortAggregateExec;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** Merges the two halves of an aggregate without an exchange in between (see plan_rules.py). */
public class MergedAggregates extends Rule {

    /** Adds the rule to a session that has not planned a query yet. */
    public static void use(SparkSessionExtensions extensions) {
        extensions.injectColumnar(new AbstractFunction1() {
            public Object apply(Object session) {
                return new ColumnarRule() {
                    public Rule preColumnarTransitions() {
                        return new MergedAggregates();
                    }
                };
            }
        });
    }

    public TreeNode apply(TreeNode plan) {
        return merged((SparkPlan) plan);
    }

    private static SparkPlan merged(SparkPlan plan) {
        SparkPlan below = (SparkPlan) plan.mapChildren(new AbstractFunction1() {
            public Object apply(Object child) {
                return merged((SparkPlan) child);
            }
        });
        if (!(below instanceof BaseAggregateExec) || !(below.children().head() instanceof BaseAggregateExec)) {
            return below;
        }
        BaseAggregateExec last = (BaseAggregateExec) below;
        BaseAggregateExec first = (BaseAggregateExec) below.children().head();
        boolean are = isHalf(first, Partial$.MODULE$, false) && isHalf(last, Final$.MODULE$, true);
        return are && first.getClass() == last.getClass() ? whole(below, last, first) : below;
    }

    /** Without aggregates (DISTINCT) the required distribution of a half's input identifies the half. */
    private static boolean isHalf(BaseAggregateExec half, Object mode, boolean demands) {
        for (Iterator each = half.aggregateExpressions().iterator(); each.hasNext();) {
            if (((AggregateExpression) each.next()).mode() != mode) {
                return false;
            }
        }
        return !half.isStreaming() && half.requiredChildDistributionExpressions().isDefined() == demands;
    }

    private static SparkPlan whole(SparkPlan plan, BaseAggregateExec last, BaseAggregateExec first) {
        SparkPlan input = (SparkPlan) ((SparkPlan) first).children().head();
        // Only the first half has a filter.
        Seq complete = (Seq) first.aggregateExpressions().map(new AbstractFunction1() {
            public Object apply(Object one) {
                AggregateExpression half = (AggregateExpression) one;
                return half.copy(
                    half.aggregateFunction(), Complete$.MODULE$, half.isDistinct(), half.filter(), half.resultId());
            }
        });
        if (plan instanceof HashAggregateExec) {
            return new HashAggregateExec(
                last.requiredChildDistributionExpressions(), false, last.numShufflePartitions(),
                first.groupingExpressions(), complete, last.aggregateAttributes(), 0, last.resultExpressions(), input);
        }
        if (plan instanceof ObjectHashAggregateExec) {
            return new ObjectHashAggregateExec(
                last.requiredChildDistributionExpressions(), false, last.numShufflePartitions(),
                first.groupingExpressions(), complete, last.aggregateAttributes(), 0, last.resultExpressions(), input);
        }
        if (plan instanceof SortAggregateExec) {
            return new SortAggregateExec(
                last.requiredChildDistributionExpressions(), false, last.numShufflePartitions(),
                first.groupingExpressions(), complete, last.aggregateAttributes(), 0, last.resultExpressions(), input);
        }
        return plan;
    }
}
