// One address before several processes: connections are handed on in turn, as the simplest balancer does. Told by its parent
// which ports there are; a port that refuses is left out for this connection.
import { connect, createServer } from "node:net";

let ports = process.argv.slice(2).map(Number);
let turn = 0;
process.on("message", (told) => {
  ports = told;
  process.send?.({ ports });
});

const server = createServer({ noDelay: true }, (client) => handOn(client, ports.length));

function handOn(client, triesLeft) {
  const port = ports[turn++ % ports.length];
  if (port === undefined || triesLeft === 0) return client.destroy();
  const app = connect({ port, host: "127.0.0.1", noDelay: true });
  app.once("connect", () => {
    app.removeAllListeners("error");
    app.on("error", () => client.destroy());
    client.pipe(app).pipe(client);
  });
  app.once("error", () => handOn(client, triesLeft - 1));
  client.on("error", () => app.destroy());
  client.once("close", () => app.destroy());
  app.once("close", () => {
    if (app.bytesRead > 0) client.destroy();
  });
}

// Its parent may die without a word.
process.on("disconnect", () => process.exit());

server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
