package airflow_nrt;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Multiply;
import org.apache.spark.sql.catalyst.expressions.PreciseTimestampConversion;
import org.apache.spark.sql.catalyst.expressions.Rint;
import org.apache.spark.sql.catalyst.expressions.UnscaledValue;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import scala.runtime.AbstractFunction1;

/** Casts whose number Spark has already, and would make again from objects of Java (see plan_rules.py). */
public class PlainCasts extends Rule {

    /** Of a DECIMAL that a DOUBLE holds exactly. */
    private static final int DIGITS = 15;

    /** Adds the rule to a session that has not planned a query yet. */
    public static void use(SparkSessionExtensions extensions) {
        extensions.injectColumnar(new AbstractFunction1() {
            public Object apply(Object session) {
                return new ColumnarRule() {
                    public Rule preColumnarTransitions() {
                        return new PlainCasts();
                    }
                };
            }
        });
    }

    public TreeNode apply(TreeNode plan) {
        return casting((SparkPlan) plan);
    }

    private static SparkPlan casting(SparkPlan plan) {
        if (plan.children().isEmpty()) {
            // The filters of a scan must stay what the scan knows.
            return plan;
        }
        SparkPlan below = (SparkPlan) plan.mapChildren(new AbstractFunction1() {
            public Object apply(Object child) {
                return casting((SparkPlan) child);
            }
        });
        return (SparkPlan) below.mapExpressions(new AbstractFunction1() {
            public Object apply(Object expression) {
                return rewritten((Expression) expression);
            }
        });
    }

    private static Expression rewritten(Expression expression) {
        Expression whole = (Expression) expression.mapChildren(new AbstractFunction1() {
            public Object apply(Object child) {
                return rewritten((Expression) child);
            }
        });
        if (!(whole instanceof Cast)) {
            return whole;
        }
        Cast cast = (Cast) whole;
        if (isClock(cast.child().dataType(), cast.dataType()) && "UTC".equals(cast.timeZoneId().getOrElse(null))) {
            return new PreciseTimestampConversion(cast.child(), cast.child().dataType(), cast.dataType());
        }
        Expression amount = amount(cast);
        return amount == null ? whole : new UnscaledValue(amount);
    }

    /** With UTC both count the same microseconds. */
    private static boolean isClock(DataType from, DataType to) {
        return DataTypes.TimestampNTZType.equals(from) && DataTypes.TimestampType.equals(to)
            || DataTypes.TimestampType.equals(from) && DataTypes.TimestampNTZType.equals(to);
    }

    /** The amount in `CAST(rint(CAST(amount AS DOUBLE) * 100D) AS BIGINT)`, null if the cast is another one. */
    private static Expression amount(Cast cast) {
        if (!DataTypes.LongType.equals(cast.dataType()) || !(cast.child() instanceof Rint)) {
            return null;
        }
        Expression product = ((Rint) cast.child()).child();
        if (!(product instanceof Multiply)
                || !(((Multiply) product).left() instanceof Cast) || !(((Multiply) product).right() instanceof Literal)) {
            return null;
        }
        Cast factor = (Cast) ((Multiply) product).left();
        Object power = ((Literal) ((Multiply) product).right()).value();
        if (!DataTypes.DoubleType.equals(factor.dataType()) || !(factor.child().dataType() instanceof DecimalType)) {
            return null;
        }
        DecimalType kind = (DecimalType) factor.child().dataType();
        boolean isExact = kind.precision() <= DIGITS && Double.valueOf(Math.pow(10, kind.scale())).equals(power);
        return isExact ? factor.child() : null;
    }
}
