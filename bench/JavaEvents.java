/* Nanoseconds of what `paje trace` records of Java: each in a loop, the best of 15 rounds.  bench/java.sh runs it with and
 * without the tracer. */
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.locks.LockSupport;
import paje.Paje;

public class JavaEvents {
    static final int ROUNDS = 15, TIMES = 10_000;
    static final Object lock = new Object();
    static final RuntimeException thrown = new RuntimeException("made once");
    static int sum, turn, messages;
    static byte[] some, classFile;

    /* A class that is loaded again and again. */
    static class Loaded {
    }

    static class Loader extends ClassLoader {
        void load() {
            defineClass(null, classFile, 0, classFile.length).getDeclaredFields(); // links it
        }
    }

    static int work(int i) {
        sum ^= i;
        return sum;
    }

    static void thrower() {
        throw thrown;
    }

    static void measure(String name, int times, Runnable one) {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long begin = System.nanoTime();
            for (int i = 0; i < times; i++)
                one.run();
            best = Math.min(best, System.nanoTime() - begin);
        }
        System.out.printf("%s %.1f%n", name, (double) best / times);
    }

    static void startAndJoin() {
        Thread thread = new Thread(() -> sum++);
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /* Takes turns with another thread: each waits, is notified, and notifies. */
    static void takeTurns(int self, int times) {
        synchronized (lock) {
            for (int i = 0; i < times; i++) {
                while (turn != self)
                    try {
                        lock.wait();
                    } catch (InterruptedException e) {
                        return;
                    }
                turn = 1 - self;
                lock.notify();
            }
        }
    }

    static void sleep() {
        try {
            Thread.sleep(0);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void send() {
        String id = Integer.toString(messages++);
        Paje.sent(id, 8);
        Paje.received(id, 8);
    }

    public static void main(String[] words) throws IOException {
        try (InputStream in = JavaEvents.class.getResourceAsStream("JavaEvents$Loaded.class")) {
            classFile = in.readAllBytes();
        }
        synchronized (lock) {
            measure("notify", TIMES, lock::notify);
            measure("notifyAll", TIMES, lock::notifyAll);
        }
        Thread other = new Thread(() -> takeTurns(1, ROUNDS * 1000));
        other.start();
        measure("turn", 1000, () -> takeTurns(0, 1));
        measure("sleep", TIMES, JavaEvents::sleep);
        measure("park", TIMES, () -> {
            LockSupport.unpark(Thread.currentThread());
            LockSupport.park();
        });
        measure("exception", TIMES, () -> {
            try {
                thrower();
            } catch (RuntimeException e) {
                sum++;
            }
        });
        measure("method", TIMES, () -> work(3));
        measure("state", TIMES, () -> Paje.end(Paje.begin("state")));
        measure("event", TIMES, () -> Paje.event(1000, 7));
        measure("mark", TIMES, () -> Paje.mark("mark"));
        measure("message", TIMES, JavaEvents::send);
        measure("allocation", TIMES, () -> some = new byte[1000]);
        measure("class", 500, () -> new Loader().load());
        measure("thread", 100, JavaEvents::startAndJoin);
    }
}
