/* A program whose numbers in the beans of the JVM are known; it prints what it reads there.  tests/live/java.sh compares. */
import java.lang.management.ManagementFactory;
import java.io.InputStream;
import java.util.concurrent.CountDownLatch;

public class JavaMetrics {
    private static final CountDownLatch isFinalizing = new CountDownLatch(1);

    /* A class that each of many loaders loads afresh. */
    public static class Loaded {
    }

    /* The first object whose finalization begins holds up those of all others. */
    public static class Finalized {
        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() throws InterruptedException {
            isFinalizing.countDown();
            Thread.sleep(1000000);
        }
    }

    private static class Loader extends ClassLoader {
        Class<?> load() throws Exception {
            try (InputStream file = JavaMetrics.class.getResourceAsStream("JavaMetrics$Loaded.class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass("JavaMetrics$Loaded", bytes, 0, bytes.length);
            }
        }
    }

    private static void loadAndForget(int count) throws Exception {
        for (int i = 0; i < count; i++)
            new Loader().load().getDeclaredConstructor().newInstance();
    }

    private static void makeFinalized(int count) {
        for (int i = 0; i < count; i++)
            new Finalized();
    }

    public static void main(String[] words) throws Exception {
        for (int i = 0; i < 3; i++) {
            Thread daemon = new Thread(() -> {
                try {
                    Thread.sleep(1000000);
                } catch (InterruptedException e) {
                }
            });
            daemon.setDaemon(true);
            daemon.start();
        }
        loadAndForget(40);
        System.gc();
        makeFinalized(8);
        System.gc();
        isFinalizing.await();
        var classes = ManagementFactory.getClassLoadingMXBean();
        var compiler = ManagementFactory.getCompilationMXBean();
        var memory = ManagementFactory.getMemoryMXBean();
        long collections = 0;
        for (var collector : ManagementFactory.getGarbageCollectorMXBeans())
            collections += collector.getCollectionCount();
        var threads = ManagementFactory.getThreadMXBean();
        for (int i = 0; i < 2; i++) { // the first time, it loads what this needs
            StringBuilder line = new StringBuilder();
            line.append("LOADED_CL_CURR ").append(classes.getLoadedClassCount());
            line.append("\nUNLOADED_CL ").append(classes.getUnloadedClassCount());
            line.append("\nCOMP_TIME ").append(compiler == null ? -1 : compiler.getTotalCompilationTime());
            line.append("\nNON_FINALIZED_OBJECTS ").append(memory.getObjectPendingFinalizationCount());
            line.append("\nDAEMON_THREAD_COUNT ").append(threads.getDaemonThreadCount()).append("\nGC_COUNT ").append(collections).append("\n");
            System.out.print(line);
            System.out.flush();
        }
        System.in.read();
    }
}
