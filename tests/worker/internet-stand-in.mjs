// Loaded into a worker before it begins: one name has an address of the internet, behind which a server of this machine answers.
import dns from "node:dns/promises";
import { syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";

const { STAND_IN_HOST: host, STAND_IN_PORT: port } = process.env;
const address = "203.0.113.5";
const { lookup } = dns;
dns.lookup = async (name, options) => (name === host ? [{ address, family: 4 }] : lookup(name, options));
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...words) {
  const [place] = words.flat();
  if (place?.host === address) Object.assign(place, { host: "127.0.0.1", port: Number(port) });
  return connect.apply(this, words);
};
syncBuiltinESMExports();
