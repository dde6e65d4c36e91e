import { ask, findProgram } from "../base/find-program";
import { WorkerProblem } from "../base/problems";
import { acpCommand } from "./acp/agent";
import { claude } from "./claude/claude";
import { codex } from "./codex/codex";
import type { Driver, KnownDriver } from "./driver";
import { gemini } from "./gemini/gemini";
import { opencode } from "./opencode/opencode";
import { registryDrivers } from "./registry/registry";

export const drivers: readonly KnownDriver[] = [claude, codex, gemini, opencode];

/** What `acp:` starts by their own command: their drivers know which of their modes an allowance is. */
const adapters: Readonly<Record<string, KnownDriver>> = {
  "acp:claude-agent-acp": claude,
  "acp:codex-acp": codex,
  "acp:gemini --acp": gemini,
  "acp:opencode acp": opencode,
};

/** True for an agent of which only its command is known, and so no mode for an allowance. */
export function isOtherAcp(name: string): boolean {
  return name.startsWith("acp:") && name.length > 4 && adapters[name] === undefined;
}

const names = new Set(drivers.map(({ name }) => name));

/** These and the others of the ACP registry. */
export const allDrivers: readonly KnownDriver[] = [
  ...drivers,
  ...registryDrivers.filter(({ name }) => !names.has(name)),
];

/** True if the worker knows it without the registry. */
export function isBuiltIn(name: string): boolean {
  return names.has(name);
}

/** Value of `--agent` for the repository's choice, or any agent installed here. */
export const anyAgent = "auto";

/** With `auto` the repository's choice, otherwise the first that is installed and not known to be signed out. */
export async function driverFor(
  name: string,
  requested: string | undefined,
  environment: Record<string, string>,
): Promise<Driver> {
  if (name !== anyAgent) return driverNamed(name);
  if (requested !== undefined) return driverNamed(requested);
  for (const driver of drivers) {
    const isThere = (await driver.find(environment)) !== null;
    if (isThere && (await driver.isSignedIn(environment)) !== false) return driver;
  }
  const installs = drivers.map(({ install }) => install).join("; ");
  throw new WorkerProblem(`No agent is installed and signed in on this machine: ${installs}`);
}

export function driverNamed(name: string): Driver {
  if (isOtherAcp(name)) return acpCommand(name.slice(4));
  const adapter = adapters[name];
  if (adapter !== undefined) return { ...adapter, name };
  const driver = allDrivers.find((one) => one.name === name);
  if (driver !== undefined) return driver;
  const near = allDrivers.flatMap((one) => (one.name.includes(name.toLowerCase()) ? one.name : []));
  const such = near.length > 0 ? ` (the nearest: ${near.join(", ")})` : "";
  throw new WorkerProblem(
    `There is no agent "${name}": use ${[...names].join(", ")}, ${anyAgent}, acp:<command> or an id that \`agents --registry\` lists${such}`,
  );
}

interface AgentHere {
  name: string;
  title: string;
  /** Null if not installed. */
  way: string | null;
  version: string | null;
  /** Null if not visible from outside. */
  isSignedIn: boolean | null;
  install: string;
}

/** Checks every agent known by name. */
export function findAgents(environment: Record<string, string>): Promise<AgentHere[]> {
  return Promise.all(drivers.map((driver) => findAgent(driver, environment)));
}

async function findAgent(driver: Driver, environment: Record<string, string>): Promise<AgentHere> {
  const { name, title, install } = driver;
  const tool = await driver.find(environment);
  if (tool === null) {
    return { name, title, install, way: null, version: null, isSignedIn: null };
  }
  const program = (await findProgram(driver.program, environment)) ?? tool.program;
  const answer = await ask(program, ["--version"], environment);
  const version = /\d{1,9}\.\d{1,9}[\w.-]{0,60}/.exec(answer?.output ?? "")?.[0] ?? null;
  const isSignedIn = await driver.isSignedIn(environment);
  return { name, title, install, way: tool.way, version, isSignedIn };
}

/** Formats the agents as lines. */
export function describeAgents(agents: readonly AgentHere[]): string {
  return agents
    .map(({ name, title, way, version, isSignedIn, install }) => {
      const begin = name.padEnd(10);
      if (way === null) return `${begin}not installed: ${install}`;
      const account = isSignedIn === null ? "sign-in unknown" : isSignedIn ? "signed in" : "not signed in";
      return `${begin}${title} ${version ?? "(version unknown)"}, through ${way}, ${account}`;
    })
    .join("\n");
}
