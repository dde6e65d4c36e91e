import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readEnv } from "~/env.server";
import { problemsOf } from "./env-problems";

const secret = "s".repeat(32);
const project = {
  SUPABASE_URL: "https://project.example",
  SUPABASE_PUBLISHABLE_KEY: "sb_publishable_x",
  SUPABASE_SECRET_KEY: "sb_secret_x",
  SESSION_SECRET: secret,
};

it("The service needs no variables: the embedded stack is the default", () => {
  expect(readEnv({})).toMatchObject({
    port: 3000,
    host: "127.0.0.1",
    appOrigin: "http://localhost:3000",
    secureCookies: false,
    supabase: undefined,
    trustProxy: [],
  });
});

it("The service runs in production mode unless NODE_ENV is development", () => {
  expect(readEnv({}).isProduction).toBe(true);
  expect(readEnv({ NODE_ENV: "staging" }).isProduction).toBe(true);
  expect(readEnv({ NODE_ENV: "development" }).isProduction).toBe(false);
});

it("An empty variable is taken for an unset one", () => {
  expect(readEnv({ PORT: "", SUPABASE_URL: "" }).port).toBe(3000);
});

it("Cookies are Secure when APP_ORIGIN is https", () => {
  expect(readEnv({ APP_ORIGIN: "https://b.example/" })).toMatchObject({
    appOrigin: "https://b.example",
    secureCookies: true,
    origins: ["https://b.example"],
  });
});

it("All names of this machine count as one origin", () => {
  expect(readEnv({ APP_ORIGIN: "http://127.0.0.1:8080" }).origins).toEqual([
    "http://localhost:8080",
    "http://127.0.0.1:8080",
    "http://[::1]:8080",
  ]);
});

it(".env.example is a valid environment as it is", () => {
  const example = readFileSync(join(import.meta.dirname, "../../.env.example"), "utf8");
  const lines = example.split("\n").filter((line) => /^[A-Z_]+=/.test(line));
  const values = lines.map((line): [string, string] => {
    const at = line.indexOf("=");
    return [line.slice(0, at), line.slice(at + 1)];
  });
  expect(problemsOf(Object.fromEntries(values))).toEqual([]);
});

it("SESSION_SECRET may be a list of several secrets", () => {
  const other = "t".repeat(40);
  expect(readEnv({ SESSION_SECRET: `${secret}, ${other}` }).sessionSecrets).toEqual([secret, other]);
});

it.each([
  ["PORT", "http"],
  ["PORT", "70000"],
  ["APP_ORIGIN", "backlog.example"],
  ["APP_ORIGIN", "https://b.example/path"],
  ["SESSION_SECRET", "short"],
  ["CRON_SECRET", "short"],
  ["TRUST_PROXY", "everyone"],
  ["TRUST_PROXY", "10.0.0.0/99"],
  ["TRUST_PROXY", "loopback, 300.1.1.1"],
  ["SUPABASE_URL", "project.example"],
  ["SUPABASE_DB_URL", "mysql://x"],
  ["SUPABASE_DB_URL", "postgresql://u:p@db.example/postgres?sslmode=on"],
  ["SUPABASE_DB_CONNECTIONS", "0"],
  ["SUPABASE_DB_CONNECTIONS", "101"],
  ["SUPABASE_DB_CONNECTIONS", "many"],
  ["VAPID_SUBJECT", "me"],
  ["VAPID_PRIVATE_KEY", "short"],
  ["LOG_LEVEL", "loud"],
  ["STREAMS_PER_USER", "0"],
  ["STREAM_LIFETIME_SECONDS", "2147484"],
  ["OIDC_RECHECK_HOURS", "a week"],
])("The start refuses %s=%s and names the variable", (name, value) => {
  const [problem = ""] = problemsOf({ ...project, [name]: value });
  expect(problem.startsWith(`${name} must`)).toBe(true);
});

it.each([
  ["SUPABASE_DB_URL", "postgresql://postgres:Ax^s#1@db.example/postgres", "^", "%5E"],
  ["SUPABASE_DB_URL", "postgresql://postgres:12#1@db.example/postgres", "#", "%23"],
  ["SUPABASE_DB_URL", "postgresql://postgres:a/b?c@db.example/postgres", "/", "%2F"],
  ["SUPABASE_DB_URL", "postgresql://postgres:50%off@db.example/postgres", "%", "%25"],
  ["SUPABASE_URL", "https://ada:a#b@project.example", "#", "%23"],
  ["OIDC_ISSUER", "https://ada:a b/@idp.example", " ", "%20"],
])("The start says what to percent-encode in %s=%s", (name, value, letter, encoded) => {
  expect(problemsOf({ ...project, [name]: value })[0]).toBe(
    `${name}: the password holds characters such as ${letter} that must be percent-encoded (${encoded})`,
  );
  const whole = value.slice(0, value.lastIndexOf("@"));
  const [scheme, login = ""] = whole.split("://");
  const right = login.replace(/[^\w:]/g, (found) => encodeURIComponent(found));
  const fixed = `${scheme}://${right}${value.slice(whole.length)}`;
  const problems = problemsOf({ ...project, [name]: fixed });
  expect(problems.filter((problem) => problem.includes("percent"))).toEqual([]);
});

it.each(["SUPABASE_PUBLISHABLE_KEY", "SUPABASE_SECRET_KEY", "SESSION_SECRET"])(
  "The start asks for %s when SUPABASE_URL is set",
  (name) => {
    expect(problemsOf({ ...project, [name]: "" })).toEqual([expect.stringMatching(new RegExp(`^${name} is missing`))]);
  },
);

it("The start reports all problems of the environment at once", () => {
  expect(problemsOf({ PORT: "x", LOG_LEVEL: "x" })).toHaveLength(2);
  expect(problemsOf({ VAPID_PUBLIC_KEY: "x".repeat(87) })).toHaveLength(1);
  expect(problemsOf({ SUPABASE_SECRET_KEY: "x" })).toHaveLength(1);
});

it.each([
  [[], "https://*.previews.example.net"],
  [[], "http://*.localhost:3000"],
  [["PREVIEW_ORIGIN must begin with https://"], "http://*.previews.example.net"],
  [["PREVIEW_ORIGIN must not lead to APP_ORIGIN: take a domain that is only for previews"], "https://*.example.com"],
  [["PREVIEW_ORIGIN must be an address whose first label is *, like https://*.previews.example.net"], "https://x.net"],
])("Previews are encrypted and under a domain without the service: %j for %s", (problems, PREVIEW_ORIGIN) => {
  expect(problemsOf({ APP_ORIGIN: "https://backlog.example.com", PREVIEW_ORIGIN })).toEqual(problems);
});
