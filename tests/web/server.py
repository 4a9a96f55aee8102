"""A server for one folder, with parts of files (Range) or without."""
import http.server, os, re, threading

def serve(folder, ranges=True):
    """Returns the address of a server that runs until the program ends."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path = os.path.join(folder, os.path.basename(self.path.split("?")[0]))
            if not os.path.isfile(path):
                self.send_error(404)
                return
            with open(path, "rb") as file:
                content = file.read()
            wanted = re.match(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "")) if ranges else None
            begin, end = (int(wanted[1]), min(int(wanted[2]) + 1, len(content))) if wanted else (0, len(content))
            self.send_response(206 if wanted else 200)
            if wanted:
                self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{len(content)}")
            self.send_header("Content-Length", str(end - begin))
            self.send_header("Content-Type", "text/html" if path.endswith(".html") else "application/octet-stream")
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Access-Control-Allow-Headers", "range")
            self.send_header("Access-Control-Expose-Headers", "Content-Range")
            self.end_headers()
            self.wfile.write(content[begin:end])
        def do_OPTIONS(self):
            self.send_response(204)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Access-Control-Allow-Headers", "range")
            self.end_headers()
        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/"
