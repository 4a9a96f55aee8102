package paje;

/* A program's own states, marks, numbers and messages in the trace that `paje trace` makes of it.
 *
 * Copy this file; nothing else is needed.  Without `paje trace`, the calls do nothing.
 *
 *     int state = Paje.begin("solve");       // a state of this thread
 *     Paje.set("residual", residual);        // a number of this thread that changes over time
 *     Paje.event(1000, 7);                   // the same by number: of `event 1000`, as Extrae has it
 *     Paje.mark("converged");                // an event
 *     Paje.end(state);
 *
 * Names are those of pajetrace.h: their first 200 bytes count, and a program may have 1000.  A state ends by its own
 * call of `end`, in the thread that began it, or with one that was begun before it.
 *
 * A message is a link from the thread that calls `sent` to the one that calls `received` with the same id, in this JVM
 * or in another one.  An id is used once in a run; programs that are traced apart, and merged, share their ids. */
public final class Paje {
    private static final boolean isRecorded = askWhether();

    private Paje() {
    }

    private static boolean askWhether() {
        try {
            return recorded();
        } catch (UnsatisfiedLinkError e) {
            return false;
        }
    }

    /* Begins a state.  Returns what to pass to `end`. */
    public static int begin(String name) {
        return isRecorded ? beginState(name) : 0;
    }

    public static void end(int state) {
        if (state != 0)
            endState(state);
    }

    public static void mark(String name) {
        if (isRecorded)
            addMark(name);
    }

    public static void set(String name, double value) {
        if (isRecorded)
            setNumber(name, value);
    }

    public static void event(int type, long value) {
        if (isRecorded)
            setEvent(type, value);
    }

    /* bytes: -1 if it is not known. */
    public static void sent(String id, long bytes) {
        if (isRecorded)
            send(id, bytes);
    }

    public static void received(String id, long bytes) {
        if (isRecorded)
            receive(id, bytes);
    }

    private static native boolean recorded();

    private static native int beginState(String name);

    private static native void endState(int state);

    private static native void addMark(String name);

    private static native void setNumber(String name, double value);

    private static native void setEvent(int type, long value);

    private static native void send(String id, long bytes);

    private static native void receive(String id, long bytes);
}
