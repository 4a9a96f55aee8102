/* What the layer of Java records, in a known number: tests/trace/java.sh counts it in the trace. */
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import paje.Paje;

public class JavaProgram {
    private static final Object lock = new Object();
    private static boolean isOpen;

    /* Four threads wait; two of them are notified one by one, and two at once. */
    private static void waits() throws InterruptedException {
        Thread[] waiters = new Thread[4];
        for (int i = 0; i < waiters.length; i++) {
            waiters[i] = new Thread(() -> {
                synchronized (lock) {
                    while (!isOpen)
                        try {
                            lock.wait();
                        } catch (InterruptedException e) {
                            return;
                        }
                }
            }, "a waiter whose name is longer than what the system has, " + i);
            waiters[i].start();
            while (waiters[i].getState() != Thread.State.WAITING)
                Thread.sleep(1);
        }
        synchronized (lock) {
            isOpen = true;
            lock.notify();
            lock.notify();
            lock.notifyAll();
        }
        for (Thread waiter : waiters)
            waiter.join();
        try {
            new Object().notify(); // its monitor is not held
        } catch (IllegalMonitorStateException e) {
            System.out.println("refused");
        }
    }

    /* One thread holds a monitor that another one wants. */
    private static void contended() throws InterruptedException {
        CountDownLatch isHeld = new CountDownLatch(1);
        Thread wanting = Thread.currentThread();
        Thread holder = new Thread(() -> {
            synchronized (lock) {
                isHeld.countDown();
                while (wanting.getState() != Thread.State.BLOCKED)
                    pause(1);
            }
        }, "holder");
        holder.start();
        isHeld.await();
        synchronized (lock) {
            isOpen = true;
        }
        holder.join();
    }

    /* Threads that wait without the lock, or for less than no time, come and go; then others wait, each for its own. */
    private static void waitsWithoutLock(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> {
                try {
                    lock.wait(1);
                } catch (IllegalMonitorStateException | InterruptedException e) {
                    Thread.yield();
                }
                synchronized (lock) {
                    try {
                        lock.wait(-1);
                    } catch (IllegalArgumentException | InterruptedException e) {
                        Thread.yield();
                    }
                }
            }, "refused");
            thread.start();
            thread.join();
        }
        Thread[] waiters = new Thread[64];
        for (int i = 0; i < waiters.length; i++) {
            Object own = new Object();
            waiters[i] = new Thread(() -> {
                synchronized (own) {
                    try {
                        own.wait(1);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
            }, "waiter");
            waiters[i].start();
        }
        for (Thread waiter : waiters)
            waiter.join();
    }

    /* A class loader that looks up all classes but those of the JDK itself, as those of OSGi do. */
    private static class OwnLoader extends ClassLoader {
        OwnLoader() {
            super(null);
        }

        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("java."))
                return super.loadClass(name, resolve);
            try (InputStream file = new FileInputStream(name + ".class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name);
            }
        }
    }

    private static void loads() throws Exception {
        Class<?> loaded = new OwnLoader().loadClass("JavaEmpty", true);
        loaded.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        System.out.println(loaded.getClassLoader() instanceof OwnLoader);
    }

    private static void pause(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static int third(int i) {
        if (i % 3 == 0)
            throw new IllegalStateException("a third");
        return i;
    }

    /* Every third call throws; a thread ends by an exception. */
    private static void throwing(int calls) throws InterruptedException {
        int caught = 0;
        for (int i = 0; i < calls; i++)
            try {
                third(i);
            } catch (IllegalStateException e) {
                caught++;
            }
        Thread thrower = new Thread(() -> third(0), "thrower");
        thrower.setUncaughtExceptionHandler((thread, exception) -> { });
        thrower.start();
        thrower.join();
        System.out.println(caught);
    }

    private static void notifies(int count) {
        for (int i = 0; i < count; i++)
            synchronized (lock) {
                lock.notify();
            }
    }

    /* As many threads at once, or each after the one before. */
    private static void threads(int count, boolean areAtOnce) throws InterruptedException {
        CountDownLatch all = new CountDownLatch(areAtOnce ? count : 1);
        List<Thread> started = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(null, () -> {
                all.countDown();
                try {
                    all.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }, "one of many", 1 << 17);
            thread.start();
            started.add(thread);
            if (!areAtOnce)
                thread.join();
        }
        for (Thread thread : started)
            thread.join();
    }

    private static void pool() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        List<Future<?>> results = new ArrayList<>();
        for (int i = 0; i < 6; i++)
            results.add(pool.submit(() -> pause(5)));
        for (Future<?> result : results)
            result.get();
        pool.shutdown();
    }

    private static void spin(long milliseconds) {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < milliseconds * 1_000_000)
            Thread.onSpinWait();
    }

    /* Each message is on its way for 20 ms; no state begins or ends meanwhile. */
    static void messages() {
        for (int i = 0; i < 3; i++) {
            spin(20);
            Paje.sent("to myself " + i, 8);
            spin(20);
            Paje.received("to myself " + i, 8);
        }
        spin(20);
    }

    private static void collect() {
        byte[][] some = new byte[16][];
        for (int i = 0; i < 500; i++)
            some[i % some.length] = new byte[100_000];
        System.gc();
        System.out.println(some.length);
    }

    public static void main(String[] words) throws Exception {
        int count = words.length > 1 ? Integer.parseInt(words[1]) : 0;
        switch (words[0]) {
        case "waits": waits(); contended(); throwing(9); pool(); collect(); break;
        case "notifies": notifies(count); break;
        case "messages": messages(); break;
        case "throws": throwing(count); break;
        case "waits-without-lock": waitsWithoutLock(count); break;
        case "loads": loads(); break;
        case "at-once": threads(count, true); break;
        case "in-turn": threads(count, false); break;
        case "pause": System.out.println("ready"); System.in.read(); threads(3, false); break;
        default: System.exit(7);
        }
    }
}
