import { WorkerProblem } from "../base/problems";
import { acpCommand } from "./acp/command";
import { claude } from "./claude/claude";
import { codex } from "./codex/codex";
import type { Driver, KnownDriver } from "./driver";
import { gemini } from "./gemini/gemini";
import { opencode } from "./opencode/opencode";
import { registryDrivers } from "./registry/registry";

/** Agents known by name. */
export const drivers: readonly KnownDriver[] = [claude, codex, gemini, opencode];

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

/**
 * Returns the driver for `--agent`. With `auto`, the repository's choice, otherwise the first agent that is installed
 * and not known to be signed out.
 */
export async function driverFor(
  name: string,
  asked: string | undefined,
  environment: Record<string, string>,
): Promise<Driver> {
  if (name !== anyAgent) return driverNamed(name);
  if (asked !== undefined) return driverNamed(asked);
  for (const driver of drivers) {
    const isThere = (await driver.find(environment)) !== null;
    if (isThere && (await driver.isSignedIn(environment)) !== false) return driver;
  }
  const installs = drivers.map(({ install }) => install).join("; ");
  throw new WorkerProblem(`No agent is installed and signed in on this machine: ${installs}`);
}

export function driverNamed(name: string): Driver {
  if (name.startsWith("acp:") && name.length > 4) return acpCommand(name.slice(4));
  const driver = allDrivers.find((one) => one.name === name);
  if (driver !== undefined) return driver;
  const near = allDrivers.flatMap((one) => (one.name.includes(name.toLowerCase()) ? one.name : []));
  const such = near.length > 0 ? ` (the nearest: ${near.join(", ")})` : "";
  throw new WorkerProblem(
    `There is no agent "${name}": use ${[...names].join(", ")}, ${anyAgent}, acp:<command> or an id that \`agents --registry\` lists${such}`,
  );
}
