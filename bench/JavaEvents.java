/* Nanoseconds of what `paje trace` records of Java: each in a loop, the best of 15 rounds.  bench/java.sh runs it with and
 * without the tracer. */
import java.util.concurrent.locks.LockSupport;
import paje.Paje;

public class JavaEvents {
    static final int ROUNDS = 15, TIMES = 10_000;
    static final Object lock = new Object();
    static final RuntimeException thrown = new RuntimeException("made once");
    static int sum;

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

    public static void main(String[] words) {
        synchronized (lock) {
            measure("notify", TIMES, lock::notify);
        }
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
        measure("thread", 100, JavaEvents::startAndJoin);
    }
}
