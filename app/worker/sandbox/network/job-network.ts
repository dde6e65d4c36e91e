import { hostOf, type Reach } from "../../base/reach";
import { AllowedHosts } from "./allowed";
import { openProxy } from "./proxy";

/** A refused host, and a callback that allows it from then on. */
export interface RefusedHost {
  host: string;
  /** Why it was refused. */
  sentence: string;
  /** Only a lockfile names it, and it resolves to this machine or its network. */
  isNear: boolean;
  allow(): void;
}

interface NetworkWish {
  reaches: readonly Reach[];
  /** Hosts to ask for at once, unless already allowed. */
  wanted: readonly Reach[];
  service: URL;
  /** Called once per host. */
  refused(host: RefusedHost): void;
}

export interface JobNetwork {
  socket: string;
  /** Ports of this machine that can be reached on the sandbox's loopback. */
  ports: readonly number[];
  close(): Promise<void>;
}

/** Network of one job: a proxy and its allowed hosts. */
export async function openJobNetwork({
  reaches,
  wanted,
  service,
  refused,
}: NetworkWish): Promise<JobNetwork> {
  const allowed = new AllowedHosts(reaches, service);
  const told = new Set<string>();
  const tell: Parameters<typeof openProxy>[0]["refused"] = (host, port, { refusal, isNear }) => {
    const name = `${host}:${port}`;
    if (told.has(name) || told.size >= mostRefused) return;
    told.add(name);
    const allow = () => allowed.add({ host: hostOf(host), port, source: "person" });
    refused({ host: name, sentence: refusal, isNear, allow });
  };
  const proxy = await openProxy({ allowed, service, refused: tell });
  for (const { host, port } of wanted.slice(0, mostWanted)) {
    const refusal = ".backloom.yml names it.";
    if (!allowed.isPersons(host, port))
      tell(host, port, { refusal, isListed: false, isNear: false });
  }
  return { ...proxy, ports: allowed.loopbackPorts() };
}

/** Limit, so that a job trying many hosts cannot flood the page. */
const mostRefused = 50;
/** Limit, so that a repository cannot flood the user's inbox. */
const mostWanted = 10;
