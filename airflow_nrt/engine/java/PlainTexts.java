package airflow_nrt;

import java.time.LocalDate;
import java.util.Arrays;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Coalesce;
import org.apache.spark.sql.catalyst.expressions.Contains;
import org.apache.spark.sql.catalyst.expressions.DateFormatClass;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.RLike;
import org.apache.spark.sql.catalyst.expressions.StringSplit;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/** Reads and writes plain texts as bytes, and leaves all others to Spark (see plan_rules.py). */
public class PlainTexts extends Rule {

    /** The pattern of a TIMESTAMP before and after what stands between its date and its time (values.py). */
    private static final String DATE = "^ *[0-9]{4}-[0-9]{2}-[0-9]{2}";
    private static final String TIME = "[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.][0-9]{0,9})? *$";
    /** How a time is written, of which a format may be a part. */
    private static final String WRITTEN = "yyyy-MM-dd HH:mm:ss.SSSSSS";
    private static final String POLICY = "spark.sql.legacy.timeParserPolicy";
    private static final int DATE_ENDS = 10;
    private static final int FRACTION = 20;
    /** A BIGINT has so many digits, whichever they are. */
    private static final int DIGITS = 18;
    private static final long NOT_ASCII = 0x8080808080808080L;
    private static final long LOWEST_BITS = 0x0101010101010101L;
    private static final long MICROS = 1000000L;
    private static final long DAY = 86400L * MICROS;
    /** 0001-01-01 and 10000-01-01: years of four digits. */
    private static final long FIRST_DAY = -719162L;
    private static final long AFTER_LAST_DAY = 2932897L;

    /** Adds the rule to a session that has not planned a query yet. */
    public static void use(SparkSessionExtensions extensions) {
        extensions.injectColumnar(new AbstractFunction1() {
            public Object apply(Object session) {
                return new ColumnarRule() {
                    public Rule preColumnarTransitions() {
                        return new PlainTexts();
                    }
                };
            }
        });
    }

    public TreeNode apply(TreeNode plan) {
        return reading((SparkPlan) plan);
    }

    private static SparkPlan reading(SparkPlan plan) {
        if (plan.children().isEmpty()) {
            // The filters of a scan must stay what the scan knows.
            return plan;
        }
        SparkPlan below = (SparkPlan) plan.mapChildren(new AbstractFunction1() {
            public Object apply(Object child) {
                return reading((SparkPlan) child);
            }
        });
        return (SparkPlan) below.mapExpressions(new AbstractFunction1() {
            public Object apply(Object expression) {
                return rewritten((Expression) expression);
            }
        });
    }

    private static Expression rewritten(Expression expression) {
        if (expression instanceof Coalesce && isOurs(((Coalesce) expression).children().head())) {
            return expression;
        }
        final Expression whole = (Expression) expression.mapChildren(new AbstractFunction1() {
            public Object apply(Object child) {
                return rewritten((Expression) child);
            }
        });
        if (whole instanceof StringSplit) {
            return split((StringSplit) whole);
        }
        if (whole instanceof Contains && isCharacter((Contains) whole)) {
            Contains contains = (Contains) whole;
            int character = String.valueOf(((Literal) contains.right()).value()).charAt(0);
            return call("has", DataTypes.BooleanType, contains.left(), number(character));
        }
        if (whole instanceof Invoke && isValid((Invoke) whole)) {
            return call("isValid", DataTypes.BooleanType, ((Invoke) whole).targetObject());
        }
        if (whole instanceof DateFormatClass && isPart((DateFormatClass) whole)) {
            DateFormatClass format = (DateFormatClass) whole;
            String pattern = String.valueOf(((Literal) format.right()).value());
            int from = WRITTEN.indexOf(pattern);
            Expression[] arguments = {format.left(), number(from), number(from + pattern.length())};
            return first(call("written", DataTypes.StringType, arguments), whole);
        }
        // Of the expression as it was: in `whole` the cast may be another one by now.
        if (expression instanceof If && isTimestamp((If) expression)) {
            return first(call("timestamp", DataTypes.TimestampNTZType, text(((If) expression).trueValue())), expression);
        }
        if (whole instanceof Cast && isShortDecimal(whole.dataType()) && isText(text(whole))) {
            DecimalType kind = (DecimalType) whole.dataType();
            Expression[] arguments = {text(whole), number(kind.precision()), number(kind.scale())};
            return first(call("decimal", kind, arguments), whole);
        }
        return whole;
    }

    private static boolean isOurs(Object expression) {
        return expression instanceof StaticInvoke
            && ((StaticInvoke) expression).staticObject().getName().equals(PlainTexts.class.getName());
    }

    private static boolean isTimestamp(If test) {
        if (!(test.predicate() instanceof RLike) || !(test.trueValue() instanceof Cast) || !isNull(test.falseValue())) {
            return false;
        }
        RLike like = (RLike) test.predicate();
        String pattern = like.right() instanceof Literal ? String.valueOf(((Literal) like.right()).value()) : "";
        return DataTypes.TimestampNTZType.equals(test.dataType())
            && (pattern.equals(DATE + " " + TIME) || pattern.equals(DATE + "[ T]" + TIME))
            && isText(like.left()) && like.left().semanticEquals(text(test.trueValue()));
    }

    /** Whether a text is searched for one character of ASCII. */
    private static boolean isCharacter(Contains contains) {
        if (!(contains.right() instanceof Literal) || !isText(contains.left()) || !isText(contains.right())) {
            return false;
        }
        String searched = String.valueOf(((Literal) contains.right()).value());
        return searched.length() == 1 && searched.charAt(0) < 128;
    }

    private static boolean isValid(Invoke invoke) {
        return invoke.functionName().equals("isValid") && invoke.arguments().isEmpty() && isText(invoke.targetObject());
    }

    /** Whether it writes a part of WRITTEN, with whole fields but for the fraction, in UTC. */
    private static boolean isPart(DateFormatClass format) {
        if (!(format.right() instanceof Literal) || !DataTypes.TimestampType.equals(format.left().dataType())
                || !"UTC".equals(format.timeZoneId().getOrElse(null))) {
            return false;
        }
        String pattern = String.valueOf(((Literal) format.right()).value());
        int from = WRITTEN.indexOf(pattern);
        int to = from + pattern.length();
        // Another calendar, and another meaning of S.
        boolean isLegacy = "LEGACY".equalsIgnoreCase(SQLConf.get().getConfString(POLICY));
        if (isLegacy || pattern.isEmpty() || from < 0 || !Character.isLetter(pattern.charAt(0))) {
            return false;
        }
        return to > FRACTION || to < WRITTEN.length() && WRITTEN.charAt(to) != WRITTEN.charAt(to - 1);
    }

    private static boolean isShortDecimal(DataType kind) {
        return kind instanceof DecimalType && ((DecimalType) kind).precision() <= DIGITS;
    }

    private static boolean isNull(Expression expression) {
        return expression instanceof Literal && ((Literal) expression).value() == null;
    }

    private static boolean isText(Expression expression) {
        return DataTypes.StringType.equals(expression.dataType());
    }

    private static Expression text(Expression cast) {
        return ((Cast) cast).child();
    }

    private static Expression number(int value) {
        return new Literal(Integer.valueOf(value), DataTypes.IntegerType);
    }

    private static Expression first(Expression one, Expression other) {
        return new Coalesce(seq(new Object[] {one, other}));
    }

    private static Expression call(String name, DataType kind, Expression... arguments) {
        return new StaticInvoke(
            PlainTexts.class, kind, name, seq(arguments), seq(new Object[0]), true, true, true, Option.empty());
    }

    private static Seq seq(Object[] items) {
        return CollectionConverters.asScala(Arrays.asList(items)).toList();
    }

    private static Expression split(StringSplit split) {
        if (!(split.regex() instanceof Literal) || !(split.limit() instanceof Literal) || !isText(split.str())) {
            return split;
        }
        Object limit = ((Literal) split.limit()).value();
        String pattern = String.valueOf(((Literal) split.regex()).value());
        // Of these no one has a meaning in a regular expression.
        boolean isPlain = pattern.length() == 1 && ",;: \t".contains(pattern);
        if (!isPlain || !Integer.valueOf(-1).equals(limit)) {
            return split;
        }
        return call("fields", split.dataType(), split.str(), number(pattern.charAt(0)));
    }

    /** Whether the bytes are UTF-8, as those of ASCII are. */
    public static boolean isValid(UTF8String text) {
        int size = text.numBytes();
        int i = 0;
        while (i + 8 <= size && (Platform.getLong(text.getBaseObject(), text.getBaseOffset() + i) & NOT_ASCII) == 0) {
            i += 8;
        }
        while (i < size && text.getByte(i) >= 0) {
            i++;
        }
        return i == size || text.isValid();
    }

    /** Whether one of the bytes is this one. */
    public static boolean has(UTF8String text, int searched) {
        int size = text.numBytes();
        long everywhere = searched * LOWEST_BITS;
        int i = 0;
        while (i + 8 <= size) {
            // Zero where the byte is the one. The highest bit of x - 1 is set, and that of x is not, first where x is 0.
            long other = Platform.getLong(text.getBaseObject(), text.getBaseOffset() + i) ^ everywhere;
            if (((other - LOWEST_BITS) & ~other & NOT_ASCII) != 0) {
                return true;
            }
            i += 8;
        }
        while (i < size && text.getByte(i) != searched) {
            i++;
        }
        return i < size;
    }

    /** The fields of a line. They share its memory, as columns of a row do. */
    public static ArrayData fields(UTF8String line, int separator) {
        int size = line.numBytes();
        Object[] found = new Object[8];
        int start = 0;
        int n = 0;
        for (int i = 0; i <= size; i++) {
            byte one = i == size ? (byte) separator : line.getByte(i);
            if (one < 0) {
                // Spark writes bytes that are no character otherwise.
                return new GenericArrayData(line.split(UTF8String.fromString(String.valueOf((char) separator)), -1));
            }
            if (one == separator) {
                found = n == found.length ? Arrays.copyOf(found, 2 * n) : found;
                found[n++] = UTF8String.fromAddress(line.getBaseObject(), line.getBaseOffset() + start, i - start);
                start = i + 1;
            }
        }
        return new GenericArrayData(Arrays.copyOf(found, n));
    }

    /** The text of a time in microseconds, from one place in WRITTEN to another; null of a year without four digits. */
    public static UTF8String written(long micros, int from, int to) {
        long day = Math.floorDiv(micros, DAY);
        if (day < FIRST_DAY || day >= AFTER_LAST_DAY) {
            return null;
        }
        byte[] text = new byte[WRITTEN.length()];
        if (from < DATE_ENDS) {
            LocalDate date = LocalDate.ofEpochDay(day);
            write(text, 0, 4, date.getYear(), '-');
            write(text, 5, 2, date.getMonthValue(), '-');
            write(text, 8, 2, date.getDayOfMonth(), ' ');
        }
        long rest = micros - day * DAY;
        int second = (int) (rest / MICROS);
        write(text, 11, 2, second / 3600, ':');
        write(text, 14, 2, second / 60 % 60, ':');
        write(text, 17, 2, second % 60, '.');
        if (to > FRACTION) {
            write(text, FRACTION, 6, (int) (rest % MICROS), '.');
        }
        return UTF8String.fromBytes(text, from, to - from);
    }

    /** Writes so many digits of a number, and what stands after them, if there is room. */
    private static void write(byte[] text, int from, int digits, int number, char after) {
        for (int i = from + digits - 1, rest = number; i >= from; i--, rest /= 10) {
            text[i] = (byte) ('0' + rest % 10);
        }
        if (from + digits < text.length) {
            text[from + digits] = (byte) after;
        }
    }

    /** The microseconds of `2024-01-31 09:00:00` or `2024-01-31 09:00:00.123`, null of what is written otherwise. */
    public static Long timestamp(UTF8String text) {
        int size = text.numBytes();
        if (size != 19 && (size < 21 || size > 26 || text.getByte(19) != '.')) {
            return null;
        }
        boolean isPlain = text.getByte(4) == '-' && text.getByte(7) == '-' && text.getByte(10) == ' '
            && text.getByte(13) == ':' && text.getByte(16) == ':';
        int year = (int) digits(text, 0, 4);
        int month = (int) digits(text, 5, 7);
        int day = (int) digits(text, 8, 10);
        int hour = (int) digits(text, 11, 13);
        int minute = (int) digits(text, 14, 16);
        int second = (int) digits(text, 17, 19);
        long fraction = size == 19 ? 0 : digits(text, 20, size);
        if (!isPlain || year < 1 || month < 1 || month > 12 || day < 1 || day > 28 && !isDay(year, month, day)
            || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || fraction < 0) {
            return null;
        }
        for (int i = size; i < 26 && size > 19; i++) {
            fraction *= 10;
        }
        long seconds = LocalDate.of(year, month, day).toEpochDay() * 86400L + hour * 3600L + minute * 60L + second;
        return Long.valueOf(seconds * MICROS + fraction);
    }

    private static boolean isDay(int year, int month, int day) {
        return day <= 31 && day <= LocalDate.of(year, month, 1).lengthOfMonth();
    }

    /** The amount of `12.50`, null of what is written otherwise, or needs to be rounded. */
    public static Decimal decimal(UTF8String text, int precision, int scale) {
        int size = text.numBytes();
        int begin = size > 0 && text.getByte(0) == '-' ? 1 : 0;
        int point = begin;
        while (point < size && text.getByte(point) != '.') {
            point++;
        }
        int decimals = point == size ? 0 : size - point - 1;
        // A point without digits before or after it is left to Spark, too.
        boolean isPlain = point > begin && (point == size || decimals > 0);
        if (!isPlain || decimals > scale || point - begin > precision - scale) {
            return null;
        }
        long before = digits(text, begin, point);
        long after = decimals == 0 ? 0 : digits(text, point + 1, size);
        if (before < 0 || after < 0) {
            return null;
        }
        for (int i = 0; i < scale; i++) {
            before *= 10;
        }
        for (int i = decimals; i < scale; i++) {
            after *= 10;
        }
        return Decimal.createUnsafe(begin == 1 ? -before - after : before + after, precision, scale);
    }

    /** The number that these bytes write, -1 if one of them is no digit. */
    private static long digits(UTF8String text, int from, int to) {
        long value = 0;
        for (int i = from; i < to; i++) {
            int digit = text.getByte(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value * 10 + digit;
        }
        return value;
    }
}
