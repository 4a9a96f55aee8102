/* Virtual threads, where the JVM has them (Java 21): each begins a state, waits in all ways that let it leave its carrier,
 * throws, and calls methods.  Compiled for any Java: they are started by their name. */
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import paje.Paje;

public class JavaVirtual {
    private static final ReentrantLock lock = new ReentrantLock();
    private static final Object monitor = new Object();
    private static int turn;

    static int deep(int n) {
        if (n == 0)
            LockSupport.parkNanos(1_000_000);
        return n == 0 ? 0 : 1 + deep(n - 1);
    }

    private static void run(int i) {
        int state = Paje.begin("work");
        try {
            Thread.sleep(1);
            lock.lock();
            try {
                deep(5);
            } finally {
                lock.unlock();
            }
            synchronized (monitor) {
                turn++;
                monitor.notifyAll();
                while (turn <= i)
                    monitor.wait(1);
            }
            throw new IllegalStateException("one of each");
        } catch (IllegalStateException e) {
            Paje.mark("caught");
        } catch (InterruptedException e) {
            return;
        }
        Paje.end(state);
    }

    public static void main(String[] words) throws Exception {
        List<Thread> all = new ArrayList<>();
        java.lang.reflect.Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            System.out.println("this Java has no virtual threads");
            return;
        }
        for (int i = 0; i < Integer.parseInt(words[0]); i++) {
            int number = i;
            all.add((Thread) start.invoke(null, (Runnable) () -> run(number)));
        }
        for (Thread thread : all)
            thread.join();
        System.out.println(turn + " virtual threads");
    }
}
