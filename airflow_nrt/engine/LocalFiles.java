package airflow_nrt;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Iterator;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.mapred.JobConf;

/** Local files as Hadoop's, but that no process is started for each (see local_files.py). Janino compiles this. */
public class LocalFiles extends RawLocalFileSystem {

    public void setPermission(Path path, FsPermission permission) throws IOException {
        if (permission.getStickyBit()) {
            super.setPermission(path, permission);
            return;
        }
        Files.setPosixFilePermissions(
            pathToFile(path).toPath(), PosixFilePermissions.fromString(permission.toString()));
    }

    /** The same, as executors make it by its name; to them this class comes in a jar. */
    public static class Whole extends LocalFileSystem {
        public Whole() {
            super(new LocalFiles());
            setWriteChecksum(false);
        }
    }

    /** Has executors take this, too, and whoever makes a file system anew in this JVM. */
    public static void share(Configuration settings) {
        settings.setClassLoader(LocalFiles.class.getClassLoader());
        settings.set("fs.file.impl", "airflow_nrt.LocalFiles$Whole");
    }

    /** Makes this the file system of `file:` in this JVM. */
    public static void use(Configuration settings) throws Exception {
        LocalFileSystem files = new LocalFileSystem(new LocalFiles());
        URI local = URI.create("file:///");
        files.initialize(local, settings);
        files.setWriteChecksum(false);
        Class[] types = {URI.class, Configuration.class, FileSystem.class};
        Method remember = FileSystem.class.getDeclaredMethod("addFileSystemForTesting", types);
        remember.setAccessible(true);
        remember.invoke(null, new Object[] {local, settings, files});
    }

    /** Leaves out what no local task reads: settings of YARN and MapReduce as shipped, and where each was found. */
    public static void lighten(Configuration settings) throws Exception {
        // Else this class brings its defaults back when it is first used.
        new JobConf(false);
        Configuration shipped = new Configuration(false);
        shipped.addResource("yarn-default.xml");
        shipped.addResource("mapred-default.xml");
        for (Iterator each = shipped.iterator(); each.hasNext();) {
            Map.Entry one = (Map.Entry) each.next();
            String name = (String) one.getKey();
            if (one.getValue().equals(settings.getRaw(name))) {
                settings.unset(name);
            }
        }
        Field sources = Configuration.class.getDeclaredField("updatingResource");
        sources.setAccessible(true);
        ((Map) sources.get(settings)).clear();
    }
}
