import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Loaded into a worker before its program: Linux is gone, as on a Mac. */
Object.defineProperty(process, "platform", { value: "darwin" });

function refused(path) {
  return Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: "ENOENT" });
}
const isProc = (path) => /^\/proc(\/|$)/.test(String(path));

for (const name of ["readFile", "readdir", "readlink", "stat", "lstat"]) {
  const [later, now] = [fs.promises[name], fs[`${name}Sync`]];
  fs.promises[name] = async (path, ...rest) => {
    if (isProc(path)) throw refused(path);
    return later(path, ...rest);
  };
  fs[`${name}Sync`] = (path, ...rest) => {
    if (isProc(path)) throw refused(path);
    return now(path, ...rest);
  };
}
syncBuiltinESMExports();
