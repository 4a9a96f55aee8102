/* Computes pi by the area under 4 / (1 + x^2): in main itself, then with 1, 2, 4 and 8 threads, 15 in all. */
public class PiExample {
    static final long STEPS = 20_000_000;

    /* A part of the steps: from one of them to another, without that. */
    static class Part extends Thread {
        private final long from, to;
        private double area;

        Part(long from, long to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public void run() {
            double width = 1.0 / STEPS, sum = 0;
            for (long i = from; i < to; i++) {
                double x = (i + 0.5) * width;
                sum += 4 / (1 + x * x);
            }
            area = sum * width;
        }
    }

    static double computeWith(int threads) throws InterruptedException {
        Part[] parts = new Part[threads];
        double area = 0;
        for (int i = 0; i < threads; i++) {
            parts[i] = new Part(STEPS * i / threads, STEPS * (i + 1) / threads);
            parts[i].start();
        }
        for (Part part : parts) {
            part.join();
            area += part.area;
        }
        return area;
    }

    public static void main(String[] arguments) throws InterruptedException {
        Part all = new Part(0, STEPS);
        all.run();
        System.out.printf("in main:        %.10f%n", all.area);
        for (int threads = 1; threads <= 8; threads *= 2)
            System.out.printf("with %d threads: %.10f%n", threads, computeWith(threads));
    }
}
