import { exec } from "node:child_process";
import { promisify } from "node:util";
import { agentName } from "~/wire/who";
import { anyAgent, findAgents } from "../../agents/catalog";
import { personsEnvironment, personsVariables } from "../../base/environment";
import type { WorkerOptions } from "../../base/options";

const run = promisify(exec);

export interface Offers {
  claim(): Promise<{ agents?: { id: string }[]; quota_pct?: number | undefined }>;
  /** For a heartbeat; undefined where each agent has its own. */
  quota(): Promise<number | undefined>;
}

/** Until when an agent of this process is at its limit, as it said. */
const limits = new Map<string, string>();

export function noteLimit(agent: string, resetsAt: string | null): void {
  if (resetsAt !== null) limits.set(agent, resetsAt);
}

/** With several agents each has its own quota: one at its limit leaves its jobs to wait while another works. */
export async function openOffers({ work, quotaCommand }: WorkerOptions): Promise<Offers> {
  const names = "agents" in work ? await namesOf(work.agents) : undefined;
  const [only, ...others] = names ?? [];
  const quota = () => readQuota(quotaCommand, only);
  if (names === undefined) return { quota, claim: async () => ({ quota_pct: await quota() }) };
  if (others.length === 0) {
    const agents = names.map((id) => ({ id }));
    return { quota, claim: async () => ({ agents, quota_pct: await quota() }) };
  }
  return {
    quota: async () => undefined,
    async claim() {
      const agents = await Promise.all(names.map(async (id) => ({ id, quota_pct: await readQuota(quotaCommand, id) })));
      const known = agents.flatMap(({ quota_pct }) => quota_pct ?? []);
      return { agents: withLimits(agents), quota_pct: known.length > 0 ? Math.max(...known) : undefined };
    },
  };
}

/** Where all are at their limit, none is left out: the service decides how long each job waits. */
function withLimits<Agent extends { id: string }>(agents: readonly Agent[]) {
  const reported = agents.map((agent) => {
    const limited_until = limits.get(agent.id);
    const isOver = limited_until === undefined || new Date(limited_until) <= new Date();
    return isOver ? agent : { ...agent, limited_until };
  });
  return reported.some((agent) => !("limited_until" in agent)) ? reported : [...agents];
}

/** Names that a task can have. A command after `acp:` with spaces gets only jobs that name no agent. */
async function namesOf(agents: readonly string[]): Promise<string[]> {
  if (!agents.includes(anyAgent)) {
    return agents.filter((name) => agentName.safeParse(name).success);
  }
  const found = await findAgents(personsVariables());
  const here = found.filter(({ way, isSignedIn }) => way !== null && isSignedIn !== false);
  return here.map(({ name }) => name);
}

/** Remaining quota in percent, as printed by the configured command; undefined without one. */
async function readQuota(command: string | undefined, agent: string | undefined): Promise<number | undefined> {
  if (command === undefined) return undefined;
  try {
    const env = { ...personsEnvironment(), ...(agent ? { BACKLOOM_AGENT: agent } : {}) };
    const { stdout } = await run(command, { timeout: 20_000, env });
    const percent = Math.round(Number.parseFloat(stdout));
    return percent >= 0 && percent <= 100 ? percent : undefined;
  } catch {
    return undefined;
  }
}
