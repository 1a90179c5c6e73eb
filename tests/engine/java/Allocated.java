import java.lang.management.ManagementFactory;

/** How many bytes the threads of this JVM have allocated. Releases of Spark name those of its tasks differently. */
public class Allocated {

    public static String byThreads() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] each = threads.getThreadAllocatedBytes(threads.getAllThreadIds());
        long bytes = 0;
        for (int n = 0; n < each.length; n++) {
            bytes += Math.max(each[n], 0);
        }
        return String.valueOf(bytes);
    }
}
