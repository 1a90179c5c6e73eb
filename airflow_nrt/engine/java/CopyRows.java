package airflow_nrt;

import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.postgresql.Driver;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** Sends rows of texts to PostgreSQL by COPY (see sinks/jdbc/sending.py). */
public final class CopyRows extends AbstractFunction1 implements Serializable {

    private static final int AT_ONCE = 1 << 16;
    /** What has a meaning in a line, and how it is written after a backslash. */
    private static final String SPECIAL = "\\\n\r\t";
    private static final String WRITTEN = "\\nrt";

    private final String url;
    private final HashMap properties;
    private final String statement;

    private CopyRows(String url, Map properties, String statement) {
        this.url = url;
        this.properties = new HashMap(properties);
        this.statement = statement;
    }

    /** Sends the rows of each task in a transaction of its own. `statement` is COPY … FROM STDIN. */
    public static void send(RDD rows, String url, Map properties, String statement) {
        rows.foreachPartition(new CopyRows(url, properties, statement));
    }

    public Object apply(Object rows) {
        try {
            copy((Iterator) rows);
        } catch (SQLException failure) {
            throw new RuntimeException(failure);
        }
        return BoxedUnit.UNIT;
    }

    private void copy(Iterator rows) throws SQLException {
        if (!rows.hasNext()) {
            return;
        }
        Properties given = new Properties();
        given.putAll(properties);
        Connection connection = new Driver().connect(url, given);
        try {
            CopyIn copy = ((PGConnection) connection).getCopyAPI().copyIn(statement);
            try {
                ByteArrayOutputStream waiting = new ByteArrayOutputStream(2 * AT_ONCE);
                while (rows.hasNext()) {
                    write((InternalRow) rows.next(), waiting);
                    if (waiting.size() >= AT_ONCE || !rows.hasNext()) {
                        copy.writeToCopy(waiting.toByteArray(), 0, waiting.size());
                        waiting.reset();
                    }
                }
                copy.endCopy();
            } finally {
                if (copy.isActive()) {
                    copy.cancelCopy();
                }
            }
        } finally {
            connection.close();
        }
    }

    /** A line of COPY's text format. */
    private static void write(InternalRow row, ByteArrayOutputStream line) {
        for (int i = 0; i < row.numFields(); i++) {
            if (i > 0) {
                line.write('\t');
            }
            if (row.isNullAt(i)) {
                line.write('\\');
                line.write('N');
                continue;
            }
            for (byte one : row.getUTF8String(i).getBytes()) {
                int special = SPECIAL.indexOf(one);
                if (special >= 0) {
                    line.write('\\');
                }
                line.write(special >= 0 ? (int) WRITTEN.charAt(special) : (int) one);
            }
        }
        line.write('\n');
    }
}
