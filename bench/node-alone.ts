// The cost of node:http alone: reads each request's body without parsing it, and answers 209 bytes, fewer than ours.
import { createServer } from "node:http";

const answer = JSON.stringify({ success: 1, user_group: "x".repeat(180) });
const headers = { "Content-Type": "application/json", "Content-Length": answer.length };

const server = createServer((req, res) => {
  req.resume().on("end", () => res.writeHead(200, headers).end(answer));
});

server.listen(Number(process.env.PORT), "127.0.0.1", () => process.send?.("listening"));
