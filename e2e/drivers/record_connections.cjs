// Loaded before a program with `node --require`: writes the address of every
// connection that the process asks for, a line each, into the file CONNECTIONS.
const fs = require("fs");
const net = require("net");
const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const o = [args].flat(2)[0]; // an array already when net.connect has sorted its arguments
  fs.appendFileSync(process.env.CONNECTIONS, `${o.path ?? `${o.host ?? "localhost"}:${o.port}`}\n`);
  return connect.apply(this, args);
};
