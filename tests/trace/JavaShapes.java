/* Methods of all shapes, whose classes the layer of Java changes: what they compute stays the same. */
public class JavaShapes {
    interface Area {
        double area();

        default double twice() {
            return 2 * area();
        }

        static int three() {
            return 3;
        }
    }

    static class Base {
        final int x;

        Base(int x) {
            if (x == 5)
                throw new IllegalArgumentException("five");
            this.x = x;
        }

        Base(String text) {
            this(Integer.parseInt(text));
        }
    }

    static class Box extends Base implements Area {
        private int y;

        /* An object that is made, and branches, before the call of another constructor; a loop right behind it. */
        Box(boolean isOne, int x) {
            super(isOne ? new StringBuilder().append(x).toString() : new String("7"));
            while (y < 3)
                y++;
            for (;;)
                if (y++ > 5)
                    return;
        }

        @Override
        public double area() {
            try {
                return x * y;
            } finally {
                y++;
            }
        }
    }

    static long ofTable(int i) {
        switch (i % 5) {
        case 0: return 1;
        case 1: return 22;
        case 2: throw new UnsupportedOperationException();
        default: return i;
        }
    }

    static String ofText(String text) {
        switch (text) {
        case "a": return "x";
        case "bb": return "y";
        default: return null;
        }
    }

    static synchronized float mixed(float a, double b, long c, Object[] objects) {
        float sum = 0;
        for (Object object : objects) {
            if (object instanceof String)
                sum += 1;
            else if (object == null)
                continue;
            sum += a;
        }
        return (float) (sum + b + c);
    }

    static int third(int i) {
        if (i % 3 == 0)
            throw new IllegalStateException("a third");
        return i;
    }

    static void again(int n) {
        while (true)
            try {
                if (n-- < 0)
                    return;
                third(n);
            } catch (IllegalStateException e) {
                continue;
            } finally {
                n--;
            }
    }

    static int nested(Object object) {
        synchronized (object) {
            try {
                synchronized (JavaShapes.class) {
                    return third(3);
                }
            } catch (IllegalStateException e) {
                return 9;
            }
        }
    }

    static int deep(int n) {
        return n == 0 ? 0 : 1 + deep(n - 1);
    }

    public static void main(String[] words) {
        int calls = Integer.parseInt(words[0]), sum = 0;
        long longs = 0;
        for (int i = 0; i < calls; i++)
            try {
                sum += third(i);
            } catch (IllegalStateException e) {
                sum += 100;
            }
        try {
            new Box(true, 5);
        } catch (IllegalArgumentException e) {
            sum += 1000;
        }
        for (int i = 0; i < 10; i++)
            try {
                longs += ofTable(i);
            } catch (UnsupportedOperationException e) {
                longs += 5;
            }
        again(20);
        Runnable last = () -> third(2);
        last.run();
        System.out.println(sum + " " + new Box(true, 4).area() + " " + new Box(false, 1).twice() + " " + longs + " " +
                ofText("a") + ofText("bb") + ofText("q") + " " + mixed(1f, 2, 3, new Object[] {"a", null, 1}) + " " +
                nested("it") + " " + deep(500) + " " + Area.three());
    }
}
