import { ask, findProgram } from "../base/find-program";
import { drivers } from "./catalog";
import type { Driver } from "./driver";

/** An agent on this machine, as shown by `worker agents`. */
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
  const told = await ask(program, ["--version"], environment);
  const version = /\d{1,9}\.\d{1,9}[\w.-]{0,60}/.exec(told?.output ?? "")?.[0] ?? null;
  const isSignedIn = await driver.isSignedIn(environment);
  return { name, title, install, way: tool.way, version, isSignedIn };
}

/** Formats the agents as lines. */
export function describeAgents(agents: readonly AgentHere[]): string {
  return agents
    .map(({ name, title, way, version, isSignedIn, install }) => {
      const begin = name.padEnd(10);
      if (way === null) return `${begin}not installed: ${install}`;
      const account =
        isSignedIn === null ? "sign-in unknown" : isSignedIn ? "signed in" : "not signed in";
      return `${begin}${title} ${version ?? "(version unknown)"}, through ${way}, ${account}`;
    })
    .join("\n");
}
