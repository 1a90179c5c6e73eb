import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

/** How many bytes the tasks of Spark have allocated in this JVM. */
public class Allocated {

    public static String byTasks() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] ids = threads.getAllThreadIds();
        long bytes = 0;
        for (int n = 0; n < ids.length; n++) {
            ThreadInfo one = threads.getThreadInfo(ids[n]);
            if (one != null && one.getThreadName().startsWith("Executor task launch")) {
                bytes += threads.getThreadAllocatedBytes(ids[n]);
            }
        }
        return String.valueOf(bytes);
    }
}
