#!/usr/bin/env node
// Stands in for docker where there is none: takes its words strictly, notes them, and runs what is to run inside by bwrap. Like a real
// container it goes on when its client is gone, until somebody removes it.
import { spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const state = process.env.DOCKER_STATE;
const image = "shop/tools:1";
const [call, ...rest] = process.argv.slice(2);
const fail = (text) => {
  process.stderr.write(`docker: ${text}\n`);
  process.exit(125);
};
const fileOf = (name) => join(state, `${name}.json`);
const containers = () =>
  readdirSync(state).flatMap((file) =>
    file.endsWith(".json") ? [JSON.parse(readFileSync(join(state, file), "utf8"))] : [],
  );

if (existsSync(join(state, "down"))) fail("Cannot connect to the Docker daemon");
appendFileSync(join(state, "calls"), `${JSON.stringify([call, ...rest])}\n`);
if (call === "version") process.exit(0);
if (call === "image") process.exit(rest.join(" ") === `inspect ${image}` ? 0 : 1);
if (call === "ps") {
  const [all, quiet, filter, label = "", more] = rest;
  if (`${all} ${quiet} ${filter}` !== "--all --quiet --filter" || more) fail(`ps ${rest}`);
  for (const one of containers()) if (`label=${one.label}` === label) console.log(one.name);
} else if (call === "rm") {
  const [force, ...names] = rest;
  if (force !== "-f" || names.length === 0) fail(`rm ${rest}`);
  for (const { name, pid } of containers().filter((one) => names.includes(one.name))) {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {}
    rmSync(fileOf(name), { force: true });
  }
} else if (call === "run") run(rest);
else fail(`unknown call ${call}`);

function run(words) {
  const single = new Set(["--rm", "-i", "--init", "--entrypoint="]);
  const valued = new Set([
    "--name",
    "--label",
    "--network",
    "--pull",
    "--cap-drop",
    "--security-opt",
  ]);
  for (const name of ["--user", "-v", "-e", "-w"]) valued.add(name);
  const given = {};
  let index = 0;
  for (; words[index]?.startsWith("-"); index += 1) {
    const word = words[index];
    if (!single.has(word) && !valued.has(word)) fail(`unknown flag: ${word}`);
    given[word] ??= [];
    if (valued.has(word)) index += 1;
    given[word].push(words[index]);
  }
  if (words[index] !== image) fail(`no such image: ${words[index]}`);
  for (const word of [...single, "--name", "--label", "--user", "-w"]) {
    if (given[word]?.length !== 1) fail(`${word} is to be given once`);
  }
  if (!["none", "host"].includes(given["--network"]?.[0])) fail("--network");
  const [name] = given["--name"];
  if (existsSync(fileOf(name))) fail(`the name ${name} is taken`);
  const mounts = given["-v"].map((text) => text.split(":")).sort((a, b) => (a[1] < b[1] ? -1 : 1));
  const variables = (given["-e"] ?? []).map((text) =>
    text.includes("=")
      ? [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]
      : [text, process.env[text] ?? ""],
  );
  const child = spawn(
    "bwrap",
    [
      // A container ends with its first program, whatever that has left running.
      ...["--unshare-user-try", "--unshare-pid", "--as-pid-1"],
      ...["--cap-drop", "ALL", "--clearenv"],
      ...[
        "--ro-bind",
        "/usr",
        "/usr",
        "--ro-bind",
        "/etc",
        "/etc",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
      ],
      ...["bin", "lib", "lib64", "sbin"].flatMap((one) => ["--symlink", `usr/${one}`, `/${one}`]),
      ...["--tmpfs", "/tmp", "--dir", "/run"],
      ...mounts.flatMap(([from, to, how]) => [how === "ro" ? "--ro-bind" : "--bind", from, to]),
      ...["--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin"],
      ...variables.flatMap(([variable, value]) => ["--setenv", variable, value]),
      ...(given["--network"][0] === "none" ? ["--unshare-net"] : []),
      ...["--chdir", given["-w"][0], "--", ...words.slice(index + 1)],
    ],
    { stdio: "inherit", detached: true },
  );
  writeFileSync(fileOf(name), JSON.stringify({ name, pid: child.pid, label: given["--label"][0] }));
  process.on("SIGTERM", () => process.kill(child.pid, "SIGTERM"));
  child.on("close", (code) => {
    rmSync(fileOf(name), { force: true });
    process.exit(code ?? 137);
  });
}
