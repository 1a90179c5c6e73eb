package airflow_nrt;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Iterator;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.mapred.JobConf;

/** Hadoop's local files without a process for each file (see local_files.py). Janino compiles this. */
public class LocalFiles extends RawLocalFileSystem {

    private static final String MODE = "unix:mode";
    private static final int OF_OTHERS = 0007;
    private static final int READ_AND_WRITE = 0666;
    /** Includes the set-group-ID bit of a directory. */
    private static final int WITH_GROUP = 02777;
    /** With the path of a directory after it: what is opened by a path below that directory must lie in it. */
    private static final String CLOSED = "airflow-nrt.closed-directory:";

    public FSDataInputStream open(Path path, int size) throws IOException {
        FSDataInputStream opened = super.open(path, size);
        File file = pathToFile(path);
        for (File around = file.getParentFile(); around != null; around = around.getParentFile()) {
            if (isClosed(around) && !found(opened, file.getPath()).startsWith(around.toPath().toRealPath())) {
                opened.close();
                throw new FileNotFoundException(file + ": it is a link that leads out of " + around);
            }
        }
        return opened;
    }

    private boolean isClosed(File directory) {
        return getConf() != null && getConf().getRaw(CLOSED + directory.getPath()) != null;
    }

    /** Where a file lies that was opened, and not one that took its place since. */
    private static java.nio.file.Path found(FSDataInputStream opened, String name) throws IOException {
        try {
            Field number = FileDescriptor.class.getDeclaredField("fd");
            number.setAccessible(true);
            return Files.readSymbolicLink(Paths.get("/proc/self/fd/" + number.getInt(opened.getFileDescriptor())));
        } catch (IOException other) {
            return Paths.get(name).toRealPath();
        } catch (ReflectiveOperationException other) {
            return Paths.get(name).toRealPath();
        } catch (RuntimeException other) {
            return Paths.get(name).toRealPath();
        }
    }

    public void setPermission(Path path, FsPermission permission) throws IOException {
        File file = pathToFile(path);
        int around = modeAround(file);
        if (isPrivate(around)) {
            setMode(file, file.isDirectory() ? around : around & READ_AND_WRITE);
        } else if (permission.getStickyBit()) {
            super.setPermission(path, permission);
        } else {
            Files.setPosixFilePermissions(file.toPath(), PosixFilePermissions.fromString(permission.toString()));
        }
    }

    protected boolean mkOneDirWithMode(Path path, File file, FsPermission permission) throws IOException {
        if (permission != null) {
            return super.mkOneDirWithMode(path, file, permission);
        }
        boolean isMade = file.mkdir();
        int around = isMade ? modeAround(file) : 0;
        if (isMade && isPrivate(around)) {
            setMode(file, around);
        }
        return isMade;
    }

    /** Whether others can't enter a directory. Then its files have its mode, as all of a home has the home's. */
    private static boolean isPrivate(int mode) {
        return mode != 0 && (mode & OF_OTHERS) == 0;
    }

    private static int modeAround(File file) throws IOException {
        File around = file.getParentFile();
        return around == null ? 0 : ((Integer) Files.getAttribute(around.toPath(), MODE, new LinkOption[0])).intValue();
    }

    private static void setMode(File file, int mode) throws IOException {
        Files.setAttribute(file.toPath(), MODE, Integer.valueOf(mode & WITH_GROUP), new LinkOption[0]);
    }

    /** The same for executors, which create it by its name. They get this class in a jar. */
    public static class Whole extends LocalFileSystem {
        public Whole() {
            super(new LocalFiles());
            setWriteChecksum(false);
        }
    }

    /** Makes executors use this, too, and new file systems in this JVM. */
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

    /** Drops what no local task reads: default settings of YARN and MapReduce, and the source of each setting. */
    public static void lighten(Configuration settings) throws Exception {
        // Else this class adds its defaults again when it is first used.
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
