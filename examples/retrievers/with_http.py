"""An HTTP endpoint, benchmarked: a search service on this machine, asked over kept connections."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from shelf import QRELS, QUERIES, TEXTS, show

import truerank as tr


class Search(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body of an answer go out together

    def do_GET(self):
        if self.headers["authorization"] != "Bearer open sesame":
            return self.send_error(401)
        asked = parse_qs(urlsplit(self.path).query)
        wanted = set(asked["q"][0].split())
        scores = {doc: len(wanted & set(text.split())) for doc, text in TEXTS.items()}
        best = sorted(scores, key=scores.get, reverse=True)[: int(asked["size"][0])]
        hits = [{"_id": doc, "_score": scores[doc]} for doc in best]
        return self.answer(json.dumps({"took": 1, "hits": {"total": len(TEXTS), "hits": hits}}).encode())

    def answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


os.environ["SEARCH_TOKEN"] = "open sesame"
server = ThreadingHTTPServer(("127.0.0.1", 0), Search)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()

found = tr.bench(
    f"http://127.0.0.1:{server.server_port}/search?q={{query}}&size={{k}}",
    QUERIES,
    QRELS,
    k=3,
    repeats=20,
    measures="nDCG@3 RR",
    results="hits.hits",
    score="_score",
    headers={"Authorization": "Bearer ${SEARCH_TOKEN}"},
)
show(found)
print(f"  {found.describe['connections']}; redirects {found.describe['redirects']}")
server.shutdown()
server.server_close()
