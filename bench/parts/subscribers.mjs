/**
 * Clients that follow a stream, in a separate process: `fork`ed with the count, the address, the token's header and the
 * text that ends a turn. Notifies its parent when all are connected, and each time all have seen a turn's end.
 */
import { get } from "node:http";

const [count, address, authorization, end] = process.argv.slice(2);
const clients = Number(count);
let seen = 0;
let connected = 0;

process.on("disconnect", () => process.exit());
for (let index = 0; index < clients; index++) follow();

function follow() {
  const request = get(address, { agent: false, headers: { authorization } });
  request.on("response", (answer) => {
    if (answer.statusCode !== 200) throw new Error(`The stream returned status ${answer.statusCode}.`);
    connected += 1;
    if (connected === clients) process.send({ connected });
    answer.setEncoding("utf8");
    let rest = "";
    answer.on("data", (text) => {
      const all = rest + text;
      const ends = all.split(end).length - 1;
      rest = ends > 0 ? "" : all.slice(-end.length);
      seen += ends;
      if (ends > 0 && seen % clients === 0) process.send({ turns: seen / clients });
    });
  });
}
