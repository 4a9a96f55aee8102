/** Ends at once. */
public class JavaEmpty {
    public static void main(String[] arguments) {
    }
}
