import type { Attempt } from "../job/attempt";
import { personsVariables } from "../job/environment";
import { sendable } from "../service/sendable";
import { askForHost } from "./network/ask-for-host";
import { hostsFile, keptHosts } from "./network/kept-hosts";
import { modelHosts } from "./network/model-hosts";
import { type Reach, readReach } from "./network/reach";
import { registryHosts } from "./network/registries";
import { type JobSandbox, noSandbox, type Sandbox } from "./sandbox";

/** The sandbox of a job, with the hosts that it may reach. `main`: the commit whose files say where packages come from. */
export async function openForJob(
  attempt: Attempt,
  sandboxes: Sandbox,
  { folder, main }: { folder: string; main: string },
): Promise<JobSandbox> {
  const { job, options } = attempt;
  if (sandboxes.confinement === "none") return noSandbox;
  const { work } = options;
  const command = "agent" in work ? work.agent : work.exec;
  const listed = (hosts: readonly string[], source: Reach["source"]) =>
    hosts.flatMap((host) => readReach(host, source) ?? []);
  const ended = new AbortController();
  const file = hostsFile(options.workDir);
  const reaches = [
    ...(await registryHosts(folder, main)),
    ...listed(job.may_reach ?? [], "product"),
    ...listed(await keptHosts(file, job.product.id), "person"),
    ...(await modelHosts(command, personsVariables())),
    ...listed(options.net, "person"),
  ];
  tellMissing(attempt);
  const sandbox = await sandboxes.open({
    id: job.id,
    attempt: job.attempt,
    repository: options.repo ?? job.repo_url,
    reaches,
    wanted: attempt.rules.net.flatMap((host) => readReach(host, "person")?.[0] ?? []),
    refused: (host, sentence, allow) => {
      attempt.journal.sayOnce(`Refused: ${host}`);
      const at = new Date().toISOString();
      attempt.output.add({ kind: "error", title: `Refused: ${host}`, text: sentence, at });
      void askForHost(attempt, { host, file, allow, signal: ended.signal });
    },
  });
  return {
    ...sandbox,
    async close() {
      ended.abort();
      await sandbox.close();
    },
  };
}

/** What the repository needs of this machine is mounted when its person has said so at the start, and else only named. */
function tellMissing({ rules, options, journal, output }: Attempt): void {
  const missing = rules.needs.filter((path) => !options.mounts.includes(path));
  if (missing.length === 0) return;
  const words = missing.map((path) => `--mount ${path}`).join(" ");
  const text = sendable(`To have it in the sandbox, start the worker with ${words}`, 2_000);
  const title = ".backloom.yml needs more of this machine";
  journal.sayOnce(`${title}. ${text}`);
  output.add({ kind: "note", title, text, at: new Date().toISOString() });
}
