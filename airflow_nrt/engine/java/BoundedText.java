package airflow_nrt;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.text.TextFileFormat;
import org.apache.spark.sql.execution.datasources.text.TextOptions;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import scala.Function1;
import scala.Option;
import scala.collection.AbstractIterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;
import scala.runtime.AbstractPartialFunction;

/** Reads text files without keeping lines longer than a limit in memory (see long_lines.py). Janino compiles this. */
public class BoundedText extends TextFileFormat {

    private static final long serialVersionUID = 1L;
    private static final String OPTION = "maxLineLength";

    /** Adds the rule to a session that has not planned a query yet. */
    public static void use(SparkSessionExtensions extensions) {
        extensions.injectPreCBORule(new AbstractFunction1() {
            public Object apply(Object session) {
                return new Bound();
            }
        });
    }

    /** Replaces the reader of files whose options have a limit. */
    public static class Bound extends Rule {
        public TreeNode apply(TreeNode plan) {
            return ((LogicalPlan) plan).transformUp(new AbstractPartialFunction() {
                public boolean isDefinedAt(Object step) {
                    return asksForLimit(step);
                }

                public Object applyOrElse(Object step, Function1 otherwise) {
                    return asksForLimit(step) ? bounded((LogicalRelation) step) : otherwise.apply(step);
                }
            });
        }
    }

    private static boolean asksForLimit(Object step) {
        if (!(step instanceof LogicalRelation) || !(((LogicalRelation) step).relation() instanceof HadoopFsRelation)) {
            return false;
        }
        HadoopFsRelation files = (HadoopFsRelation) ((LogicalRelation) step).relation();
        boolean isPlain = files.fileFormat() instanceof TextFileFormat && !(files.fileFormat() instanceof BoundedText);
        return isPlain && files.options().contains(OPTION);
    }

    private static LogicalRelation bounded(LogicalRelation step) {
        HadoopFsRelation files = (HadoopFsRelation) step.relation();
        HadoopFsRelation other = files.copy(
            files.location(), files.partitionSchema(), files.dataSchema(), files.bucketSpec(), new BoundedText(),
            files.options(), files.sparkSession());
        return step.copy(other, step.output(), step.catalogTable(), step.isStreaming(), step.stream());
    }

    /** It differs from the text format, because a plan with one of them is another plan than with the other. */
    public boolean canEqual(Object other) {
        return other instanceof BoundedText;
    }

    public boolean equals(Object other) {
        return other instanceof BoundedText;
    }

    public int hashCode() {
        return BoundedText.class.hashCode();
    }

    public Function1 buildReader(
        SparkSession session, StructType data, StructType partitions, StructType required, Seq filters, Map options,
        Configuration settings) {
        Option separator = new TextOptions(options).lineSeparatorInRead();
        return new Reader(
            SerializableConfiguration.broadcast(session.sparkContext(), settings),
            separator.isEmpty(),
            Integer.parseInt((String) options.apply(OPTION)),
            required.isEmpty());
    }

    /** The lines of a file, or of a part of it. */
    public static class Reader extends AbstractFunction1 implements Serializable {
        private static final long serialVersionUID = 1L;
        private final Broadcast settings;
        private final boolean endsAtReturn;
        private final int limit;
        private final boolean isCounted;

        Reader(Broadcast settings, boolean endsAtReturn, int limit, boolean isCounted) {
            this.settings = settings;
            this.endsAtReturn = endsAtReturn;
            this.limit = limit;
            this.isCounted = isCounted;
        }

        public Object apply(Object file) {
            Configuration conf = ((SerializableConfiguration) settings.value()).value();
            final Lines lines = new Lines((PartitionedFile) file, conf, endsAtReturn, limit, isCounted);
            TaskContext task = TaskContext.get();
            if (task != null) {
                task.addTaskCompletionListener(new TaskCompletionListener() {
                    public void onTaskCompletion(TaskContext ended) {
                        lines.close();
                    }
                });
            }
            return lines;
        }
    }

    /**
     * Ends a line where Hadoop's reader does: at \n, and without a separator at \r and \r\n. A part of a file begins
     * after the first end of a line in it, and ends with the line that begins at its end or before.
     */
    public static class Lines extends AbstractIterator implements Closeable {
        private static final int HEAD = 1000;
        private static final byte[] MARK = {(byte) 0xFF, 'n', 'r', 't', ':'};
        private static final byte[] BOM = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

        private final boolean endsAtReturn;
        private final int limit;
        private final boolean isCounted;
        private final byte[] buffer = new byte[65536];
        private final UnsafeRowWriter writer = new UnsafeRowWriter(1);
        private InputStream in;
        private CompressionCodec codec;
        private Decompressor decompressor;
        private int at;
        private int filled;
        private long position;
        private long end = Long.MAX_VALUE;
        private byte[] line = new byte[256];
        private int kept;
        private long length;
        private boolean isReady;

        Lines(PartitionedFile file, Configuration settings, boolean endsAtReturn, int limit, boolean isCounted) {
            this.endsAtReturn = endsAtReturn;
            this.limit = limit;
            this.isCounted = isCounted;
            try {
                open(file, settings);
            } catch (IOException wrong) {
                close();
                Platform.throwException(wrong);
            }
        }

        private void open(PartitionedFile file, Configuration settings) throws IOException {
            Path path = file.toPath();
            codec = new CompressionCodecFactory(settings).getCodec(path);
            if (codec != null && file.start() > 0) {
                // A compressed file is read as a whole.
                return;
            }
            FSDataInputStream raw = path.getFileSystem(settings).open(path);
            in = raw;
            if (codec != null) {
                decompressor = CodecPool.getDecompressor(codec);
                in = codec.createInputStream(raw, decompressor);
            } else {
                end = file.start() + file.length();
                position = file.start();
                raw.seek(position);
                if (position > 0) {
                    read();
                }
            }
            if (position == 0) {
                isReady = read();
                if (isReady && kept >= 3 && Arrays.equals(Arrays.copyOf(line, 3), BOM)) {
                    kept -= 3;
                    System.arraycopy(line, 3, line, 0, kept);
                }
            }
        }

        public boolean hasNext() {
            if (!isReady && in != null) {
                try {
                    isReady = position <= end && read();
                } catch (IOException wrong) {
                    Platform.throwException(wrong);
                }
                if (!isReady) {
                    close();
                }
            }
            return isReady;
        }

        public Object next() {
            isReady = false;
            if (isCounted) {
                return new UnsafeRow(0);
            }
            if (length > limit) {
                cut();
            }
            writer.reset();
            writer.write(0, line, 0, kept);
            return writer.getRow();
        }

        /** Keeps the first bytes of a line that is too long, as invalid UTF-8 (long_lines.py). */
        private void cut() {
            byte[] size = (length + ">" + limit).getBytes(StandardCharsets.US_ASCII);
            int head = Math.min(Math.min(kept, limit), HEAD);
            byte[] whole = Arrays.copyOf(Arrays.copyOf(line, head), head + MARK.length + size.length);
            System.arraycopy(MARK, 0, whole, head, MARK.length);
            System.arraycopy(size, 0, whole, head + MARK.length, size.length);
            line = whole;
            kept = whole.length;
        }

        private boolean fill() throws IOException {
            at = 0;
            filled = Math.max(in.read(buffer, 0, buffer.length), 0);
            return filled > 0;
        }

        /** Reads the next line; false if there is none. */
        private boolean read() throws IOException {
            kept = 0;
            length = 0;
            boolean isThere = false;
            while (at < filled || fill()) {
                isThere = true;
                byte[] bytes = buffer;
                int from = at, to = from, last = filled;
                boolean both = endsAtReturn;
                while (to < last && bytes[to] != '\n' && !(both && bytes[to] == '\r')) {
                    to++;
                }
                keep(from, to - from);
                at = to;
                position += to - from;
                if (to < last) {
                    at++;
                    position++;
                    if (bytes[to] == '\r' && (at < filled || fill()) && buffer[at] == '\n') {
                        at++;
                        position++;
                    }
                    return true;
                }
            }
            return isThere;
        }

        private void keep(int from, int size) {
            length += size;
            int more = (int) Math.min(size, (long) limit - kept);
            if (more <= 0) {
                return;
            }
            if (kept + more > line.length) {
                line = Arrays.copyOf(line, (int) Math.min(Math.max(2L * line.length, kept + more), limit));
            }
            System.arraycopy(buffer, from, line, kept, more);
            kept += more;
        }

        public void close() {
            try {
                if (in != null) {
                    in.close();
                }
            } catch (IOException wrong) {
                Platform.throwException(wrong);
            } finally {
                in = null;
                if (decompressor != null) {
                    CodecPool.returnDecompressor(decompressor);
                    decompressor = null;
                }
            }
        }
    }
}
