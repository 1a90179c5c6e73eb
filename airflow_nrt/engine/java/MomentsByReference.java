package airflow_nrt;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.runtime.AbstractFunction1;
import scala.runtime.AbstractPartialFunction;

/** Passes large numbers to generated code by reference instead of as literals (see plan_rules.py). */
public class MomentsByReference extends Rule {

    private static final StructType ONE = DataTypes.createStructType(
        new StructField[] {DataTypes.createStructField("value", DataTypes.LongType, false)});

    /** Adds the rule to a session that has not planned a query yet. */
    public static void use(SparkSessionExtensions extensions) {
        extensions.injectColumnar(new AbstractFunction1() {
            public Object apply(Object session) {
                return new ColumnarRule() {
                    public Rule preColumnarTransitions() {
                        return new MomentsByReference();
                    }
                };
            }
        });
    }

    public TreeNode apply(TreeNode plan) {
        return referring((SparkPlan) plan);
    }

    private static SparkPlan referring(SparkPlan plan) {
        if (plan.children().isEmpty()) {
            // The filters of a scan must stay literals.
            return plan;
        }
        SparkPlan below = (SparkPlan) plan.mapChildren(new AbstractFunction1() {
            public Object apply(Object child) {
                return referring((SparkPlan) child);
            }
        });
        return (SparkPlan) below.transformExpressions(new AbstractPartialFunction() {
            public boolean isDefinedAt(Object expression) {
                return isMoment(expression);
            }

            public Object applyOrElse(Object expression, scala.Function1 otherwise) {
                return isMoment(expression) ? reference((Literal) expression) : otherwise.apply(expression);
            }
        });
    }

    /** Steps and sizes of windows, which are equal in all batches, are smaller. */
    private static boolean isMoment(Object expression) {
        if (!(expression instanceof Literal)) {
            return false;
        }
        Literal literal = (Literal) expression;
        return literal.value() instanceof Long && DataTypes.LongType.equals(literal.dataType())
            && Math.abs(((Long) literal.value()).longValue()) >= 1L << 36;
    }

    private static Expression reference(Literal moment) {
        Literal row = new Literal(new GenericInternalRow(new Object[] {moment.value()}), ONE);
        return new GetStructField(row, 0, Option.empty());
    }
}
