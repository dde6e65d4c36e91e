import { WorkerProblem } from "../problems";
import { acpCommand } from "./acp-command";
import { claude } from "./claude";
import { codex } from "./codex";
import type { Driver } from "./driver";
import { gemini } from "./gemini";
import { opencode } from "./opencode";

/** The agents that are known by name. */
export const drivers: readonly Driver[] = [claude, codex, gemini, opencode];

/** The driver that `--agent` names. */
export function driverNamed(name: string): Driver {
  if (name.startsWith("acp:") && name.length > 4) return acpCommand(name.slice(4));
  const driver = drivers.find((one) => one.name === name);
  if (driver !== undefined) return driver;
  const known = drivers.map((one) => one.name).join(", ");
  throw new WorkerProblem(`There is no agent "${name}": use ${known} or acp:<command>`);
}
