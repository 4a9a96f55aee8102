/* Thread-0 waits until Thread-1 has notified it; main starts both, and waits for their ends. */
public class Notify {
    private static final Object lock = new Object();
    private static boolean isReady;
    private static double sum;

    static double compute(int steps) {
        double part = 0;
        for (int i = 1; i < steps; i++)
            part += Math.sin(i) / i;
        return part;
    }

    static void waitForIt() {
        synchronized (lock) {
            while (!isReady)
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    return;
                }
            sum += compute(1_000_000);
        }
    }

    /* Thread-0 is notified in the middle, but goes on only when this has left the monitor. */
    static void prepare() {
        double own = compute(2_000_000);
        synchronized (lock) {
            isReady = true;
            lock.notify();
            sum += own + compute(500_000);
        }
        compute(1_000_000);
    }

    public static void main(String[] words) throws InterruptedException {
        Thread[] threads = {new Thread(Notify::waitForIt), new Thread(Notify::prepare)};
        for (Thread thread : threads)
            thread.start();
        for (Thread thread : threads)
            thread.join();
        System.out.println(sum);
    }
}
