import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import paje.Paje;

/* Counts words on several JVMs, in the manner of Hadoop: a master sends splits of a text to workers; these map each to
 * the counts of its words, send each word to the worker that reduces it (the shuffle), and their sums to the master.
 *
 *     java WordCount WORKERS                  starts the workers itself, on this machine
 *     java WordCount master WORKERS PORT      waits for them
 *     java WordCount worker HOST PORT
 */
public class WordCount {
    static final int SPLITS_EACH = 3, WORDS_OF_SPLIT = 60_000;
    static final String[] WORDS = {"thread", "monitor", "trace", "event", "state", "link", "lock", "socket", "map", "reduce"};

    /* A connection whose messages have ids: FROM.TO.N, which both ends count. */
    static class Peer implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;
        private final String self, other;
        private int sent, received;

        Peer(Socket socket, String self, String other) throws IOException {
            this.socket = socket;
            this.self = self;
            this.other = other;
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        }

        void send(byte[] bytes) throws IOException {
            Paje.sent(self + "." + other + "." + sent++, bytes.length);
            out.writeInt(bytes.length);
            out.write(bytes);
            out.flush();
        }

        byte[] receive() throws IOException {
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            Paje.received(other + "." + self + "." + received++, bytes.length);
            return bytes;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /* The same text each time; the words in the splits of later workers are more and longer. */
    static String makeSplit(int number, int splits) {
        StringBuilder text = new StringBuilder();
        int words = WORDS_OF_SPLIT + WORDS_OF_SPLIT * number / splits;
        for (long i = 0, random = number + 1; i < words; i++) {
            random = (random * 1103515245 + 12345) & 0x7fffffff;
            text.append(WORDS[(int) (random >> 16) % WORDS.length]).append((random >> 8) % 100).append(' ');
        }
        return text.toString();
    }

    static void count(String text, Map<String, Integer> counts) {
        for (String word : text.split(" "))
            counts.merge(word, 1, Integer::sum);
    }

    static byte[] toBytes(Map<String, Integer> counts) {
        StringBuilder text = new StringBuilder();
        counts.forEach((word, count) -> text.append(word).append(' ').append(count).append('\n'));
        return text.toString().getBytes();
    }

    static void add(byte[] bytes, Map<String, Integer> counts) {
        for (String line : new String(bytes).split("\n"))
            if (!line.isEmpty())
                counts.merge(line.substring(0, line.indexOf(' ')), Integer.parseInt(line.substring(line.indexOf(' ') + 1)),
                    Integer::sum);
    }

    /* ---- the master */

    static void runMaster(int count, ServerSocket server) throws IOException {
        Thread.currentThread().setName("master");
        List<Peer> workers = new ArrayList<>();
        StringBuilder addresses = new StringBuilder();
        Map<String, Integer> all = new TreeMap<>();
        int state = Paje.begin("wait for workers");
        for (int i = 0; i < count; i++) {
            Socket socket = server.accept();
            int port = new DataInputStream(socket.getInputStream()).readInt();
            addresses.append(socket.getInetAddress().getHostAddress()).append(' ').append(port).append('\n');
            workers.add(new Peer(socket, "master", "worker " + i));
        }
        Paje.end(state);
        state = Paje.begin("send splits");
        for (int i = 0; i < count; i++)
            workers.get(i).send((i + "\n" + addresses).getBytes());
        for (int split = 0; split < count * SPLITS_EACH; split++)
            workers.get(split % count).send(makeSplit(split, count * SPLITS_EACH).getBytes());
        Paje.end(state);
        state = Paje.begin("collect");
        for (Peer worker : workers) {
            add(worker.receive(), all);
            worker.close();
        }
        Paje.end(state);
        int words = 0;
        for (int number : all.values())
            words += number;
        System.out.println(all.size() + " words, " + words + " in all");
    }

    /* ---- a worker */

    /* The master may begin later. */
    static Socket connect(String host, int port) throws Exception {
        for (int left = 100; ; left--)
            try {
                return new Socket(host, port);
            } catch (IOException e) {
                if (left == 0)
                    throw e;
                Thread.sleep(100);
            }
    }

    static void runWorker(String host, int port) throws Exception {
        try (ServerSocket server = new ServerSocket(0); Socket socket = connect(host, port)) {
            new DataOutputStream(socket.getOutputStream()).writeInt(server.getLocalPort());
            DataInputStream in = new DataInputStream(socket.getInputStream()); // without a buffer: a Peer reads on
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            String[] lines = new String(bytes).split("\n");
            int self = Integer.parseInt(lines[0]), count = lines.length - 1;
            Thread.currentThread().setName("worker " + self);
            Paje.received("master.worker " + self + ".0", bytes.length);
            work(self, count, lines, server, new Peer(socket, "worker " + self, "master"));
        }
    }

    static void work(int self, int count, String[] lines, ServerSocket server, Peer master) throws Exception {
        List<Map<String, Integer>> parts = new ArrayList<>();
        Map<String, Integer> reduced = new TreeMap<>();
        for (int i = 0; i < count; i++)
            parts.add(new TreeMap<>());
        master.received = 1;
        for (int split = 0; split < SPLITS_EACH; split++) {
            String text = new String(master.receive());
            int state = Paje.begin("map");
            Map<String, Integer> counts = new TreeMap<>();
            count(text, counts);
            counts.forEach((word, number) -> parts.get(Math.floorMod(word.hashCode(), count)).merge(word, number, Integer::sum));
            Paje.end(state);
            Paje.set("words", counts.size());
        }
        Thread receiver = new Thread(() -> receiveParts(self, count, server, parts.get(self)), "receiver");
        receiver.start();
        int state = Paje.begin("shuffle");
        for (int i = 1; i < count; i++) {
            int to = (self + i) % count;
            String[] address = lines[1 + to].split(" ");
            try (Socket socket = new Socket(address[0], Integer.parseInt(address[1]))) {
                new DataOutputStream(socket.getOutputStream()).writeInt(self);
                new Peer(socket, "worker " + self, "worker " + to).send(toBytes(parts.get(to)));
            }
        }
        receiver.join();
        Paje.end(state);
        state = Paje.begin("reduce");
        reduced.putAll(parts.get(self));
        Paje.end(state);
        master.send(toBytes(reduced));
    }

    static void receiveParts(int self, int count, ServerSocket server, Map<String, Integer> own) {
        for (int i = 1; i < count; i++)
            try (Socket socket = server.accept()) {
                int from = new DataInputStream(socket.getInputStream()).readInt();
                byte[] part = new Peer(socket, "worker " + self, "worker " + from).receive();
                int state = Paje.begin("reduce");
                synchronized (own) {
                    add(part, own);
                }
                Paje.end(state);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
    }

    public static void main(String[] words) throws Exception {
        if (words.length == 3 && words[0].equals("worker")) {
            runWorker(words[1], Integer.parseInt(words[2]));
        } else if (words.length == 3 && words[0].equals("master")) {
            try (ServerSocket server = new ServerSocket(Integer.parseInt(words[2]))) {
                runMaster(Integer.parseInt(words[1]), server);
            }
        } else {
            startAll(words.length > 0 ? Integer.parseInt(words[0]) : 4);
        }
    }

    static void startAll(int count) throws Exception {
        List<Process> workers = new ArrayList<>();
        try (ServerSocket server = new ServerSocket(0, count, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < count; i++)
                workers.add(new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-cp",
                    System.getProperty("java.class.path"), "WordCount", "worker",
                    server.getInetAddress().getHostAddress(), Integer.toString(server.getLocalPort())).inheritIO().start());
            runMaster(count, server);
        }
        for (Process worker : workers)
            worker.waitFor();
    }
}
